import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createHydrantError, type HydrantError, showValue } from '../../errors/hydrant-error.ts'
import { REMOVE } from '../../util/paths.ts'
import { hasCode } from '../../util/unknown-values.ts'
import { DEV_LEDGER } from '../ledger.ts'
import { type Database, type Driver, loadDriver, readError, toSqliteError } from './database.ts'

/** The migrations, counted in `user_version`. A published migration must never change. */
export const SQLITE_MIGRATIONS: readonly string[] = [
  `CREATE TABLE causes (
    cause TEXT PRIMARY KEY,
    side TEXT NOT NULL,
    phase TEXT NOT NULL,
    type TEXT NOT NULL,
    message TEXT NOT NULL,
    count INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    first_release TEXT NOT NULL,
    last_release TEXT NOT NULL,
    route TEXT,
    source TEXT,
    solved_at INTEGER,
    search TEXT NOT NULL,
    error TEXT NOT NULL
  );
  CREATE INDEX causes_by_last_seen ON causes (last_seen DESC, cause);
  CREATE TABLE occurrences (
    id INTEGER PRIMARY KEY,
    cause TEXT NOT NULL REFERENCES causes ON DELETE CASCADE,
    digest TEXT NOT NULL,
    time INTEGER NOT NULL,
    route TEXT,
    is_recovered INTEGER NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX occurrences_by_cause ON occurrences (cause, time, route);
  CREATE INDEX occurrences_by_time ON occurrences (time);
  CREATE TABLE hours (
    cause TEXT NOT NULL REFERENCES causes ON DELETE CASCADE,
    hour INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (cause, hour)
  ) WITHOUT ROWID;
  CREATE INDEX hours_by_hour ON hours (hour);
  CREATE TABLE releases (
    release TEXT PRIMARY KEY,
    first_met INTEGER NOT NULL
  ) WITHOUT ROWID;`,
  // Makes the first character of fingerprints say the side: see fingerprintOfSide in src/shared/wire/digest-format.ts.
  // The digests of occurrences do not change, because visitors have read them.
  `CREATE TEMP TABLE renamed AS
    SELECT cause AS old, substr('GHJKMNPQRSTVWXYZ0123456789ABCDEF', place, 1) || substr(cause, 2) AS new
    FROM (SELECT cause, side, instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(cause, 1, 1)) AS place FROM causes)
    WHERE place > 0 AND (place > 16) <> (side = 'client');
  DELETE FROM renamed WHERE new IN (SELECT cause FROM causes);
  INSERT INTO causes (cause, side, phase, type, message, count, first_seen, last_seen, first_release, last_release, route,
      source, solved_at, search, error)
    SELECT new, side, phase, type, message, count, first_seen, last_seen, first_release, last_release, route,
      source, solved_at, lower(new) || substr(search, length(old) + 1), error
    FROM causes JOIN renamed ON cause = old;
  UPDATE occurrences SET cause = (SELECT new FROM renamed WHERE old = cause) WHERE cause IN (SELECT old FROM renamed);
  UPDATE hours SET cause = (SELECT new FROM renamed WHERE old = cause) WHERE cause IN (SELECT old FROM renamed);
  DELETE FROM causes WHERE cause IN (SELECT old FROM renamed);
  DROP TABLE renamed;`,
  // Also records when builds were first seen, because a release may be built several times. The release of existing
  // occurrences is not filled in: for many of them it would take long, and they are the first to be removed.
  `ALTER TABLE releases ADD COLUMN is_build INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE causes ADD COLUMN last_build TEXT;
  ALTER TABLE occurrences ADD COLUMN release TEXT;
  CREATE INDEX occurrences_by_release ON occurrences (cause, release);
  DROP INDEX IF EXISTS causes_by_last_seen;
  CREATE INDEX causes_by_last_seen ON causes (last_seen DESC, cause, side);`,
  // Renames causes to failures, because an error has a `cause` of its own. SQLite renames a table in foreign keys, too,
  // but it cannot rename an index.
  `ALTER TABLE causes RENAME TO failures;
  ALTER TABLE failures RENAME COLUMN cause TO fingerprint;
  ALTER TABLE occurrences RENAME COLUMN cause TO fingerprint;
  ALTER TABLE hours RENAME COLUMN cause TO fingerprint;
  DROP INDEX IF EXISTS causes_by_last_seen;
  CREATE INDEX failures_by_last_seen ON failures (last_seen DESC, fingerprint, side);
  DROP INDEX IF EXISTS occurrences_by_cause;
  CREATE INDEX occurrences_by_fingerprint ON occurrences (fingerprint, time, route);`,
  // Times of requests: see times.ts. The key begins with the slot, in whose order rows are read and removed.
  `CREATE TABLE times (
    slot INTEGER NOT NULL,
    writer TEXT NOT NULL,
    route TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    count REAL NOT NULL,
    sum_ms REAL NOT NULL,
    max_ms REAL NOT NULL,
    blocked_ms REAL NOT NULL,
    bytes REAL NOT NULL,
    max_bytes REAL NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (slot, writer, route, kind, subject)
  ) WITHOUT ROWID;
  CREATE TABLE slow_requests (
    id TEXT PRIMARY KEY,
    time REAL NOT NULL,
    slot INTEGER NOT NULL,
    route TEXT NOT NULL,
    duration_ms REAL NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX slow_requests_by_slot ON slow_requests (slot, duration_ms, route, id);`,
]

/** Migrates a file to the newest version and marks it as a ledger, in one transaction. Throws HYD_LEDGER_NEWER. */
export function migrateSqlite(db: Database, migrations: readonly string[], file: string) {
  refuseNewer(db, migrations, file)
  const version = () => readVersion(db)
  if (version() === migrations.length && isMarked(db)) return
  const migrate = db.transaction(() => {
    // Reads the version again, because another process may have migrated the file.
    for (const migration of migrations.slice(version())) db.exec(migration)
    db.pragma(`user_version = ${migrations.length}`)
    db.pragma(`application_id = ${APPLICATION_ID}`)
  })
  migrate.immediate()
}

/** Throws HYD_LEDGER_NEWER for a file of a later version than that of `migrations`. */
export function refuseNewer(db: Database, migrations: readonly string[], file: string) {
  const version = readVersion(db)
  if (version > migrations.length) throw createHydrantError('HYD_LEDGER_NEWER', [file, version, migrations.length])
}

function readVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

/** The `application_id` of ledgers: "Hydr" in ASCII. Ledgers of older versions have 0. */
const APPLICATION_ID = 0x48796472

/** What the first bytes of an SQLite database are. */
const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const APPLICATION_ID_AT = 68

/** Names that only ledgers have: the default, and that of `hydrant dev`. */
const OWN_NAMES = ['hydrant-errors.db', DEV_LEDGER]
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
function isMarked(db: Database): boolean {
  return Number(db.pragma('application_id', { simple: true })) === APPLICATION_ID
}

/** Throws HYD_LEDGER_FOREIGN if a database has tables that are not those of a ledger. */
function refuseForeignTables(db: Database, file: string): void {
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

/** Rejects with HYD_LEDGER_FOREIGN for another program's file. Loads the driver only for an unknown file. */
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

/** How long a write waits for the write of another process. */
const BUSY_MS = 2_000
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

/** A ledger's file that is open for reading. */
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

/** The codes of a file with an earlier format, or with a write-ahead log that a killed process left without index. */
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
    rmSync(folder, REMOVE)
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
