import type { PoolClient } from 'pg'
import { hourOf } from '../entries.ts'
import { LEAST_PLACES, type LedgerLimits } from '../ledger.ts'

/** Names the lock of the one that removes; any number that no other program would take. */
const LOCK = 4_870_114_202

/** The most failures that a batch removes, besides as many as it brings. */
const MAX_FAILURES = 50
const MAX_ROWS = 1_000

// First go those of browsers that are more than those of the server, then those of one place that are more than its share:
// what anybody can report, or put into a message, pushes out nothing else.
// What another server writes just now is left for the next time: who removes waits for nobody that could wait for it.
const FAILURES = `
  DELETE FROM hydrant_failures WHERE fingerprint IN (
    SELECT f.fingerprint FROM hydrant_failures f JOIN (
      SELECT fingerprint, row_number() OVER last_to_go AS place, sum(bytes) OVER last_to_go AS total
      FROM (
        SELECT fingerprint, bytes, last_seen, CASE
          WHEN side = 'client' AND row_number() OVER (PARTITION BY side ORDER BY last_seen DESC, fingerprint)
            > count(*) FILTER (WHERE side = 'server') OVER () THEN 2
          WHEN row_number() OVER (PARTITION BY side, type, source ORDER BY last_seen DESC, fingerprint)
            > count(*) OVER () / ${LEAST_PLACES} THEN 1
          ELSE 0 END AS turn
        FROM hydrant_failures
      ) turns WINDOW last_to_go AS (ORDER BY turn, last_seen DESC, fingerprint)
    ) ranked ON ranked.fingerprint = f.fingerprint
    WHERE f.last_seen < $1 OR (ranked.place > 1 AND (ranked.place > $2 OR ranked.total > $3))
    ORDER BY ranked.place DESC LIMIT $4 FOR UPDATE OF f SKIP LOCKED
  )`
const OCCURRENCES = `
  DELETE FROM hydrant_occurrences WHERE id IN (
    SELECT id FROM hydrant_occurrences WHERE time < $1 ORDER BY time LIMIT $2 FOR UPDATE SKIP LOCKED
  )`
const HOURS = `
  DELETE FROM hydrant_hours WHERE (fingerprint, hour) IN (
    SELECT fingerprint, hour FROM hydrant_hours WHERE hour < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  )`
// One that was the last to fail in a release, or in a build, still needs to know when that was met.
const RELEASES = `
  DELETE FROM hydrant_releases WHERE release IN (
    SELECT release FROM hydrant_releases
    WHERE first_met < $1 AND release NOT IN (SELECT last_release FROM hydrant_failures)
      AND release NOT IN (SELECT last_build FROM hydrant_failures WHERE last_build IS NOT NULL)
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )`

// Who has lost the answer to a commit asks again as soon as the server can be reached.
const BATCHES = `
  DELETE FROM hydrant_batches WHERE id IN (
    SELECT id FROM hydrant_batches WHERE written_at < now() - interval '1 hour' LIMIT $1 FOR UPDATE SKIP LOCKED
  )`

/** Removes what is beyond the limits, behind a batch of so many entries; one server at a time. */
export async function prunePostgres(client: PoolClient, entries: number, limits: LedgerLimits): Promise<void> {
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [LOCK])
  if (!rows[0]?.mine) return
  const oldest = Date.now() - limits.maxAgeMs
  await client.query(FAILURES, [oldest, limits.maxFailures, limits.maxBytes, entries + MAX_FAILURES])
  await client.query(OCCURRENCES, [oldest, MAX_ROWS])
  await client.query(HOURS, [hourOf(oldest), MAX_ROWS])
  await client.query(RELEASES, [oldest, MAX_ROWS])
  await client.query(BATCHES, [MAX_ROWS])
}
