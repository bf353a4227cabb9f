import { type ListQuery, SORTS } from '../ledger/ledger.ts'
import { parsePlace } from '../ledger/list-order.ts'
import { parseSince, SINCE } from '../util/parse-since.ts'

/** What a list can be narrowed to and sorted by, as it is typed. */
const LIST_FIELDS = ['since', 'side', 'route', 'search', 'solved', 'release', 'new', 'sort', 'after', 'limit'] as const
export type ListField = (typeof LIST_FIELDS)[number]

/** What was typed, read. */
export interface ListRequest extends ListQuery {
  /** Only what happened first in `release`, or in the current one. */
  isNew?: boolean
}

export type ReadQuery = { query: ListQuery; problem: null } | { query: null; problem: string }

const MAX_LIMIT = 1_000
const MAX_TEXT = 500

/**
 * Reads a query string. What is empty counts as not given; names that it does not know are left alone.
 *
 * @param release The one that is served now.
 */
export function readListQuery(params: URLSearchParams, now: number, release: string): ReadQuery {
  const request: ListRequest = {}
  for (const name of LIST_FIELDS) {
    const text = (params.get(name) ?? '').trim().slice(0, MAX_TEXT)
    if (text === '') continue
    const expected = readListField(name, text, request, now)
    if (expected !== null) return { query: null, problem: `"${name}" must be ${expected}.` }
  }
  return { query: toListQuery(request, release), problem: null }
}

/** What a ledger is asked for. `release` is the one that "new" means where none is named. */
export function toListQuery({ isNew = false, ...query }: ListRequest, release: string): ListQuery {
  return isNew ? { ...query, firstRelease: query.release ?? release } : query
}

/** Reads one field into the request. Returns null, or what the field must be. */
export function readListField(name: ListField, text: string, request: ListRequest, now: number): string | null {
  switch (name) {
    case 'since':
      return put(request, 'since', parseSince(text, now), SINCE)
    case 'side':
      return put(request, 'side', oneOf(['server', 'client'] as const, text), 'server or client')
    case 'solved':
      return put(request, 'isSolved', readBoolean(text), 'true or false')
    case 'new':
      return put(request, 'isNew', readBoolean(text), 'true or false')
    case 'sort':
      return put(request, 'sort', oneOf(SORTS, text), 'last, first or count')
    case 'after':
      return put(request, 'after', parsePlace(text), 'the value of "next" in the previous page')
    case 'limit':
      return put(request, 'limit', readLimit(text), `a whole number from 1 to ${MAX_LIMIT}`)
    default:
      request[name] = text
      return null
  }
}

function put<Name extends keyof ListRequest>(
  request: ListRequest,
  name: Name,
  value: ListRequest[Name] | null,
  expected: string,
): string | null {
  if (value === null) return expected
  request[name] = value
  return null
}

function oneOf<Value extends string>(values: readonly Value[], text: string): Value | null {
  return values.find((value) => value === text) ?? null
}

function readBoolean(text: string): boolean | null {
  return text === 'true' ? true : text === 'false' ? false : null
}

function readLimit(text: string): number | null {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= MAX_LIMIT ? limit : null
}
