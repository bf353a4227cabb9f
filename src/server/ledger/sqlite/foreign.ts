import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { createHydrantError, showValue } from '../../errors/hydrant-error.ts'
import { hasCode } from '../../util/message-of.ts'
import type { Database } from './database.ts'
import { loadDriver } from './driver.ts'

/** The `application_id` of ledgers: "Hydr" in ASCII. Ledgers of older versions have 0. */
export const APPLICATION_ID = 0x48796472

/** What the first bytes of an SQLite database are. */
const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const APPLICATION_ID_AT = 68

/** Names that only ledgers have: the default, and that of `hydrant dev`. */
const OWN_NAMES = ['hydrant-errors.db', '.hydrant-dev-errors.db']
/** The tables of all formats, and the names that the table of failures had. */
const TABLES = ['occurrences', 'hours', 'releases']
const FAILURE_TABLES = ['failures', 'causes']
const SHOWN_TABLES = 3

/**
 * Throws HYD_LEDGER_FOREIGN for a folder, and if a file has contents and never was an SQLite database. A file whose
 * first bytes are damaged looks the same: it counts as a ledger if its name is one of a ledger, or if files of SQLite
 * are beside it.
 */
export function refuseForeignFile(file: string): void {
  if (isFolder(file)) throw foreign(file, 'it is a folder')
  const header = readHeader(file)
  if (!header || header.toString('latin1', 0, MAGIC.length) === MAGIC || isNamedLikeLedger(file)) return
  throw foreign(file, 'it is not an SQLite database')
}

/** Returns whether the first bytes of a database say that it is a ledger. */
export function isMarked(db: Database): boolean {
  return Number(db.pragma('application_id', { simple: true })) === APPLICATION_ID
}

/** Throws HYD_LEDGER_FOREIGN if a database has tables that are not those of a ledger. */
export function refuseForeignTables(db: Database, file: string): void {
  if (isMarked(db)) return
  const names = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .pluck()
    .all()
  const hasTable = (name: string) => names.includes(name)
  const isLedger = TABLES.every(hasTable) && FAILURE_TABLES.some(hasTable)
  if (names.length === 0 || isLedger) return
  const shown = names.slice(0, SHOWN_TABLES).map(showValue)
  throw foreign(file, `it is an SQLite database with other tables, like ${shown.join(', ')}`)
}

/**
 * Rejects with HYD_LEDGER_FOREIGN for the file of another program. All other problems are left to those who open the
 * ledger. Loads the driver only for a file that is not known to be a ledger.
 */
export async function refuseForeignLedger(file: string): Promise<void> {
  refuseForeignFile(file)
  const header = readHeader(file)
  if (!header || (header.length === HEADER_BYTES && header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID)) return
  let db: Database | null = null
  try {
    const driver = await loadDriver(file)
    // Without a write-ahead log, a reader would create one and leave it there.
    db = driver.open(file, { readOnly: existsSync(`${file}-wal`) })
    refuseForeignTables(db, file)
  } catch (error) {
    if (hasCode(error, 'HYD_LEDGER_FOREIGN')) throw error
  } finally {
    db?.close()
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // The path may lead through a file, or through a folder that this user may not enter.
    return false
  }
}

function isNamedLikeLedger(file: string): boolean {
  return OWN_NAMES.includes(basename(file)) || ['-wal', '-shm'].some((suffix) => existsSync(file + suffix))
}

/** Returns the first bytes of a file; null if it is empty, is not a regular file or cannot be read. */
function readHeader(file: string): Buffer | null {
  let opened: number | null = null
  try {
    // Opening a pipe would wait for its other end.
    if (!statSync(file).isFile()) return null
    opened = openSync(file, 'r')
    const buffer = Buffer.alloc(HEADER_BYTES)
    const count = readSync(opened, buffer)
    return count === 0 ? null : buffer.subarray(0, count)
  } catch {
    return null
  } finally {
    if (opened !== null) closeSync(opened)
  }
}

function foreign(file: string, reason: string) {
  return createHydrantError('HYD_LEDGER_FOREIGN', [file, reason])
}
