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
export interface DriverDatabase {
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
