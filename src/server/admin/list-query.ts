import type { ListQuery } from '../ledger/ledger.ts'
import { readSince, SINCE } from '../read-since.ts'

/** What a list can be narrowed to, as it is typed. */
export const LIST_FIELDS = ['since', 'side', 'route', 'search', 'solved', 'limit'] as const

export type ReadQuery = { query: ListQuery; problem: null } | { query: null; problem: string }

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
      if (since === null) return SINCE
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
