import { createHydrantError, type HydrantError } from '../../errors/hydrant-error.ts'
import { firstLineOf } from '../../util/unknown-values.ts'

// The database that the ledger uses. Both drivers have the same methods for statements, and none for transactions.

/** The part of an SQLite database that the ledger uses. */
export interface Database {
  exec(sql: string): void
  prepare<Values extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Values, Row>
  /** Runs `PRAGMA <sql>`. Returns its rows; with `simple` the first column of the first row. */
  pragma(sql: string, options?: { simple?: boolean }): unknown
  /** Returns a function that runs `work` in a transaction, and rolls it back if `work` throws. Must not be nested. */
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

/** The part of a driver's database that this module uses. */
interface DriverDatabase {
  exec(sql: string): void
  prepare(sql: string): DriverStatement
  close(): void
}

interface DriverStatement {
  run(...values: unknown[]): { changes: number | bigint }
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
}

/** Adds to a driver's database the methods that the ledger needs. */
export function adaptDatabase(db: DriverDatabase): Database {
  let isOpen = true

  function begin<Values extends unknown[], Result>(sql: string, work: (...values: Values) => Result) {
    return (...values: Values): Result => {
      db.exec(sql)
      try {
        const result = work(...values)
        db.exec('COMMIT')
        return result
      } catch (error) {
        rollBack(db)
        throw error
      }
    }
  }

  return {
    exec: (sql) => db.exec(sql),
    prepare: (sql) => adaptStatement(db.prepare(sql)),
    pragma(sql, { simple = false } = {}) {
      const statement = adaptStatement(db.prepare(`PRAGMA ${sql}`))
      return simple ? statement.pluck().get() : statement.all()
    },
    transaction: (work) => Object.assign(begin('BEGIN', work), { immediate: begin('BEGIN IMMEDIATE', work) }),
    get isOpen() {
      return isOpen
    },
    close() {
      db.close()
      isOpen = false
    },
  }
}

/** SQLite itself rolls back after some errors, such as a full disk. There is nothing to roll back then. */
function rollBack(db: DriverDatabase) {
  try {
    db.exec('ROLLBACK')
  } catch {
    // The caller gets the error of the transaction.
  }
}

function adaptStatement<Values extends unknown[], Row>(statement: DriverStatement): Statement<Values, Row> {
  let isPlucked = false
  // The caller declares what the statement returns.
  const read = (row: unknown) => (isPlucked ? firstColumn(row) : row) as Row
  return {
    run: (...values) => ({ changes: Number(statement.run(...values).changes) }),
    get(...values) {
      const row = statement.get(...values)
      return row === undefined ? undefined : read(row)
    },
    all: (...values) => statement.all(...values).map(read),
    pluck() {
      isPlucked = true
      return this
    },
  }
}

function firstColumn(row: unknown): unknown {
  return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined
}

interface OpenOptions {
  /** The default is false. */
  readOnly?: boolean
  /** How long to wait for another connection's lock, in milliseconds. The default is 0. */
  timeout?: number
}

/** A library that reads and writes SQLite files. */
export interface Driver {
  name: typeof PACKAGE | typeof NODE
  open(file: string, options?: OpenOptions): Database
}

/** The part that both libraries have in common. */
interface DriverModule {
  DatabaseSync: new (file: string, options: { readOnly: boolean }) => DriverDatabase
}

const PACKAGE = '@photostructure/sqlite'
const NODE = 'node:sqlite'

/**
 * Loads the driver: `node:sqlite`, or the package @photostructure/sqlite if Node.js has no such module. Throws
 * HYD_LEDGER_SQLITE_MISSING for the ledger `file` if the package cannot be loaded either.
 */
export async function loadDriver(file: string): Promise<Driver> {
  const module = loadNodeSqlite()
  if (module) return createDriver(NODE, module)
  try {
    return createDriver(PACKAGE, await import('@photostructure/sqlite'))
  } catch (error) {
    // The other lines are paths.
    throw createHydrantError('HYD_LEDGER_SQLITE_MISSING', [file, firstLineOf(error)], error)
  }
}

/**
 * Node.js has the module from version 22.13 on. Some versions warn, while they load it, that it is experimental. No
 * option of a running process turns the warning off.
 */
function loadNodeSqlite(): DriverModule | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    // The types of Node.js 20 do not know the module.
    return process.getBuiltinModule(NODE) as DriverModule | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

function createDriver(name: Driver['name'], { DatabaseSync }: DriverModule): Driver {
  return {
    name,
    open(file, { readOnly = false, timeout = 0 } = {}) {
      const db = adaptDatabase(new DatabaseSync(file, { readOnly }))
      // `node:sqlite` ignores its option `timeout` before Node.js 22.16.
      db.pragma(`busy_timeout = ${timeout}`)
      return db
    },
  }
}

/** Replaces NUL, at which the driver would cut the text off. JSON need not be passed: it escapes NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

/** Converts an error of an operation on an open file to HYD_LEDGER_DAMAGED or HYD_LEDGER_FAILED. */
export function toSqliteError(file: string, error: unknown): HydrantError {
  const { code, message } = readError(error)
  const isDamaged = /^SQLITE_(?:NOTADB|CORRUPT)/.test(code)
  return createHydrantError(isDamaged ? 'HYD_LEDGER_DAMAGED' : 'HYD_LEDGER_FAILED', [file, message], error)
}

/** Returns SQLite's result code, or the system's or Hydrant's error code, and the message of an error. */
export function readError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  const { message } = error
  if ('sqliteCodeName' in error) return { code: String(error.sqliteCodeName), message }
  const code = 'code' in error ? String(error.code) : ''
  if (code !== 'ERR_SQLITE_ERROR') return { code, message }
  const text = 'errstr' in error ? String(error.errstr) : message
  return { code: CODES[text] ?? 'SQLITE_ERROR', message }
}

/**
 * SQLite's result codes by their texts. `node:sqlite` has the text in `errstr`. Version 1 of the package has it only in
 * the message of the errors of `all` and `pragma`.
 */
const CODES: Record<string, string> = {
  'access permission denied': 'SQLITE_PERM',
  'attempt to write a readonly database': 'SQLITE_READONLY',
  'database disk image is malformed': 'SQLITE_CORRUPT',
  'database is locked': 'SQLITE_BUSY',
  'database or disk is full': 'SQLITE_FULL',
  'disk I/O error': 'SQLITE_IOERR',
  'file is not a database': 'SQLITE_NOTADB',
  'unable to open database file': 'SQLITE_CANTOPEN',
}
