import { type KeptError, OCCURRENCE_COLUMNS, type Occurrence } from '../errors/failure-record.ts'
import {
  type FailureDetails,
  type FailureSummary,
  type FieldType,
  type LedgerEntry,
  type Merge,
  OTHER_FIELDS,
  SUMMARY_FIELDS,
  SUMMARY_NAMES,
} from './entries.ts'
import type { ListQuery, Sort } from './ledger.ts'

export type Row = Record<string, string | number | boolean | null>

export interface Column {
  name: string
  type: 'text' | 'bigint' | 'boolean' | 'double precision'
}

const COLUMN_TYPES: Record<FieldType, Column['type']> = { text: 'text', number: 'bigint', time: 'bigint', json: 'text' }
const FAILURE_FIELDS = Object.entries({ ...SUMMARY_FIELDS, ...OTHER_FIELDS }).map(([name, field]) => ({
  ...field,
  column: { name: columnOf(name), type: COLUMN_TYPES[field.type] },
}))
const SUMMARY_COLUMNS = SUMMARY_NAMES.map(columnOf).join(', ')

export const FAILURE_COLUMNS: readonly Column[] = FAILURE_FIELDS.map(({ column }) => column)
/** The columns of a failure to read with its occurrences. */
export const DETAILS_COLUMNS = `${SUMMARY_COLUMNS}, error`
export const OCCURRENCE_ROW: readonly Column[] = [
  { name: 'fingerprint', type: 'text' },
  ...OCCURRENCE_COLUMNS.map(({ field, type }) => ({ name: columnOf(field), type })),
  { name: 'data', type: 'text' },
]

/** Returns the name of the column for a field: `first_seen`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export function toFailureRow(entry: LedgerEntry): Row {
  return Object.fromEntries(FAILURE_FIELDS.map(({ column, of }) => [column.name, toCell(of(entry))]))
}

function toCell(value: Row[string] | object): Row[string] {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

export function fromFailureRow(row: Row): FailureSummary {
  const fields = SUMMARY_NAMES.map((name) => {
    const cell = row[columnOf(name)] ?? null
    return [name, cell !== null && SUMMARY_FIELDS[name].type === 'json' ? JSON.parse(String(cell)) : cell]
  })
  // `toFailureRow` wrote it.
  return Object.fromEntries(fields) as FailureSummary
}

export function fromDetailsRow(row: Row, occurrences: readonly OccurrenceRow[]): FailureDetails {
  // `toFailureRow` wrote it.
  const error = JSON.parse(String(row.error)) as KeptError
  return { ...fromFailureRow(row), error, occurrences: occurrences.map(fromOccurrenceRow) }
}

export interface OccurrenceRow {
  /** The occurrence as JSON. Its `isRecovered` is out of date; the column is right. */
  data: string
  is_recovered: boolean | number
}

export function toOccurrenceRow(fingerprint: string, occurrence: Occurrence): Row {
  const columns = OCCURRENCE_COLUMNS.map(({ field }) => [columnOf(field), occurrence[field]])
  return { fingerprint, ...Object.fromEntries(columns), data: JSON.stringify(occurrence) }
}

function fromOccurrenceRow({ data, is_recovered }: OccurrenceRow): Occurrence {
  // `toOccurrenceRow` wrote it.
  return { ...(JSON.parse(data) as Occurrence), isRecovered: Boolean(is_recovered) }
}

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/** Returns the columns with their types, as PostgreSQL wants them for rows from JSON. */
export function definitionsOf(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ')
}

/** The differences between the two databases. */
export interface Dialect {
  /** The prefix of the tables' names. */
  prefix: string
  /** The function that returns the position of a text in another one; 0 if it is not there. */
  position: string
  /** The functions that return the smaller and the larger one of two numbers. */
  least: string
  greatest: string
}

/** How a failure in the table `f` is updated with the values of a batch. Null: it keeps its value. */
const UPDATES: Record<Merge, ((column: string, dialect: Dialect) => string) | null> = {
  first: null,
  last: (column) => `excluded.${column}`,
  known: (column) => `coalesce(excluded.${column}, f.${column})`,
  sum: (column) => `f.${column} + excluded.${column}`,
  least: (column, { least }) => `${least}(f.${column}, excluded.${column})`,
  greatest: (column, { greatest }) => `${greatest}(f.${column}, excluded.${column})`,
}

/** Returns the SQL that adds failures, or updates those that are there. `rows` are values, or a query. */
export function addFailuresSql(rows: string, dialect: Dialect): string {
  const updates = FAILURE_FIELDS.flatMap(({ column: { name }, merge }) => {
    const value = UPDATES[merge]?.(name, dialect)
    return value ? [`${name} = ${value}`] : []
  })
  return `INSERT INTO ${dialect.prefix}failures AS f (${namesOf(FAILURE_COLUMNS)}) ${rows}
    ON CONFLICT (fingerprint) DO UPDATE SET ${updates.join(', ')}`
}

/** Returns the SQL for a list, with the values of `$1`, `$2` and so on. */
export function listSql(
  query: ListQuery,
  { prefix, position }: Pick<Dialect, 'prefix' | 'position'>,
): { sql: string; values: (string | number)[] } {
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
