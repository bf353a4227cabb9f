import { closeSync, openSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { createHydrantError, type HydrantError } from '../../errors/hydrant-error.ts'
import { loadDriver } from './driver.ts'
import { migrateSqlite, SQLITE_MIGRATIONS } from './schema.ts'

/** How long a write waits for that of another process. */
export const BUSY_MS = 2_000
/** What the write-ahead log is cut back to. */
const MAX_LOG_BYTES = 4_194_304

/**
 * Opens a ledger's file, which is made when there is none, for its owner alone. Throws HYD_LEDGER_SQLITE_MISSING,
 * HYD_LEDGER_SQLITE_UNFIT, HYD_LEDGER_UNWRITABLE, HYD_LEDGER_NEWER, HYD_LEDGER_DAMAGED and HYD_LEDGER_FAILED.
 */
export async function openSqliteFile(file: string): Promise<Database> {
  const Driver = await loadDriver(file)
  let db: Database | null = null
  try {
    closeSync(openSync(file, 'a', 0o600))
    db = new Driver(file, { timeout: BUSY_MS })
    // Counts for a new file only, before anything is in it.
    db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    db.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`)
    db.pragma('foreign_keys = ON')
    migrateSqlite(db, SQLITE_MIGRATIONS)
    return db
  } catch (error) {
    db?.close()
    throw toOpenError(file, error)
  }
}

/** What an operation on an open file threw, in words of Hydrant's own. */
export function toSqliteError(file: string, error: unknown): HydrantError {
  const { code, message } = readError(error)
  const isDamaged = /^SQLITE_(?:NOTADB|CORRUPT)/.test(code)
  return createHydrantError(isDamaged ? 'HYD_LEDGER_DAMAGED' : 'HYD_LEDGER_FAILED', [file, message], error)
}

function toOpenError(file: string, error: unknown): HydrantError {
  const { code, message } = readError(error)
  if (code === 'HYD_LEDGER_NEWER') return error as HydrantError
  const isUnwritable = /^(?:E[A-Z]+|SQLITE_(?:READONLY|CANTOPEN|PERM).*)$/.test(code) && !TEMPORARY.includes(code)
  if (isUnwritable) return createHydrantError('HYD_LEDGER_UNWRITABLE', [file, message], error)
  return toSqliteError(file, error)
}

/** Faults of the system that pass. */
const TEMPORARY = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO']

/** What a driver or the system threw. */
export function readError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) }
  return { code: 'code' in error ? String(error.code) : '', message: error.message }
}
