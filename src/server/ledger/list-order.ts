import type { FailureSummary, ListPlace, ListQuery, Sort } from './ledger.ts'

const VALUES: Record<Sort, (summary: FailureSummary) => number> = {
  last: ({ lastSeen }) => lastSeen,
  first: ({ firstSeen }) => firstSeen,
  count: ({ count }) => count,
}

/** Returns the place of a failure in a list with this order. */
export function placeOfFailure(summary: FailureSummary, sort: Sort = 'last'): ListPlace {
  const { fingerprint, side } = summary
  return { value: VALUES[sort](summary), fingerprint, side }
}

/** Returns a function for `Array.sort`. Its order is that of the databases. */
export function createOrder(sort: Sort = 'last'): (a: FailureSummary, b: FailureSummary) => number {
  return (a, b) => comparePlaces(placeOfFailure(a, sort), placeOfFailure(b, sort))
}

/** Returns a function for `Array.filter`. It accepts the failures after the place in the query. */
export function comesAfter({ sort, after }: ListQuery): (summary: FailureSummary) => boolean {
  return (summary) => after === undefined || comparePlaces(placeOfFailure(summary, sort), after) > 0
}

function comparePlaces(a: ListPlace, b: ListPlace): number {
  return b.value - a.value || compareTexts(a.fingerprint, b.fingerprint) || compareTexts(a.side, b.side)
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Returns a place as it is written in URLs: `1767225600000.7K2M9QX4.server`. */
export function formatPlace({ value, fingerprint, side }: ListPlace): string {
  return `${value}.${fingerprint}.${side}`
}

/** Reads a place that `formatPlace` wrote; null for any other text. */
export function parsePlace(text: string): ListPlace | null {
  const [, value, fingerprint = '', side] = /^(\d{1,15})\.([0-9A-HJKMNP-TV-Z]{8})\.(server|client)$/.exec(text) ?? []
  if (value === undefined || (side !== 'server' && side !== 'client')) return null
  return { value: Number(value), fingerprint, side }
}
