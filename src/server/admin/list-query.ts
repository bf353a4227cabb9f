import type { ListQuery } from '../ledger/ledger.ts'

/** What a list can be narrowed to, as it is typed. */
export const LIST_FIELDS = ['since', 'side', 'route', 'search', 'solved', 'limit'] as const

export type ReadQuery = { query: ListQuery; problem: null } | { query: null; problem: string }

const UNITS = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])
const MAX_LIMIT = 1_000
const MAX_TEXT = 500

/** Reads a query string. What is empty counts as not given; names that it does not know are left alone. */
export function readListQuery(params: URLSearchParams, now: number): ReadQuery {
  const query: ListQuery = {}
  for (const name of LIST_FIELDS) {
    const text = (params.get(name) ?? '').trim().slice(0, MAX_TEXT)
    if (text === '') continue
    const problem = readField(name, text, query, now)
    if (problem !== null) return { query: null, problem: `"${name}" must be ${problem}.` }
  }
  return { query, problem: null }
}

function readField(name: (typeof LIST_FIELDS)[number], text: string, query: ListQuery, now: number): string | null {
  switch (name) {
    case 'since': {
      const since = readSince(text, now)
      if (since === null) return 'a span like 30m, 24h or 7d, or a date like 2026-01-31T12:00:00Z'
      query.since = since
      return null
    }
    case 'side':
      if (text !== 'server' && text !== 'client') return 'server or client'
      query.side = text
      return null
    case 'solved':
      if (text !== 'true' && text !== 'false') return 'true or false'
      query.isSolved = text === 'true'
      return null
    case 'limit': {
      const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
      if (limit < 1 || limit > MAX_LIMIT) return `a whole number from 1 to ${MAX_LIMIT}`
      query.limit = limit
      return null
    }
    default:
      query[name] = text
      return null
  }
}

/** The moment that is meant, in milliseconds since 1970; null for what says none. */
function readSince(text: string, now: number): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS.get(unit) ?? 0)
  // Dates of other forms mean different moments to different machines.
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}
