import { createHydrantError } from '../../errors/hydrant-error.ts'
import { messageOf } from '../../util/message-of.ts'

/** The part of an SQLite database that the ledger uses. */
export interface Database {
  exec(sql: string): void
  prepare<Values extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Values, Row>
  /** Runs `PRAGMA <sql>`. Returns its rows; with `simple` the first column of the first row. */
  pragma(sql: string, options?: { simple?: boolean }): unknown
  transaction<Values extends unknown[], Result>(work: (...values: Values) => Result): Transaction<Values, Result>
  readonly isOpen: boolean
  /** Throws if the database is closed. */
  close(): void
}

interface Transaction<Values extends unknown[], Result> {
  (...values: Values): Result
  /** Locks the file for writing before `work` starts. */
  readonly immediate: (...values: Values) => Result
}

interface Statement<Values extends unknown[], Row> {
  run(...values: Values): { changes: number }
  get(...values: Values): Row | undefined
  all(...values: Values): Row[]
  /** Makes `get` and `all` return the first column instead of rows. */
  pluck(): this
}

interface OpenOptions {
  /** The default is false. */
  readOnly?: boolean
  /** How long to wait for another connection's lock, in milliseconds. The default is 0. */
  timeout?: number
}

export type OpenDatabase = (file: string, options?: OpenOptions) => Database

/** Loads the driver. Returns a function that opens a database. Throws HYD_LEDGER_SQLITE_MISSING for the ledger `file`. */
export async function loadDriver(file: string): Promise<OpenDatabase> {
  try {
    const { DatabaseSync, enhance } = await import('@photostructure/sqlite')
    return (path, options = {}) => enhance(new DatabaseSync(path, options))
  } catch (error) {
    // The other lines are paths.
    const [reason = ''] = messageOf(error).split('\n')
    throw createHydrantError('HYD_LEDGER_SQLITE_MISSING', [file, reason], error)
  }
}
