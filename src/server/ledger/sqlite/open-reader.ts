import { copyFileSync, existsSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHydrantError } from '../../errors/hydrant-error.ts'
import type { Database } from './database.ts'
import { type Driver, loadDriver } from './driver.ts'
import { refuseForeignFile, refuseForeignTables } from './foreign.ts'
import { BUSY_MS } from './open-file.ts'
import { migrateSqlite, SQLITE_MIGRATIONS } from './schema.ts'
import { readError, toSqliteError } from './sqlite-error.ts'

export interface SqliteReader {
  db: Database
  close(): void
}

/**
 * Opens a ledger's file for reading. It creates and changes nothing in the file's folder, so that read access is
 * enough. If the file cannot be read in place, it opens a temporary copy. Throws HYD_LEDGER_SQLITE_MISSING,
 * HYD_LEDGER_UNREADABLE, HYD_LEDGER_FOREIGN, HYD_LEDGER_NEWER, HYD_LEDGER_DAMAGED and HYD_LEDGER_FAILED.
 */
export async function openSqliteReader(file: string): Promise<SqliteReader> {
  refuseForeignFile(file)
  const driver = await loadDriver(file)
  try {
    // Without a write-ahead log no process has the file open. SQLite would create a log and leave it there.
    const inPlace = existsSync(logOf(file)) ? openInPlace(driver, file) : null
    return inPlace ?? openCopy(driver, file)
  } catch (error) {
    throw toReadError(file, error)
  }
}

/**
 * The codes of a file that cannot be read in place: its format is an earlier one and has to be migrated, or a killed
 * process has left a write-ahead log whose index is missing or not readable.
 */
const NOT_IN_PLACE = /^SQLITE_(?:READONLY|CANTOPEN)/

function openInPlace(driver: Driver, file: string): SqliteReader | null {
  let db: Database | null = null
  try {
    const reader = driver.open(file, { readOnly: true, timeout: BUSY_MS })
    db = reader
    refuseForeignTables(reader, file)
    migrateSqlite(reader, SQLITE_MIGRATIONS, file)
    return { db: reader, close: () => void reader.close() }
  } catch (error) {
    db?.close()
    if (NOT_IN_PLACE.test(readError(error).code)) return null
    throw error
  }
}

function openCopy(driver: Driver, file: string): SqliteReader {
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-ledger-'))
  const copy = join(folder, 'copy.db')
  let db: Database | undefined
  const close = () => {
    db?.close()
    removeCopy(folder, copy)
  }
  try {
    copyFileSync(file, copy)
    if (existsSync(logOf(file))) copyFileSync(logOf(file), logOf(copy))
    db = driver.open(copy)
    refuseForeignTables(db, file)
    migrateSqlite(db, SQLITE_MIGRATIONS, file)
    return { db, close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Removes the copy. Windows removes no open file, and the driver for Node.js 20 keeps a closed database open until its
 * statements are collected. There the files stay in the temporary folder, but empty.
 */
function removeCopy(folder: string, copy: string) {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // SQLite itself removes the third file, the index of the log, when the process ends.
    for (const path of [copy, logOf(copy)]) if (existsSync(path)) truncateSync(path)
  }
}

function logOf(file: string): string {
  return `${file}-wal`
}

function toReadError(file: string, error: unknown) {
  const { code, message } = readError(error)
  if (code === 'HYD_LEDGER_NEWER' || code === 'HYD_LEDGER_FOREIGN') return error
  if (/^E[A-Z]+$/.test(code)) return createHydrantError('HYD_LEDGER_UNREADABLE', [file, message], error)
  return toSqliteError(file, error)
}
