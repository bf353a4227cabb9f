import type { Occurrence } from '../errors/failure-record.ts'
import { searchText, summaryOf } from './entries.ts'
import type { FailureSummary, LedgerEntry, ListQuery, Sort } from './ledger.ts'

/** The columns of the summary of a failure. */
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
  /** A frame, as JSON. */
  source: string | null
  solved_at: number | null
}

export const SUMMARY_COLUMNS = `fingerprint, side, phase, type, message, count, first_seen, last_seen, first_release,
  last_release, route, source, solved_at`

/** Returns the columns of a failure to write. Searches read `search`; only single failures are read with `error`. */
export function toFailureRow(entry: LedgerEntry) {
  const summary = summaryOf(entry, null)
  const { fingerprint, side, phase, type, message, count, route, source } = summary
  return {
    fingerprint,
    side,
    phase,
    type,
    message,
    count,
    route,
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

/** Returns the summary of a failure that was read. */
export function fromFailureRow(row: FailureRow): FailureSummary {
  const { fingerprint, side, phase, type, message, count, route } = row
  return {
    fingerprint,
    side,
    phase,
    type,
    message,
    count,
    route,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    firstRelease: row.first_release,
    lastRelease: row.last_release,
    // `toFailureRow` wrote it.
    source: row.source === null ? null : (JSON.parse(row.source) as FailureSummary['source']),
    solvedAt: row.solved_at,
  }
}

export interface OccurrenceRow {
  /** The occurrence as JSON. Its `isRecovered` is out of date; the column is right. */
  data: string
  is_recovered: boolean | number
}

/** Returns the columns of an occurrence to write. */
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

/** Returns an occurrence that was read. */
export function fromOccurrenceRow({ data, is_recovered }: OccurrenceRow): Occurrence {
  // `toOccurrenceRow` wrote it.
  return { ...(JSON.parse(data) as Occurrence), isRecovered: Boolean(is_recovered) }
}

/** The differences between the two databases. */
export interface Dialect {
  /** The prefix of the tables' names. */
  prefix: string
  /** The function that returns the position of a text in another one; 0 if it is not there. */
  position: string
}

/** Returns the SQL for a list, with the values of `$1`, `$2` and so on. */
export function listSql(query: ListQuery, { prefix, position }: Dialect): { sql: string; values: (string | number)[] } {
  const values: (string | number)[] = []
  const place = (value: string | number) => `$${values.push(value)}`
  const { since, side, route, search, isSolved, release, firstRelease, sort = 'last', after, limit } = query
  const failures = `${prefix}failures`
  const hasOccurrence = (condition: string) =>
    `EXISTS (SELECT 1 FROM ${prefix}occurrences o WHERE o.fingerprint = ${failures}.fingerprint AND ${condition})`
  const conditions = ['TRUE']
  if (since !== undefined) conditions.push(`last_seen >= ${place(since)}`)
  if (side !== undefined) conditions.push(`side = ${place(side)}`)
  if (isSolved !== undefined) conditions.push(`solved_at IS ${isSolved ? 'NOT NULL' : 'NULL'}`)
  if (search !== undefined) conditions.push(`${position}(search, ${place(search.toLowerCase())}) > 0`)
  if (route !== undefined) conditions.push(hasOccurrence(`o.route = ${place(route)}`))
  if (firstRelease !== undefined) conditions.push(`first_release = ${place(firstRelease)}`)
  if (release !== undefined) {
    const [first, last, kept] = [place(release), place(release), place(release)]
    conditions.push(`(first_release = ${first} OR last_release = ${last} OR ${hasOccurrence(`o.release = ${kept}`)})`)
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
