import type { Occurrence } from '../errors/failure-record.ts'
import type { FailureSummary, LedgerEntry, ListQuery, Sort } from './ledger.ts'
import { searchText, summaryOf } from './summary.ts'

/** The columns of a failure that its summary is made of. */
export interface FailureRow {
  fingerprint: string
  side: FailureSummary['side']
  phase: FailureSummary['phase']
  type: string
  message: string
  count: number
  first_seen: number
  last_seen: number
  first_release: string
  last_release: string
  route: string | null
  /** A frame as JSON. */
  source: string | null
  solved_at: number | null
}

export const SUMMARY_COLUMNS = `fingerprint, side, phase, type, message, count, first_seen, last_seen, first_release,
  last_release, route, source, solved_at`

/** Returns the columns of a failure to write; searches read `search`, and `error` is read for a single failure. */
export function toFailureRow(entry: LedgerEntry) {
  const summary = summaryOf(entry, null)
  const { fingerprint, side, phase, type, message, count, route, source } = summary
  return {
    ...{ fingerprint, side, phase, type, message, count, route },
    first_seen: summary.firstSeen,
    last_seen: summary.lastSeen,
    first_release: summary.firstRelease,
    last_release: summary.lastRelease,
    source: source && JSON.stringify(source),
    search: searchText(summary),
    error: JSON.stringify(entry.error),
    last_build: entry.occurrences.at(-1)?.build ?? null,
  }
}

export function fromFailureRow(row: FailureRow): FailureSummary {
  const { fingerprint, side, phase, type, message, count, route } = row
  return {
    ...{ fingerprint, side, phase, type, message, count, route },
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    firstRelease: row.first_release,
    lastRelease: row.last_release,
    // `toFailureRow` has written it.
    source: row.source === null ? null : (JSON.parse(row.source) as FailureSummary['source']),
    solvedAt: row.solved_at,
  }
}

export interface OccurrenceRow {
  /** All of it as JSON, but for what may change. */
  data: string
  is_recovered: boolean | number
}

export function toOccurrenceRow(fingerprint: string, occurrence: Occurrence) {
  const { digest, time, route, release, build = null, isRecovered } = occurrence
  return {
    fingerprint,
    digest,
    time,
    route,
    release,
    build,
    is_recovered: isRecovered,
    data: JSON.stringify(occurrence),
  }
}

export function fromOccurrenceRow({ data, is_recovered }: OccurrenceRow): Occurrence {
  // `toOccurrenceRow` has written it.
  return { ...(JSON.parse(data) as Occurrence), isRecovered: Boolean(is_recovered) }
}

export interface Dialect {
  /** What the tables' names begin with. */
  prefix: string
  /** The function that says where in a text another one stands, 0 for nowhere. */
  position: string
}

/** The query for a list, with its values for `$1`, `$2` and so on. */
export function listSql(query: ListQuery, { prefix, position }: Dialect): { sql: string; values: (string | number)[] } {
  const values: (string | number)[] = []
  const place = (value: string | number) => `$${values.push(value)}`
  const { since, side, route, search, isSolved, release, firstRelease, sort = 'last', after, limit } = query
  const failures = `${prefix}failures`
  const ownOccurrence = (condition: string) =>
    `EXISTS (SELECT 1 FROM ${prefix}occurrences o WHERE o.fingerprint = ${failures}.fingerprint AND ${condition})`
  const conditions = ['TRUE']
  if (since !== undefined) conditions.push(`last_seen >= ${place(since)}`)
  if (side !== undefined) conditions.push(`side = ${place(side)}`)
  if (isSolved !== undefined) conditions.push(`solved_at IS ${isSolved ? 'NOT NULL' : 'NULL'}`)
  if (search !== undefined) conditions.push(`${position}(search, ${place(search.toLowerCase())}) > 0`)
  if (route !== undefined) conditions.push(ownOccurrence(`o.route = ${place(route)}`))
  if (firstRelease !== undefined) conditions.push(`first_release = ${place(firstRelease)}`)
  if (release !== undefined) {
    const [first, last, kept] = [place(release), place(release), place(release)]
    conditions.push(`(first_release = ${first} OR last_release = ${last} OR ${ownOccurrence(`o.release = ${kept}`)})`)
  }
  const column = SORT_COLUMNS[sort]
  if (after !== undefined) {
    const [value, same] = [place(after.value), place(after.value)]
    const [greater, equal] = [place(after.fingerprint), place(after.fingerprint)]
    const later = `fingerprint > ${greater} OR (fingerprint = ${equal} AND side > ${place(after.side)})`
    conditions.push(`(${column} < ${value} OR (${column} = ${same} AND (${later})))`)
  }
  const bound = limit === undefined ? '' : ` LIMIT ${place(limit)}`
  const where = conditions.join(' AND ')
  return {
    sql: `SELECT ${SUMMARY_COLUMNS} FROM ${failures} WHERE ${where} ORDER BY ${column} DESC, fingerprint, side${bound}`,
    values,
  }
}

const SORT_COLUMNS: Record<Sort, string> = { last: 'last_seen', first: 'first_seen', count: 'count' }
