const UNITS_MS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])

/** Describes what `parseSince` accepts, for messages. */
export const SINCE = 'like 30m, 24h, 7d, 2026-11-21 or 2026-11-21T19:00:00Z'

const SPAN = /^(\d{1,9})([smhdw])$/
// A time without a zone means different moments on different machines.
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * Parses a time span back from now (`24h`) or a date. Returns milliseconds since 1970, or null for text that is
 * neither.
 */
export function parseSince(text: string, now: number): number | null {
  const [, count, unit = ''] = SPAN.exec(text) ?? []
  if (count !== undefined) return Math.max(0, now - Number(count) * (UNITS_MS.get(unit) ?? 0))
  const [, date] = MOMENT.exec(text) ?? []
  // `Date.parse` reads February 30th as a day in March.
  if (date === undefined || !isDay(date)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

function isDay(date: string): boolean {
  const time = Date.parse(date)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}
