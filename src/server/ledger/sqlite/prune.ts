import { hourOf } from '../entries.ts'
import { LEAST_PLACES, type LedgerLimits } from '../ledger.ts'
import type { Database } from './database.ts'

/** The most failures that a batch removes, in addition to the number of its entries: a write must not take long. */
const MAX_FAILURES = 50
const MAX_ROWS = 1_000
/** SQLite reuses free pages. Above this number they are returned to the system, at most this number at a time. */
const MAX_FREE_PAGES = 500

export interface SqlitePruner {
  /** Removes a part of what exceeds the limits, in the transaction of a batch with this number of entries. */
  prune(entries: number): void
  /** Returns free pages to the system. Must be called outside of transactions. */
  shrink(): void
}

export function createSqlitePruner(db: Database, limits: LedgerLimits): SqlitePruner {
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
    prune(entries) {
      const maxRemoved = entries + MAX_FAILURES
      const oldest = Date.now() - limits.maxAgeMs
      oldOccurrences.run(oldest, MAX_ROWS)
      oldHours.run(hourOf(oldest), MAX_ROWS)
      oldReleases.run(oldest, MAX_ROWS)
      oldFailures.run(oldest, maxRemoved)
      const failures = countFailures()
      let excess = failures - limits.maxFailures
      const isTooMuch = () => excess > 0 || usedBytes(db) > limits.maxBytes
      if (!isTooMuch()) return
      for (const fingerprint of firstToGo.all(Math.min(maxRemoved, failures - 1))) {
        if (!isTooMuch()) return
        remove.run(fingerprint)
        excess--
      }
    },
    shrink() {
      if (readPragma(db, 'freelist_count') > MAX_FREE_PAGES) db.pragma(`incremental_vacuum(${MAX_FREE_PAGES})`)
    },
  }
}

/** Returns the size of the database without its free pages. */
export function usedBytes(db: Database): number {
  return (readPragma(db, 'page_count') - readPragma(db, 'freelist_count')) * readPragma(db, 'page_size')
}

function readPragma(db: Database, name: string): number {
  return Number(db.pragma(name, { simple: true }))
}
