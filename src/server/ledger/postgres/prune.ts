import type { PoolClient } from 'pg'
import { hourOf } from '../entries.ts'
import { LEAST_PLACES, type LedgerLimits } from '../ledger.ts'

/** The key of the advisory lock for pruning: any number that no other program uses. */
const LOCK = 4_870_114_202

/** The most failures that a batch removes, in addition to the number of its entries. */
const MAX_FAILURES = 50
const MAX_ROWS = 1_000

// First the browsers' failures that outnumber the server's, then the failures of a throw site that exceed its share.
// Clients can cause both at will, with reports and with messages that vary; they must not displace other failures.
// `SKIP LOCKED` leaves rows that another server is writing for the next time, which prevents deadlocks.
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
// Whether a failure is reopened depends on when its last release and its last build were first seen.
const RELEASES = `
  DELETE FROM hydrant_releases WHERE release IN (
    SELECT release FROM hydrant_releases
    WHERE first_met < $1 AND release NOT IN (SELECT last_release FROM hydrant_failures)
      AND release NOT IN (SELECT last_build FROM hydrant_failures WHERE last_build IS NOT NULL)
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )`

// A server whose commit got no response writes the batch again as soon as PostgreSQL is reachable.
const BATCHES = `
  DELETE FROM hydrant_batches WHERE id IN (
    SELECT id FROM hydrant_batches WHERE written_at < now() - interval '1 hour' LIMIT $1 FOR UPDATE SKIP LOCKED
  )`

/**
 * Removes a part of what exceeds the limits, after a batch with this number of entries. One server does so at a time.
 */
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
