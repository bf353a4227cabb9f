import { type ListQuery, parsePlace, SORTS } from '../ledger/ledger.ts'
import type { SlowQuery } from '../ledger/slow-report.ts'

const UNITS_MS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])

/** Describes what `parseSince` accepts, for messages. */
const SINCE = 'like 30m, 24h, 7d, 2026-11-21 or 2026-11-21T19:00:00Z'

const SPAN = /^(\d{1,9})([smhdw])$/
// A time without a zone means different moments on different machines.
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Parses a time span back from now (`24h`) or a date, to milliseconds since 1970; null for any other text. */
export function parseSince(text: string, now: number): number | null {
  const [, count, unit = ''] = SPAN.exec(text) ?? []
  if (count !== undefined) return Math.max(0, now - Number(count) * (UNITS_MS.get(unit) ?? 0))
  const [, date] = MOMENT.exec(text) ?? []
  // `Date.parse` reads February 30th as a day in March.
  if (date === undefined || !isDay(date)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** Describes what `parseRecent` accepts, for messages. */
export const RECENT = 'like 10m, 1h or 2026-11-21T19:00:00Z, and at most 24 hours ago'

const RECENT_MS = 86_400_000

/** Parses a time of the last 24 hours as `parseSince` does; null for any other text. */
export function parseRecent(text: string, now: number): number | null {
  const time = parseSince(text, now)
  return time !== null && now - time <= RECENT_MS ? time : null
}

function isDay(date: string): boolean {
  const time = Date.parse(date)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}

/** The parameters of a list, by which it is filtered, sorted and divided into pages. */
const LIST_FIELDS = ['since', 'side', 'route', 'search', 'solved', 'release', 'new', 'sort', 'after', 'limit'] as const
export type ListField = (typeof LIST_FIELDS)[number]

export interface ListRequest extends ListQuery {
  /** Only failures that first happened in `release`, or in the current release if none is named. */
  isNew?: boolean
}

export type ParsedListQuery = { query: ListQuery; problem: null } | { query: null; problem: string }

/** A query without its invalid parameters, and a description of each of these by its name. */
export interface TolerantListQuery {
  query: ListQuery
  problems: Partial<Record<ListField, string>>
}

const MAX_LIMIT = 1_000
const MAX_TEXT = 500

/** Reads the parameters of a list. Ignores empty and unknown ones. With an invalid one there is no query. */
export function readListQuery(params: URLSearchParams, now: number, release: string): ParsedListQuery {
  const { query, problems } = readTolerantListQuery(params, now, release)
  const [problem] = Object.values(problems)
  return problem === undefined ? { query, problem: null } : { query: null, problem }
}

/** Reads the parameters of a list. Ignores empty and unknown ones, and leaves out and describes invalid ones. */
export function readTolerantListQuery(params: URLSearchParams, now: number, release: string): TolerantListQuery {
  const request: ListRequest = {}
  const problems: TolerantListQuery['problems'] = {}
  for (const name of LIST_FIELDS) {
    const text = (params.get(name) ?? '').trim().slice(0, MAX_TEXT)
    if (text === '') continue
    const expected = readListField(name, text, request, now)
    if (expected !== null) problems[name] = `"${name}" must be ${expected}.`
  }
  return { query: toListQuery(request, release), problems }
}

/** Returns the query for the ledger. `release` is what "new" refers to if the request names no release. */
export function toListQuery({ isNew = false, ...query }: ListRequest, release: string): ListQuery {
  return isNew ? { ...query, firstRelease: query.release ?? release } : query
}

/** Reads one parameter into the request. Returns null, or a description of valid values. */
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
      return put(request, 'limit', readLimit(text, MAX_LIMIT), `a whole number from 1 to ${MAX_LIMIT}`)
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

/** Reads a whole number from 1 to `max`. Returns null for any other text. */
export function readLimit(text: string, max: number): number | null {
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= max ? limit : null
}

/** A query of the times, without invalid parameters, and a description of the first one of these. */
export interface ReadSlowQuery {
  query: SlowQuery
  problem: string | null
}

const HOUR_MS = 3_600_000
const DEFAULT_ROUTES = 100

/** Reads the parameters `since`, `route` and `limit`. Ignores empty and unknown ones. */
export function readSlowQuery(params: URLSearchParams, now: number): ReadSlowQuery {
  const textOf = (name: string) => (params.get(name) ?? '').trim().slice(0, MAX_TEXT)
  const [since, route, limit] = [textOf('since'), textOf('route'), textOf('limit')]
  const from = since === '' ? null : parseRecent(since, now)
  const most = limit === '' ? null : readLimit(limit, MAX_LIMIT)
  const problems = [
    ...(since !== '' && from === null ? [`"since" must be ${RECENT}.`] : []),
    ...(limit !== '' && most === null ? [`"limit" must be a whole number from 1 to ${MAX_LIMIT}.`] : []),
  ]
  const query = { since: from ?? now - HOUR_MS, limit: most ?? DEFAULT_ROUTES, ...(route === '' ? {} : { route }) }
  return { query, problem: problems[0] ?? null }
}
