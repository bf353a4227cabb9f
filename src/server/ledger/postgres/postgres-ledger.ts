import { randomUUID } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { type FailureDetails, fingerprintOfDigest, hourOf, type LedgerEntry } from '../entries.ts'
import {
  DEFAULT_OCCURRENCES,
  type Kept,
  LEAST_PLACES,
  type Ledger,
  type LedgerLimits,
  type LedgerStats,
  MAX_RELEASES,
  type ReadQuery,
} from '../ledger.ts'
import {
  addFailuresSql,
  type Column,
  DETAILS_COLUMNS,
  definitionsOf,
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
import {
  createPostgresPool,
  migratePostgres,
  POSTGRES_MIGRATIONS,
  requirePostgres,
  toPostgresError,
  transact,
} from './schema.ts'

const DIALECT = { prefix: 'hydrant_', position: 'strpos', least: 'least', greatest: 'greatest' }

/**
 * Creates a ledger in PostgreSQL, for sites that run on several machines. The first call connects. Its methods reject
 * with HYD_LEDGER_PG_MISSING, HYD_LEDGER_NEWER, HYD_LEDGER_UNREACHABLE and HYD_LEDGER_FAILED.
 */
export function createPostgresLedger(url: string, limits: LedgerLimits): Ledger {
  return openTables(url, limits, (pool) => migratePostgres(pool, url, POSTGRES_MIGRATIONS))
}

/**
 * Returns a ledger in PostgreSQL for a command that reads it. Its methods also reject with HYD_LEDGER_MISSING, if the
 * database has no ledger: the command may have the wrong URL, and must not create tables there.
 */
export function readPostgresLedger(url: string, limits: LedgerLimits): Ledger {
  return openTables(url, limits, async (pool) => {
    await requirePostgres(pool, url)
    await migratePostgres(pool, url, POSTGRES_MIGRATIONS)
  })
}

function openTables(url: string, limits: LedgerLimits, prepare: (pool: Pool) => Promise<void>): Ledger {
  let pool: Promise<Pool> | null = null
  let ready: Promise<Pool> | null = null
  /** The ids of batches, so that one is written only once. */
  const ids = new WeakMap<readonly LedgerEntry[], string>()

  async function open(): Promise<Pool> {
    pool ??= createPostgresPool(url)
    const opened = await pool
    await prepare(opened)
    return opened
  }

  async function use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    try {
      ready ??= open()
      return await transact(await ready, work)
    } catch (error) {
      // The next call checks the tables again: the URL may then lead to another server.
      ready = null
      throw toPostgresError(url, error)
    }
  }

  function idOf(entries: readonly LedgerEntry[]): string {
    const id = ids.get(entries) ?? randomUUID()
    ids.set(entries, id)
    return id
  }

  const update = (sql: string, values: readonly unknown[]) =>
    use(async (client) => ((await client.query(sql, [...values])).rowCount ?? 0) > 0)

  return {
    record: (entries) =>
      use(async (client): Promise<Kept> => {
        if (entries.length > 0 && (await claimBatch(client, idOf(entries))))
          await writeEntries(client, entries, limits.maxOccurrences)
        await prunePostgres(client, entries.length, limits)
        return 'stored'
      }),
    list: (query) =>
      use(async (client) => {
        const { sql, values } = listSql(query, DIALECT)
        return (await client.query<Row>(sql, values)).rows.map(fromFailureRow)
      }),
    read: (fingerprint, query) => use((client) => readDetails(client, fingerprint, query)),
    fingerprints: () =>
      use(async (client) => {
        const { rows } = await client.query<{ fingerprint: string }>('SELECT fingerprint FROM hydrant_failures')
        return rows.map(({ fingerprint }) => fingerprint)
      }),
    releases: () =>
      use(async (client) => {
        const sql = 'SELECT release FROM hydrant_releases WHERE NOT is_build ORDER BY first_met DESC, release LIMIT $1'
        return (await client.query<{ release: string }>(sql, [MAX_RELEASES])).rows.map(({ release }) => release)
      }),
    hours: (sinceHour) =>
      use(async (client) => {
        const sql = 'SELECT fingerprint, hour, count FROM hydrant_hours WHERE hour >= $1'
        return (await client.query<{ fingerprint: string; hour: number; count: number }>(sql, [sinceHour])).rows
      }),
    markRecovered: (digest) =>
      update('UPDATE hydrant_occurrences SET is_recovered = TRUE WHERE fingerprint = $1 AND digest = $2', [
        fingerprintOfDigest(digest),
        digest,
      ]),
    setSolved: (fingerprint, at) =>
      update('UPDATE hydrant_failures SET solved_at = $2 WHERE fingerprint = $1', [fingerprint, at]),
    stats: () => use(readStats),
    recordTimes: (batch) => use((client) => recordTimes(client, batch)),
    times: (sinceSlot) => use((client) => readTimes(client, sinceSlot)),
    slowRequest: (id) => use((client) => readSlowRequest(client, id)),
    async close() {
      const closing = pool
      ready = null
      pool = null
      const opened = await closing?.catch(() => null)
      await opened?.end()
    },
  }
}

async function readDetails(
  client: PoolClient,
  fingerprint: string,
  { limit = DEFAULT_OCCURRENCES, occurrence = '' }: ReadQuery = {},
): Promise<FailureDetails | null> {
  const { rows } = await client.query<Row>(`SELECT ${DETAILS_COLUMNS} FROM hydrant_failures WHERE fingerprint = $1`, [
    fingerprint,
  ])
  const [row] = rows
  if (!row) return null
  const found = await client.query<OccurrenceRow>(
    `SELECT data, is_recovered FROM hydrant_occurrences
    WHERE fingerprint = $1 ORDER BY substr(digest, length(fingerprint) + 2) = $2 DESC, time DESC, id DESC LIMIT $3`,
    [fingerprint, occurrence, limit],
  )
  return fromDetailsRow(row, found.rows)
}

async function readStats(client: PoolClient): Promise<LedgerStats> {
  const { rows } = await client.query<LedgerStats>(
    `SELECT (SELECT count(*) FROM hydrant_failures) AS failures,
      (SELECT count(*) FROM hydrant_occurrences) AS occurrences,
      (SELECT coalesce(sum(bytes), 0)::bigint FROM hydrant_failures) AS bytes`,
  )
  return rows[0] ?? { failures: 0, occurrences: 0, bytes: 0 }
}

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

const FAILURES_TO_ADD = `
  SELECT ${namesOf(FAILURE_COLUMNS)} FROM jsonb_to_recordset($1) AS e (${definitionsOf(FAILURE_COLUMNS)})
  ORDER BY fingerprint COLLATE "C"`

const ADD_FAILURES = `${addFailuresSql(FAILURES_TO_ADD, DIALECT)} WHERE f.side = excluded.side`

const ADD_OCCURRENCES = `
  INSERT INTO hydrant_occurrences (${namesOf(OCCURRENCE_ROW)})
  SELECT ${namesOf(OCCURRENCE_ROW)}
  FROM ROWS FROM (jsonb_to_recordset($1) AS (${definitionsOf(OCCURRENCE_ROW)})) WITH ORDINALITY
    AS o (${namesOf(OCCURRENCE_ROW)}, place)
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

/** Returns false for a batch that is written, as a response to a commit can get lost. Waits for its transaction. */
async function claimBatch(client: PoolClient, id: string): Promise<boolean> {
  const sql = 'INSERT INTO hydrant_batches (id) VALUES ($1) ON CONFLICT DO NOTHING'
  return (await client.query(sql, [id])).rowCount === 1
}

/** Writes a batch. Must be called in a transaction. */
async function writeEntries(client: PoolClient, batch: readonly LedgerEntry[], maxOccurrences: number) {
  await client.query(ADD_RELEASES, [toJson(releasesOf(batch))])
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
  await client.query(REOPEN, [toJson(releasesOf(entries))])
  await client.query(TRIM, [fingerprints, maxOccurrences])
  await client.query(MEASURE, [fingerprints])
}

function releasesOf(entries: readonly LedgerEntry[]) {
  return entries.flatMap(({ fingerprint, occurrences }) =>
    occurrences.map(({ release, build, time }) => ({ fingerprint, release, build, time })),
  )
}

type Sided = Pick<LedgerEntry, 'fingerprint' | 'side'>

/** Removes browsers' failures, stored or in the batch, whose fingerprint the server has too. Returns the batch. */
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

/** The key of the advisory lock for pruning: any number that no other program uses. */
const PRUNING_LOCK = 4_870_114_202

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

/** Removes a part of what exceeds the limits, after a batch of so many entries. One server does so at a time. */
async function prunePostgres(client: PoolClient, entries: number, limits: LedgerLimits): Promise<void> {
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [PRUNING_LOCK])
  if (!rows[0]?.mine) return
  const oldest = Date.now() - limits.maxAgeMs
  await client.query(FAILURES, [oldest, limits.maxFailures, limits.maxBytes, entries + MAX_FAILURES])
  await client.query(OCCURRENCES, [oldest, MAX_ROWS])
  await client.query(HOURS, [hourOf(oldest), MAX_ROWS])
  await client.query(RELEASES, [oldest, MAX_ROWS])
  await client.query(BATCHES, [MAX_ROWS])
}

const TIMES_SQL = timesSql('hydrant_', 'FOR UPDATE SKIP LOCKED')
const ADD_TIMES = TIMES_SQL.addTimes(rowsOf(TIMES_ROW))
const ADD_REQUESTS = TIMES_SQL.addRequests(`${rowsOf(REQUEST_ROW)} ORDER BY id COLLATE "C"`)

/** The key of the advisory lock for pruning: any number that no other program uses. */
const TIMES_PRUNING_LOCK = 4_870_114_204

// Prevents deadlocks: servers that write the same requests do so in the same order, and before they lock other rows.
// Then they lock only their own rows, or remove rows, which one server does at a time. It skips requests that others
// write.

/** Must be called in a transaction. */
async function recordTimes(client: PoolClient, batch: TimesBatch): Promise<void> {
  // The rows have no character that PostgreSQL cannot store.
  await client.query(ADD_REQUESTS, [JSON.stringify(toRequestRows(batch))])
  await client.query(TIMES_SQL.removeTimes, [batch.slot, batch.writer])
  await client.query(ADD_TIMES, [JSON.stringify(toTimesRows(batch))])
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [
    TIMES_PRUNING_LOCK,
  ])
  if (!rows[0]?.mine) return
  const oldest = oldestOf(batch.slot)
  await client.query(TIMES_SQL.removeOldTimes, [oldest])
  await client.query(TIMES_SQL.removeOldRequests, [oldest])
  await client.query(TIMES_SQL.removeExcessTimes)
  await client.query(TIMES_SQL.removeExcessRequests)
}

async function readTimes(client: PoolClient, sinceSlot: number): Promise<ReadTimes> {
  const { rows: times } = await client.query<TimesRow>(TIMES_SQL.times, [sinceSlot])
  const { rows: requests } = await client.query<{ data: string }>(TIMES_SQL.requests, [sinceSlot])
  const { rows: oldest } = await client.query<{ slot: number | null }>(TIMES_SQL.oldestSlot)
  return {
    steps: addTimes(times.map(fromTimesRow)),
    requests: requests.map(fromRequestRow).sort(compareRequests),
    oldestSlot: oldest[0]?.slot ?? null,
  }
}

async function readSlowRequest(client: PoolClient, id: string): Promise<SlowRequest | null> {
  const { rows } = await client.query<{ data: string }>(TIMES_SQL.request, [toRequestKey(id)])
  return rows[0] ? fromRequestRow(rows[0]) : null
}

/** Returns the query for the rows that the first parameter has, as JSON. */
function rowsOf(columns: readonly Column[]): string {
  return `SELECT ${namesOf(columns)} FROM jsonb_to_recordset($1) AS r (${definitionsOf(columns)})`
}
