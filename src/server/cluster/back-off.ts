const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
/** A worker that ran for this time started well: the pauses begin again with the first. */
const HEALTHY_MS = 10_000

/** Returns the milliseconds to wait before a lost worker is replaced. `lastPauseMs` is the pause before, 0 for none. */
export function backOff(lastPauseMs: number, livedMs: number): number {
  if (lastPauseMs === 0 || livedMs >= HEALTHY_MS) return FIRST_PAUSE_MS
  return Math.min(MAX_PAUSE_MS, lastPauseMs * 2)
}
