import type { Occurrence } from '../../errors/failure-record.ts'
import type { LedgerEntry } from '../ledger.ts'
import { toFailureRow, toOccurrenceRow } from '../rows.ts'
import type { Database } from './database.ts'
import { storable } from './storable.ts'

/** Returns a function that writes one entry of a batch. It must be called in a transaction. */
export function createSqliteWriter(db: Database, maxOccurrences: number): (entry: LedgerEntry) => void {
  const addFailure = db.prepare(
    `INSERT INTO failures (fingerprint, side, phase, type, message, count, first_seen, last_seen, first_release,
      last_release, route, source, search, error, last_build)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (fingerprint) DO UPDATE SET
      phase = excluded.phase, type = excluded.type, message = excluded.message,
      count = count + excluded.count,
      first_seen = min(first_seen, excluded.first_seen), last_seen = max(last_seen, excluded.last_seen),
      last_release = excluded.last_release, route = coalesce(excluded.route, route),
      source = excluded.source, search = excluded.search, error = excluded.error,
      last_build = coalesce(excluded.last_build, last_build)`,
  )
  const addOccurrence = db.prepare(
    `INSERT INTO occurrences (fingerprint, digest, time, route, release, is_recovered, data)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
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
    addFailure.run(...toValues(entry))
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
      const { digest, route, data } = row
      // SQLite has no booleans.
      addOccurrence.run(fingerprint, digest, time, route, release, Number(row.is_recovered), data)
    }
    trim.run(fingerprint, maxOccurrences)
  }
}

/** Returns the values of the statement `addFailure`. */
function toValues(entry: LedgerEntry) {
  const row = toFailureRow(entry)
  const { fingerprint, side, phase, type, message, count, route, source, search, error } = row
  return [
    ...[fingerprint, side, phase, storable(type), storable(message), count, row.first_seen, row.last_seen],
    ...[row.first_release, row.last_release, route, source, storable(search), error, row.last_build],
  ]
}
