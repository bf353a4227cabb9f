const MAX_MS = 2_147_483_647

/** Returns a number of milliseconds that a timer accepts. `setTimeout` calls back at once if the number is larger. */
export function timerMs(ms: number): number {
  return Math.min(ms, MAX_MS)
}
