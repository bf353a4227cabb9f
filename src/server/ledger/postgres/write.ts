import type { PoolClient } from 'pg'
import type { LedgerEntry } from '../ledger.ts'
import { toCauseRow, toOccurrenceRow } from '../rows.ts'

// Several servers write at once. Each takes the locks of rows in the same order, first those of releases, then those of
// causes, both sorted by name: so one waits for another, and never two for each other. What belongs to a cause is only
// written under that cause's lock.

const ADD_RELEASES = `
  INSERT INTO hydrant_releases (release, first_met, is_build)
  SELECT met.release, min(time), bool_and(met.is_build)
  FROM jsonb_to_recordset($1) AS o (release text, build text, time bigint),
    LATERAL (VALUES (o.release, FALSE), (o.build, TRUE)) AS met (release, is_build)
  WHERE met.release IS NOT NULL GROUP BY met.release ORDER BY met.release
  ON CONFLICT DO NOTHING`

const ADD_CAUSES = `
  INSERT INTO hydrant_causes AS c (cause, side, phase, type, message, count, first_seen, last_seen, first_release,
    last_release, route, source, search, error, last_build)
  SELECT cause, side, phase, type, message, count, first_seen, last_seen, first_release,
    last_release, route, source, search, error, last_build
  FROM jsonb_to_recordset($1) AS e (cause text, side text, phase text, type text, message text, count bigint,
    first_seen bigint, last_seen bigint, first_release text, last_release text, route text, source text, search text,
    error text, last_build text)
  ORDER BY cause COLLATE "C"
  ON CONFLICT (cause) DO UPDATE SET
    phase = excluded.phase, type = excluded.type, message = excluded.message,
    count = c.count + excluded.count,
    first_seen = least(c.first_seen, excluded.first_seen), last_seen = greatest(c.last_seen, excluded.last_seen),
    last_release = excluded.last_release, route = coalesce(excluded.route, c.route),
    source = excluded.source, search = excluded.search, error = excluded.error,
    last_build = coalesce(excluded.last_build, c.last_build)
  WHERE c.side = excluded.side`

const ADD_OCCURRENCES = `
  INSERT INTO hydrant_occurrences (cause, digest, time, route, release, is_recovered, data)
  SELECT cause, digest, time, route, release, is_recovered, data
  FROM ROWS FROM (jsonb_to_recordset($1) AS (cause text, digest text, time bigint, route text, release text,
    is_recovered boolean, data text)) WITH ORDINALITY
    AS o (cause, digest, time, route, release, is_recovered, data, place)
  ORDER BY place`

const ADD_HOURS = `
  INSERT INTO hydrant_hours AS h (cause, hour, count)
  SELECT cause, hour, count FROM jsonb_to_recordset($1) AS e (cause text, hour bigint, count bigint)
  ON CONFLICT (cause, hour) DO UPDATE SET count = h.count + excluded.count`

const REOPEN = `
  UPDATE hydrant_causes c SET solved_at = NULL
  FROM jsonb_to_recordset($1) AS o (cause text, release text, build text)
    JOIN hydrant_releases r ON r.release IN (o.release, o.build)
  WHERE c.cause = o.cause AND c.solved_at < r.first_met`

const SIDES = 'SELECT cause, side FROM hydrant_causes WHERE cause = ANY ($1)'

const REMOVE = `
  DELETE FROM hydrant_causes WHERE cause IN (
    SELECT cause FROM hydrant_causes WHERE cause = ANY ($1) AND side = 'client' ORDER BY cause COLLATE "C" FOR UPDATE
  )`

const TRIM = `
  DELETE FROM hydrant_occurrences o
  USING (
    SELECT id, row_number() OVER (PARTITION BY cause ORDER BY time DESC, id DESC) AS place
    FROM hydrant_occurrences WHERE cause = ANY ($1)
  ) ranked
  WHERE o.id = ranked.id AND ranked.place > $2`

const MEASURE = `
  UPDATE hydrant_causes c SET bytes = octet_length(c.error) + octet_length(c.search) +
    coalesce((SELECT sum(octet_length(o.data)) FROM hydrant_occurrences o WHERE o.cause = c.cause), 0)
  WHERE c.cause = ANY ($1)`

/**
 * False when the batch of that id has been written: its commit's answer was lost. Waits for a transaction that is about to
 * write it.
 */
export async function claimBatch(client: PoolClient, id: string): Promise<boolean> {
  const sql = 'INSERT INTO hydrant_batches (id) VALUES ($1) ON CONFLICT DO NOTHING'
  return (await client.query(sql, [id])).rowCount === 1
}

/** Writes a batch, within a transaction. */
export async function writeEntries(client: PoolClient, batch: readonly LedgerEntry[], maxOccurrences: number) {
  const met = batch.flatMap(({ occurrences }) =>
    occurrences.map(({ release, build, time }) => ({ release, build, time })),
  )
  await client.query(ADD_RELEASES, [toJson(met)])
  const entries = await keepServers(client, batch)
  const causes = entries.map(({ cause }) => cause)
  const occurrences = entries.flatMap((entry) => entry.occurrences.map((one) => toOccurrenceRow(entry.cause, one)))
  const hours = entries.flatMap(({ cause, hours }) =>
    Object.entries(hours).map(([hour, count]) => ({ cause, hour: Number(hour), count })),
  )
  await client.query(ADD_CAUSES, [toJson(entries.map(toCauseRow))])
  await client.query(ADD_OCCURRENCES, [toJson(occurrences)])
  await client.query(ADD_HOURS, [toJson(hours)])
  await client.query(REOPEN, [toJson(occurrences)])
  await client.query(TRIM, [causes, maxOccurrences])
  await client.query(MEASURE, [causes])
}

/** Of causes that both sides have leaves the server's. */
async function keepServers(client: PoolClient, batch: readonly LedgerEntry[]): Promise<readonly LedgerEntry[]> {
  const { rows } = await client.query<Pick<LedgerEntry, 'cause' | 'side'>>(SIDES, [batch.map(({ cause }) => cause)])
  const causesOf = (entries: readonly Pick<LedgerEntry, 'cause' | 'side'>[], side: LedgerEntry['side']) =>
    new Set(entries.flatMap((entry) => (entry.side === side ? [entry.cause] : [])))
  const ofServer = causesOf([...rows, ...batch], 'server')
  const toRemove = [...causesOf(rows, 'client')].filter((cause) => ofServer.has(cause))
  if (toRemove.length > 0) await client.query(REMOVE, [toRemove])
  return batch.filter(({ cause, side }) => side === 'server' || !ofServer.has(cause))
}

/** JSON as PostgreSQL takes it: without the characters that its texts cannot hold. */
export function toJson(value: unknown): string {
  // An escaped backslash first, so that one which is escaped itself begins nothing.
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  )
}
