import type { PoolClient } from 'pg'
import type { LedgerEntry } from '../ledger.ts'
import { toFailureRow, toOccurrenceRow } from '../rows.ts'

// Several servers write at the same time. To prevent deadlocks, each locks rows in the same order: first those of
// releases, then those of failures, both sorted by name. The other rows of a failure are written only while its row is
// locked.

const ADD_RELEASES = `
  INSERT INTO hydrant_releases (release, first_met, is_build)
  SELECT met.release, min(time), bool_and(met.is_build)
  FROM jsonb_to_recordset($1) AS o (release text, build text, time bigint),
    LATERAL (VALUES (o.release, FALSE), (o.build, TRUE)) AS met (release, is_build)
  WHERE met.release IS NOT NULL GROUP BY met.release ORDER BY met.release
  ON CONFLICT DO NOTHING`

const ADD_FAILURES = `
  INSERT INTO hydrant_failures AS f (fingerprint, side, phase, type, message, count, first_seen, last_seen,
    first_release, last_release, route, source, search, error, last_build)
  SELECT fingerprint, side, phase, type, message, count, first_seen, last_seen, first_release,
    last_release, route, source, search, error, last_build
  FROM jsonb_to_recordset($1) AS e (fingerprint text, side text, phase text, type text, message text, count bigint,
    first_seen bigint, last_seen bigint, first_release text, last_release text, route text, source text, search text,
    error text, last_build text)
  ORDER BY fingerprint COLLATE "C"
  ON CONFLICT (fingerprint) DO UPDATE SET
    phase = excluded.phase, type = excluded.type, message = excluded.message,
    count = f.count + excluded.count,
    first_seen = least(f.first_seen, excluded.first_seen), last_seen = greatest(f.last_seen, excluded.last_seen),
    last_release = excluded.last_release, route = coalesce(excluded.route, f.route),
    source = excluded.source, search = excluded.search, error = excluded.error,
    last_build = coalesce(excluded.last_build, f.last_build)
  WHERE f.side = excluded.side`

const ADD_OCCURRENCES = `
  INSERT INTO hydrant_occurrences (fingerprint, digest, time, route, release, is_recovered, data)
  SELECT fingerprint, digest, time, route, release, is_recovered, data
  FROM ROWS FROM (jsonb_to_recordset($1) AS (fingerprint text, digest text, time bigint, route text, release text,
    is_recovered boolean, data text)) WITH ORDINALITY
    AS o (fingerprint, digest, time, route, release, is_recovered, data, place)
  ORDER BY place`

const ADD_HOURS = `
  INSERT INTO hydrant_hours AS h (fingerprint, hour, count)
  SELECT fingerprint, hour, count FROM jsonb_to_recordset($1) AS e (fingerprint text, hour bigint, count bigint)
  ON CONFLICT (fingerprint, hour) DO UPDATE SET count = h.count + excluded.count`

const REOPEN = `
  UPDATE hydrant_failures f SET solved_at = NULL
  FROM jsonb_to_recordset($1) AS o (fingerprint text, release text, build text)
    JOIN hydrant_releases r ON r.release IN (o.release, o.build)
  WHERE f.fingerprint = o.fingerprint AND f.solved_at < r.first_met`

const SIDES = 'SELECT fingerprint, side FROM hydrant_failures WHERE fingerprint = ANY ($1)'

const REMOVE = `
  DELETE FROM hydrant_failures WHERE fingerprint IN (
    SELECT fingerprint FROM hydrant_failures WHERE fingerprint = ANY ($1) AND side = 'client'
    ORDER BY fingerprint COLLATE "C" FOR UPDATE
  )`

const TRIM = `
  DELETE FROM hydrant_occurrences o
  USING (
    SELECT id, row_number() OVER (PARTITION BY fingerprint ORDER BY time DESC, id DESC) AS place
    FROM hydrant_occurrences WHERE fingerprint = ANY ($1)
  ) ranked
  WHERE o.id = ranked.id AND ranked.place > $2`

const MEASURE = `
  UPDATE hydrant_failures f SET bytes = octet_length(f.error) + octet_length(f.search) +
    coalesce((SELECT sum(octet_length(o.data)) FROM hydrant_occurrences o WHERE o.fingerprint = f.fingerprint), 0)
  WHERE f.fingerprint = ANY ($1)`

/**
 * Returns false if the batch with this id has been written already, because the response to its commit was lost. Waits
 * for a transaction that is writing it.
 */
export async function claimBatch(client: PoolClient, id: string): Promise<boolean> {
  const sql = 'INSERT INTO hydrant_batches (id) VALUES ($1) ON CONFLICT DO NOTHING'
  return (await client.query(sql, [id])).rowCount === 1
}

/** Writes a batch. Must be called in a transaction. */
export async function writeEntries(client: PoolClient, batch: readonly LedgerEntry[], maxOccurrences: number) {
  const releases = batch.flatMap(({ occurrences }) =>
    occurrences.map(({ release, build, time }) => ({ release, build, time })),
  )
  await client.query(ADD_RELEASES, [toJson(releases)])
  const entries = await resolveSides(client, batch)
  const fingerprints = entries.map(({ fingerprint }) => fingerprint)
  const occurrences = entries.flatMap((entry) =>
    entry.occurrences.map((one) => toOccurrenceRow(entry.fingerprint, one)),
  )
  const hours = entries.flatMap(({ fingerprint, hours }) =>
    Object.entries(hours).map(([hour, count]) => ({ fingerprint, hour: Number(hour), count })),
  )
  await client.query(ADD_FAILURES, [toJson(entries.map(toFailureRow))])
  await client.query(ADD_OCCURRENCES, [toJson(occurrences)])
  await client.query(ADD_HOURS, [toJson(hours)])
  await client.query(REOPEN, [toJson(occurrences)])
  await client.query(TRIM, [fingerprints, maxOccurrences])
  await client.query(MEASURE, [fingerprints])
}

type Sided = Pick<LedgerEntry, 'fingerprint' | 'side'>

/**
 * Returns the batch without the browsers' entries whose fingerprint a failure of the server has, and removes such
 * failures of browsers.
 */
async function resolveSides(client: PoolClient, batch: readonly LedgerEntry[]): Promise<readonly LedgerEntry[]> {
  const { rows } = await client.query<Sided>(SIDES, [batch.map(({ fingerprint }) => fingerprint)])
  const fingerprintsOf = (entries: readonly Sided[], side: LedgerEntry['side']) =>
    new Set(entries.flatMap((entry) => (entry.side === side ? [entry.fingerprint] : [])))
  const serverFingerprints = fingerprintsOf([...rows, ...batch], 'server')
  const toRemove = [...fingerprintsOf(rows, 'client')].filter((fingerprint) => serverFingerprints.has(fingerprint))
  if (toRemove.length > 0) await client.query(REMOVE, [toRemove])
  return batch.filter(({ fingerprint, side }) => side === 'server' || !serverFingerprints.has(fingerprint))
}

/** Returns JSON without the characters that PostgreSQL's texts cannot contain: NUL and lone surrogates. */
export function toJson(value: unknown): string {
  // Matches escaped backslashes first, so that `\\u0000` in JSON, which is a backslash and the text u0000, does not
  // change.
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  )
}
