import type { CauseSummary, ListPlace, ListQuery, Sort } from './ledger.ts'

const VALUES: Record<Sort, (summary: CauseSummary) => number> = {
  last: ({ lastSeen }) => lastSeen,
  first: ({ firstSeen }) => firstSeen,
  count: ({ count }) => count,
}

/** Where a cause stands in a list of that order. */
export function placeOfCause(summary: CauseSummary, sort: Sort = 'last'): ListPlace {
  const { cause, side } = summary
  return { value: VALUES[sort](summary), cause, side }
}

/** For `sort`: the same order as that of the databases. */
export function createOrder(sort: Sort = 'last'): (a: CauseSummary, b: CauseSummary) => number {
  return (a, b) => comparePlaces(placeOfCause(a, sort), placeOfCause(b, sort))
}

/** For `filter`: is it behind the place where the list goes on? */
export function comesAfter({ sort, after }: ListQuery): (summary: CauseSummary) => boolean {
  return (summary) => after === undefined || comparePlaces(placeOfCause(summary, sort), after) > 0
}

function comparePlaces(a: ListPlace, b: ListPlace): number {
  return b.value - a.value || compareTexts(a.cause, b.cause) || compareTexts(a.side, b.side)
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** A place as it stands in an address: `1767225600000.7K2M9QX4.server`. */
export function formatPlace({ value, cause, side }: ListPlace): string {
  return `${value}.${cause}.${side}`
}

/** Null for what is no place. */
export function parsePlace(text: string): ListPlace | null {
  const [, value, cause = '', side] = /^(\d{1,15})\.([0-9A-HJKMNP-TV-Z]{8})\.(server|client)$/.exec(text) ?? []
  if (value === undefined || (side !== 'server' && side !== 'client')) return null
  return { value: Number(value), cause, side }
}
