const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000
/** A worker that has lived so long was well. */
const HEALTHY_MS = 10_000

/** How long to wait before a worker is replaced, given how long was waited the last time, 0 for never. */
export function pauseBefore(lastPauseMs: number, livedMs: number): number {
  if (lastPauseMs === 0 || livedMs >= HEALTHY_MS) return FIRST_PAUSE_MS
  return Math.min(LONGEST_PAUSE_MS, lastPauseMs * 2)
}
