const UNITS = [
  [86_400_000, 'day', 'days'],
  [3_600_000, 'h', 'h'],
  [60_000, 'min', 'min'],
] as const

/** Formats the age of a time: `3 min ago`. A time in the future is `just now`, because clocks of machines differ. */
export function formatAgo(time: number, now: number): string {
  for (const [unitMs, one, many] of UNITS) {
    const count = Math.floor((now - time) / unitMs)
    if (count > 0) return `${count} ${count === 1 ? one : many} ago`
  }
  return 'just now'
}

/** Formats a time: `2026-11-21 19:43:28 UTC`. */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function formatTimeAgo(time: number, now: number): string {
  return `${formatTime(time)} (${formatAgo(time, now)})`
}
