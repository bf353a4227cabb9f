import type { KeptError } from '../../errors/failure-record.ts'
import { fingerprintOfDigest } from '../entries.ts'
import {
  DEFAULT_OCCURRENCES,
  type Ledger,
  type LedgerEntry,
  type LedgerLimits,
  type ListQuery,
  MAX_RELEASES,
  type ReadQuery,
} from '../ledger.ts'
import {
  type FailureRow,
  fromFailureRow,
  fromOccurrenceRow,
  listSql,
  type OccurrenceRow,
  SUMMARY_COLUMNS,
} from '../rows.ts'
import type { Database } from './database.ts'
import { openSqliteFile } from './open-file.ts'
import { openSqliteReader } from './open-reader.ts'
import { createSqlitePruner, usedBytes } from './prune.ts'
import { refuseNewer, SQLITE_MIGRATIONS } from './schema.ts'
import { readError, toSqliteError } from './sqlite-error.ts'
import { storable } from './storable.ts'
import { createSqliteWriter } from './write.ts'

const DIALECT = { prefix: '', position: 'instr' }

/**
 * Opens a ledger in a file, in this thread: each call blocks it. Throws the errors of `openSqliteFile`. The ledger's
 * methods reject with HYD_LEDGER_DAMAGED, HYD_LEDGER_NEWER and HYD_LEDGER_FAILED.
 */
export async function openSqliteLedger(file: string, limits: LedgerLimits): Promise<Ledger> {
  const db = await openSqliteFile(file)
  return createSqliteLedger(db, file, limits, () => {
    if (db.isOpen) db.close()
  })
}

/** Opens a ledger in a file for reading only, in this thread. Throws the errors of `openSqliteReader`. */
export async function readSqliteLedger(file: string, limits: LedgerLimits): Promise<Ledger> {
  const { db, close } = await openSqliteReader(file)
  return createSqliteLedger(db, file, limits, close)
}

function createSqliteLedger(db: Database, file: string, limits: LedgerLimits, close: () => void): Ledger {
  const writeEntry = createSqliteWriter(db, limits.maxOccurrences)
  const pruner = createSqlitePruner(db, limits)
  const write = db.transaction((entries: readonly LedgerEntry[]) => {
    for (const entry of entries) writeEntry(entry)
    pruner.prune(entries.length)
  })
  const details = db.prepare<[string], FailureRow & { error: string }>(
    `SELECT ${SUMMARY_COLUMNS}, error FROM failures WHERE fingerprint = ?`,
  )
  const occurrences = db.prepare<[string, string, number], OccurrenceRow>(
    `SELECT data, is_recovered FROM occurrences
    WHERE fingerprint = ? ORDER BY substr(digest, length(fingerprint) + 2) = ? DESC, time DESC, id DESC LIMIT ?`,
  )
  const fingerprints = db.prepare<[], string>('SELECT fingerprint FROM failures').pluck()
  const releases = db
    .prepare<[number], string>(
      'SELECT release FROM releases WHERE is_build = 0 ORDER BY first_met DESC, release LIMIT ?',
    )
    .pluck()
  const hours = db.prepare<[number], { fingerprint: string; hour: number; count: number }>(
    'SELECT fingerprint, hour, count FROM hours WHERE hour >= ?',
  )
  const recover = db.prepare('UPDATE occurrences SET is_recovered = 1 WHERE fingerprint = ? AND digest = ?')
  const solve = db.prepare('UPDATE failures SET solved_at = ? WHERE fingerprint = ?')
  const counts = db.prepare<[], { failures: number; occurrences: number }>(
    'SELECT (SELECT count(*) FROM failures) AS failures, (SELECT count(*) FROM occurrences) AS occurrences',
  )

  async function run<T>(work: () => T): Promise<T> {
    try {
      return work()
    } catch (error) {
      // The prepared statements fail after a newer version has migrated the tables.
      if (readError(error).code === 'SQLITE_ERROR') refuseNewer(db, SQLITE_MIGRATIONS, file)
      throw toSqliteError(file, error)
    }
  }

  function read(fingerprint: string, { limit = DEFAULT_OCCURRENCES, occurrence = '' }: ReadQuery = {}) {
    const row = details.get(fingerprint)
    if (!row) return null
    const found = occurrences.all(fingerprint, occurrence, limit).map(fromOccurrenceRow)
    // `toFailureRow` wrote it.
    return { ...fromFailureRow(row), error: JSON.parse(row.error) as KeptError, occurrences: found }
  }

  return {
    record: (entries) =>
      run(() => {
        write.immediate(entries)
        pruner.shrink()
        return 'stored'
      }),
    list: (query) => run(() => list(db, query)),
    read: (fingerprint, query) => run(() => db.transaction(() => read(fingerprint, query))()),
    fingerprints: () => run(() => fingerprints.all()),
    releases: () => run(() => releases.all(MAX_RELEASES)),
    hours: (sinceHour) =>
      // The driver's rows have no prototype.
      run(() => hours.all(sinceHour).map((row) => ({ ...row }))),
    markRecovered: (digest) => run(() => recover.run(fingerprintOfDigest(digest), digest).changes > 0),
    setSolved: (fingerprint, at) => run(() => solve.run(at, fingerprint).changes > 0),
    stats: () => run(() => ({ failures: 0, occurrences: 0, ...counts.get(), bytes: usedBytes(db) })),
    close: () => run(close),
  }
}

function list(db: Database, query: ListQuery) {
  const { sql, values } = listSql(query, DIALECT)
  // SQLite reads `$1` as a parameter with the name 1.
  const named = Object.fromEntries(
    values.map((value, index) => [index + 1, typeof value === 'string' ? storable(value) : value]),
  )
  return db.prepare<[Record<string, string | number>], FailureRow>(sql).all(named).map(fromFailureRow)
}
