import type { Database } from 'better-sqlite3'
import { hourOf } from './gather.ts'
import type { LedgerLimits } from './ledger.ts'

/** What one batch removes at the most, beside as many causes as it has brought: nobody waits for more. */
const MAX_CAUSES = 50
const MAX_ROWS = 1_000
/** Free pages are used again; more than these are given back, so many at once. */
const MAX_FREE_PAGES = 500

export interface SqlitePruner {
  /** Removes what is beyond the limits, within the transaction of a batch of so many entries. */
  prune(entries: number): void
  /** Gives back to the system what is free, outside of any transaction. */
  shrink(): void
}

export function createSqlitePruner(db: Database, limits: LedgerLimits): SqlitePruner {
  const oldOccurrences = db.prepare(
    'DELETE FROM occurrences WHERE id IN (SELECT id FROM occurrences WHERE time < ? LIMIT ?)',
  )
  const oldHours = db.prepare(
    'DELETE FROM hours WHERE (cause, hour) IN (SELECT cause, hour FROM hours WHERE hour < ? LIMIT ?)',
  )
  // One that was the last to fail in a release still needs to know when that was met.
  const oldReleases = db.prepare(
    `DELETE FROM releases WHERE release IN (
      SELECT release FROM releases
      WHERE first_met < ? AND release NOT IN (SELECT last_release FROM causes) LIMIT ?
    )`,
  )
  const oldCauses = db.prepare(
    'DELETE FROM causes WHERE cause IN (SELECT cause FROM causes WHERE last_seen < ? ORDER BY last_seen LIMIT ?)',
  )
  const oldestCauses = db.prepare(
    'DELETE FROM causes WHERE cause IN (SELECT cause FROM causes ORDER BY last_seen LIMIT ?)',
  )
  const count = db.prepare<[], number>('SELECT count(*) FROM causes').pluck()
  const countCauses = () => count.get() ?? 0

  return {
    prune(entries) {
      const maxCauses = entries + MAX_CAUSES
      const oldest = Date.now() - limits.maxAgeMs
      oldOccurrences.run(oldest, MAX_ROWS)
      oldHours.run(hourOf(oldest), MAX_ROWS)
      oldReleases.run(oldest, MAX_ROWS)
      oldCauses.run(oldest, maxCauses)
      const excess = countCauses() - limits.maxCauses
      if (excess > 0) oldestCauses.run(Math.min(excess, maxCauses))
      for (let left = Math.min(maxCauses, countCauses() - 1); left > 0 && usedBytes(db) > limits.maxBytes; left--) {
        oldestCauses.run(1)
      }
    },
    shrink() {
      if (readPragma(db, 'freelist_count') > MAX_FREE_PAGES) db.pragma(`incremental_vacuum(${MAX_FREE_PAGES})`)
    },
  }
}

/** What is stored, without pages that are free. */
export function usedBytes(db: Database): number {
  return (readPragma(db, 'page_count') - readPragma(db, 'freelist_count')) * readPragma(db, 'page_size')
}

function readPragma(db: Database, name: string): number {
  return Number(db.pragma(name, { simple: true }))
}
