import { closeSync, openSync } from 'node:fs'
import { createHydrantError, type HydrantError } from '../../errors/hydrant-error.ts'
import type { Database } from './database.ts'
import { loadDriver } from './driver.ts'
import { refuseForeignTables } from './foreign.ts'
import { migrateSqlite, SQLITE_MIGRATIONS } from './schema.ts'
import { readError, toSqliteError } from './sqlite-error.ts'

/** How long a write waits for the write of another process. */
export const BUSY_MS = 2_000
/** The size to which SQLite truncates the write-ahead log. */
const MAX_LOG_BYTES = 4_194_304

/**
 * Opens a ledger's file for writing. If there is none, creates one that only its owner can read. Throws
 * HYD_LEDGER_SQLITE_MISSING, HYD_LEDGER_UNWRITABLE, HYD_LEDGER_FOREIGN, HYD_LEDGER_NEWER, HYD_LEDGER_DAMAGED and
 * HYD_LEDGER_FAILED.
 */
export async function openSqliteFile(file: string): Promise<Database> {
  const driver = await loadDriver(file)
  let db: Database | null = null
  try {
    closeSync(openSync(file, 'a', 0o600))
    db = driver.open(file, { timeout: BUSY_MS })
    // Before anything in the file changes.
    refuseForeignTables(db, file)
    // Has an effect on an empty file only.
    db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    db.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`)
    db.pragma('foreign_keys = ON')
    migrateSqlite(db, SQLITE_MIGRATIONS, file)
    return db
  } catch (error) {
    db?.close()
    throw toOpenError(file, error)
  }
}

function toOpenError(file: string, error: unknown): HydrantError {
  const { code, message } = readError(error)
  if (code === 'HYD_LEDGER_NEWER' || code === 'HYD_LEDGER_FOREIGN') return error as HydrantError
  const isUnwritable = /^(?:E[A-Z]+|SQLITE_(?:READONLY|CANTOPEN|PERM).*)$/.test(code) && !TEMPORARY.includes(code)
  if (isUnwritable) return createHydrantError('HYD_LEDGER_UNWRITABLE', [file, message], error)
  return toSqliteError(file, error)
}

/** Codes of system errors that may be temporary. */
const TEMPORARY = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO']
