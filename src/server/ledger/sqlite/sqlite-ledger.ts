import type { Occurrence } from '../../errors/failure-record.ts'
import { fingerprintOfDigest, hourOf, type LedgerEntry } from '../entries.ts'
import {
  DEFAULT_OCCURRENCES,
  LEAST_PLACES,
  type Ledger,
  type LedgerLimits,
  type ListQuery,
  MAX_RELEASES,
  type ReadQuery,
} from '../ledger.ts'
import {
  addFailuresSql,
  type Column,
  DETAILS_COLUMNS,
  FAILURE_COLUMNS,
  fromDetailsRow,
  fromFailureRow,
  listSql,
  namesOf,
  OCCURRENCE_ROW,
  type OccurrenceRow,
  type Row,
  toFailureRow,
  toOccurrenceRow,
} from '../rows.ts'
import { addTimes, compareRequests, oldestOf, type ReadTimes, type SlowRequest, type TimesBatch } from '../times.ts'
import {
  fromRequestRow,
  fromTimesRow,
  REQUEST_ROW,
  TIMES_ROW,
  type TimesRow,
  timesSql,
  toRequestKey,
  toRequestRows,
  toTimesRows,
} from '../times-rows.ts'
import { type Database, readError, storable, toSqliteError } from './database.ts'
import { openSqliteFile, openSqliteReader, refuseNewer, SQLITE_MIGRATIONS } from './open-file.ts'

const DIALECT = { prefix: '', position: 'instr', least: 'min', greatest: 'max' }

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

/** Creates a ledger of an open file. */
export function createSqliteLedger(db: Database, file: string, limits: LedgerLimits, close: () => void): Ledger {
  const writeEntry = createSqliteWriter(db, limits.maxOccurrences)
  const times = createSqliteTimes(db)
  const pruner = createSqlitePruner(db, limits, times.countBytes)
  const write = db.transaction((entries: readonly LedgerEntry[]) => {
    for (const entry of entries) writeEntry(entry)
    pruner.prune(entries.length)
  })
  const writeTimes = db.transaction((batch: TimesBatch) => times.record(batch))
  const details = db.prepare<[string], Row>(`SELECT ${DETAILS_COLUMNS} FROM failures WHERE fingerprint = ?`)
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
    return row ? fromDetailsRow(row, occurrences.all(fingerprint, occurrence, limit)) : null
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
    recordTimes: (batch) =>
      run(() => {
        writeTimes.immediate(batch)
        pruner.shrink()
      }),
    times: (sinceSlot) => run(() => db.transaction(() => times.read(sinceSlot))()),
    slowRequest: (id) => run(() => times.readRequest(id)),
    close: () => run(close),
  }
}

function list(db: Database, query: ListQuery) {
  const { sql, values } = listSql(query, DIALECT)
  // SQLite reads `$1` as a parameter with the name 1.
  const named = Object.fromEntries(values.map((value, index) => [index + 1, toSqlite(value)]))
  return db.prepare<[typeof named], Row>(sql).all(named).map(fromFailureRow)
}

/** Returns a value that the driver can pass to SQLite, which has no booleans. */
function toSqlite(value: Row[string] = null): string | number | null {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? storable(value) : value
}

/** Returns a function that writes one entry of a batch. It must be called in a transaction. */
function createSqliteWriter(db: Database, maxOccurrences: number): (entry: LedgerEntry) => void {
  const places = (columns: readonly unknown[]) => `VALUES (${columns.map(() => '?').join(', ')})`
  const addFailure = db.prepare(addFailuresSql(places(FAILURE_COLUMNS), DIALECT))
  const addOccurrence = db.prepare(`INSERT INTO occurrences (${namesOf(OCCURRENCE_ROW)}) ${places(OCCURRENCE_ROW)}`)
  const addHour = db.prepare(
    `INSERT INTO hours (fingerprint, hour, count) VALUES (?, ?, ?)
    ON CONFLICT (fingerprint, hour) DO UPDATE SET count = count + excluded.count`,
  )
  const addRelease = db.prepare(
    'INSERT INTO releases (release, first_met, is_build) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const reopen = db.prepare(
    `UPDATE failures SET solved_at = NULL
    WHERE fingerprint = ? AND solved_at < (SELECT max(first_met) FROM releases WHERE release IN (?, ?))`,
  )
  const trim = db.prepare(
    `DELETE FROM occurrences WHERE id IN (
      SELECT id FROM occurrences WHERE fingerprint = ? ORDER BY time DESC, id DESC LIMIT -1 OFFSET ?
    )`,
  )

  const sideOf = db.prepare<[string], LedgerEntry['side']>('SELECT side FROM failures WHERE fingerprint = ?').pluck()
  const remove = db.prepare('DELETE FROM failures WHERE fingerprint = ?')

  return (entry) => {
    const { fingerprint, side, hours, occurrences } = entry
    if ((sideOf.get(fingerprint) ?? side) !== side) {
      if (side === 'client') return
      remove.run(fingerprint)
    }
    const row = toFailureRow(entry)
    addFailure.run(...FAILURE_COLUMNS.map(({ name }) => toSqlite(row[name])))
    for (const [hour, count] of Object.entries(hours)) addHour.run(fingerprint, Number(hour), count)
    // Nearly all occurrences of a batch have the same release and build, which are then written once.
    let last: Occurrence | null = null
    for (const occurrence of occurrences) {
      const { release, build = release, time } = occurrence
      if (release !== last?.release || occurrence.build !== last.build) {
        last = occurrence
        addRelease.run(release, time, 0)
        addRelease.run(build, time, 1)
        reopen.run(fingerprint, release, build)
      }
      const row = toOccurrenceRow(fingerprint, occurrence)
      addOccurrence.run(...OCCURRENCE_ROW.map(({ name }) => toSqlite(row[name])))
    }
    trim.run(fingerprint, maxOccurrences)
  }
}

/** The most failures that a batch removes, in addition to the number of its entries: a write must not take long. */
const MAX_FAILURES = 50
const MAX_ROWS = 1_000
/** SQLite reuses free pages. Above this number they are returned to the system, at most this number at a time. */
const MAX_FREE_PAGES = 500

/** `countTimes` returns how many bytes of the file are not those of failures. */
function createSqlitePruner(db: Database, limits: LedgerLimits, countTimes: () => number) {
  const oldOccurrences = db.prepare(
    'DELETE FROM occurrences WHERE id IN (SELECT id FROM occurrences WHERE time < ? LIMIT ?)',
  )
  const oldHours = db.prepare(
    'DELETE FROM hours WHERE (fingerprint, hour) IN (SELECT fingerprint, hour FROM hours WHERE hour < ? LIMIT ?)',
  )
  // Whether a failure is reopened depends on when its last release and its last build were first seen.
  const oldReleases = db.prepare(
    `DELETE FROM releases WHERE release IN (
      SELECT release FROM releases
      WHERE first_met < ? AND release NOT IN (SELECT last_release FROM failures)
        AND release NOT IN (SELECT last_build FROM failures WHERE last_build IS NOT NULL) LIMIT ?
    )`,
  )
  const oldFailures = db.prepare(
    `DELETE FROM failures WHERE fingerprint IN (
      SELECT fingerprint FROM failures WHERE last_seen < ? ORDER BY last_seen LIMIT ?
    )`,
  )
  // First the browsers' failures that outnumber the server's, then the failures of a throw site that exceed its share.
  // Clients can cause both at will, with reports and with messages that vary; they must not displace other failures.
  const firstToGo = db
    .prepare<[number], string>(
      `SELECT fingerprint FROM (
        SELECT fingerprint, last_seen, CASE
          WHEN side = 'client' AND row_number() OVER (PARTITION BY side ORDER BY last_seen DESC)
            > (SELECT count(*) FROM failures WHERE side = 'server') THEN 2
          WHEN row_number() OVER (PARTITION BY side, type, source ORDER BY last_seen DESC)
            > (SELECT count(*) FROM failures) / ${LEAST_PLACES} THEN 1
          ELSE 0 END AS turn
        FROM failures
      ) ORDER BY turn DESC, last_seen LIMIT ?`,
    )
    .pluck()
  const remove = db.prepare('DELETE FROM failures WHERE fingerprint = ?')
  const count = db.prepare<[], number>('SELECT count(*) FROM failures').pluck()
  const countFailures = () => count.get() ?? 0

  return {
    /** Removes a part of what exceeds the limits, in the transaction of a batch with this number of entries. */
    prune(entries: number) {
      const maxRemoved = entries + MAX_FAILURES
      const oldest = Date.now() - limits.maxAgeMs
      oldOccurrences.run(oldest, MAX_ROWS)
      oldHours.run(hourOf(oldest), MAX_ROWS)
      oldReleases.run(oldest, MAX_ROWS)
      oldFailures.run(oldest, maxRemoved)
      const failures = countFailures()
      let excess = failures - limits.maxFailures
      // Times have limits of their own, and must not displace failures.
      const maxBytes = usedBytes(db) > limits.maxBytes ? limits.maxBytes + countTimes() : limits.maxBytes
      const isTooMuch = () => excess > 0 || usedBytes(db) > maxBytes
      if (!isTooMuch()) return
      for (const fingerprint of firstToGo.all(Math.min(maxRemoved, failures - 1))) {
        if (!isTooMuch()) return
        remove.run(fingerprint)
        excess--
      }
    },
    /** Returns free pages to the system, if it can. Must be called outside of transactions. Never throws. */
    shrink() {
      try {
        if (readPragma(db, 'freelist_count') > MAX_FREE_PAGES) db.pragma(`incremental_vacuum(${MAX_FREE_PAGES})`)
      } catch {
        // The batch before is stored: with an error it would be written again. The next one shrinks the file.
      }
    },
  }
}

/** Returns the size of the database without its free pages. */
function usedBytes(db: Database): number {
  return (readPragma(db, 'page_count') - readPragma(db, 'freelist_count')) * readPragma(db, 'page_size')
}

function readPragma(db: Database, name: string): number {
  return Number(db.pragma(name, { simple: true }))
}

const TIMES_SQL = timesSql('')

/** Twice what the rows have: pages are at least half full. The numbers and the index of a row have up to 100 bytes. */
const TIMES_BYTES = `SELECT 2 * (
  (SELECT coalesce(sum(100 + length(CAST(writer || route || subject || counts AS BLOB))), 0) FROM times) +
  (SELECT coalesce(sum(100 + length(CAST(id || route || data AS BLOB))), 0) FROM slow_requests))`

/** Returns functions for the times of a file, in this thread. */
function createSqliteTimes(db: Database) {
  const remove = db.prepare(TIMES_SQL.removeTimes)
  const addStep = db.prepare(TIMES_SQL.addTimes(placesOf(TIMES_ROW)))
  const addRequest = db.prepare(TIMES_SQL.addRequests(placesOf(REQUEST_ROW)))
  const removeOldTimes = db.prepare(TIMES_SQL.removeOldTimes)
  const removeOldRequests = db.prepare(TIMES_SQL.removeOldRequests)
  const removeExcessTimes = db.prepare(TIMES_SQL.removeExcessTimes)
  const removeExcessRequests = db.prepare(TIMES_SQL.removeExcessRequests)
  const times = db.prepare<[object], TimesRow>(TIMES_SQL.times)
  const requests = db.prepare<[object], { data: string }>(TIMES_SQL.requests)
  const oldestSlot = db.prepare<[], number | null>(TIMES_SQL.oldestSlot).pluck()
  const request = db.prepare<[object], { data: string }>(TIMES_SQL.request)
  const bytes = db.prepare<[], number>(TIMES_BYTES).pluck()

  return {
    /** Must be called in a transaction. */
    record(batch: TimesBatch) {
      remove.run({ 1: batch.slot, 2: batch.writer })
      for (const row of toTimesRows(batch)) addStep.run(row)
      for (const row of toRequestRows(batch)) addRequest.run(row)
      const oldest = { 1: oldestOf(batch.slot) }
      removeOldTimes.run(oldest)
      removeOldRequests.run(oldest)
      removeExcessTimes.run()
      removeExcessRequests.run()
    },
    read: (sinceSlot: number): ReadTimes => ({
      steps: addTimes(times.all({ 1: sinceSlot }).map(fromTimesRow)),
      requests: requests.all({ 1: sinceSlot }).map(fromRequestRow).sort(compareRequests),
      oldestSlot: oldestSlot.get() ?? null,
    }),
    readRequest(id: string): SlowRequest | null {
      const row = request.get({ 1: toRequestKey(id) })
      return row ? fromRequestRow(row) : null
    },
    /** Returns at least the size of the pages that the times take. */
    countBytes: () => bytes.get() ?? 0,
  }
}

/** Values that are given by the names of the columns. */
function placesOf(columns: readonly Column[]): string {
  return `VALUES (${columns.map(({ name }) => `$${name}`).join(', ')})`
}
