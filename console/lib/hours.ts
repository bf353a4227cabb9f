const HOUR_MS = 3_600_000
export const HOURS = 24

export interface HourCount {
  fingerprint: string
  /** Hours since 1970. */
  hour: number
  count: number
}

/** Returns the first of the last 24 hours, in hours since 1970. */
export function firstHour(now: number): number {
  return Math.floor(now / HOUR_MS) - HOURS + 1
}

/** Returns the counts of the last 24 hours by fingerprint, oldest hour first. */
export function countHours(counts: readonly HourCount[], now: number): Map<string, number[]> {
  const first = firstHour(now)
  const byFingerprint = new Map<string, number[]>()
  for (const { fingerprint, hour, count } of counts) {
    const row = byFingerprint.get(fingerprint) ?? noHours()
    byFingerprint.set(fingerprint, row)
    const index = hour - first
    // Another machine's clock may be ahead: count its occurrences in the current hour.
    const place = Math.min(index, HOURS - 1)
    if (place >= 0) row[place] = (row[place] ?? 0) + count
  }
  return byFingerprint
}

export function noHours(): number[] {
  return Array.from({ length: HOURS }, () => 0)
}

/** Returns the text alternative of the chart. */
export function describeHours(hours: readonly number[]): string {
  const total = hours.reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'Last 24 hours: none'
  const most = Math.max(...hours)
  const ago = HOURS - 1 - hours.lastIndexOf(most)
  const when = ago === 0 ? 'in this hour' : ago === 1 ? 'an hour ago' : `${ago} hours ago`
  return `Last 24 hours: ${total} in total, at most ${most} per hour (${when})`
}
