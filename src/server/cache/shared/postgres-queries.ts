import type { ClientBase } from 'pg'
import { createHydrantError } from '../../errors/hydrant-error.ts'
import { hasTable, migrateTables, readVersion } from '../../util/postgres.ts'

// The statements of the page cache in PostgreSQL. Each operation is a single statement, so a process that is killed
// in the middle leaves no lock. A response is valid if its tags have not been invalidated since its render began
// (`since`). This is checked when the response is read, so no statement has to block invalidations.

/** The channel of notifications. The text of one is a key, or empty after an invalidation. */
export const CHANNEL = 'hydrant_cache'

const AFTER = (parameter: string) => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`
const MS_UNTIL = (time: string) => `(extract(epoch FROM ${time} - clock_timestamp()) * 1000)::float8`

/** Parameters: key. */
export const READ = `
  SELECT valid.response, valid.age_ms, lease.left_ms
  FROM (VALUES (1)) AS one
  LEFT JOIN LATERAL (
    SELECT e.response, -${MS_UNTIL('e.stored_at')} AS age_ms
    FROM hydrant_cache_entries e JOIN hydrant_cache_state s ON e.epoch = s.epoch AND e.since >= s.floor
    WHERE e.key = $1 AND e.ends_at > clock_timestamp() AND NOT EXISTS (
      SELECT 1 FROM hydrant_cache_tags t WHERE t.id = ANY (e.tags) AND t.sequence > e.since
    )
  ) AS valid ON TRUE
  LEFT JOIN LATERAL (
    SELECT ${MS_UNTIL('l.ends_at')} AS left_ms FROM hydrant_cache_leases l WHERE l.key = $1
  ) AS lease ON TRUE`

/** Parameters: key, owner, epoch, since, ids of tags, response, bytes, negative age, life. */
export const WRITE = `
  WITH ended AS (
    DELETE FROM hydrant_cache_leases WHERE key = $1::text AND owner = $2
  ), stored AS (
    INSERT INTO hydrant_cache_entries (key, epoch, since, tags, response, bytes, stored_at, ends_at)
    SELECT $1::text, s.epoch, $4::bigint, $5::text[], $6::text, $7::bigint, ${AFTER('$8')}, ${AFTER('$9')}
    FROM hydrant_cache_state s
    WHERE s.epoch = $3 AND $4::bigint >= s.floor AND NOT EXISTS (
      SELECT 1 FROM hydrant_cache_tags t WHERE t.id = ANY ($5::text[]) AND t.sequence > $4::bigint
    )
    ON CONFLICT (key) DO UPDATE SET epoch = excluded.epoch, since = excluded.since, tags = excluded.tags,
      response = excluded.response, bytes = excluded.bytes, stored_at = excluded.stored_at, ends_at = excluded.ends_at
    WHERE excluded.epoch <> hydrant_cache_entries.epoch OR excluded.since >= hydrant_cache_entries.since
  )
  SELECT pg_notify('${CHANNEL}', $1::text)`

/** Parameters: key, owner, milliseconds. Returns a row if the lease was given. */
export const LEASE = `
  INSERT INTO hydrant_cache_leases AS l (key, owner, ends_at) VALUES ($1, $2, ${AFTER('$3')})
  ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at
  WHERE l.owner = excluded.owner OR l.ends_at <= clock_timestamp()
  RETURNING 1`

/** Parameters: key, owner. */
export const RELEASE = `
  WITH ended AS (DELETE FROM hydrant_cache_leases WHERE key = $1 AND owner = $2 RETURNING key)
  SELECT pg_notify('${CHANNEL}', key) FROM ended`

/** Parameters: ids of tags, tags. */
export const ADVANCE = `
  WITH s AS (
    UPDATE hydrant_cache_state SET sequence = sequence + 1 RETURNING epoch, sequence
  ), changed AS (
    INSERT INTO hydrant_cache_tags (id, tag, sequence)
    SELECT given.id, given.tag, s.sequence FROM s, unnest($1::text[], $2::text[]) AS given (id, tag)
    ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence
  )
  SELECT epoch, sequence, pg_notify('${CHANNEL}', '') FROM s`

/** Parameters: the new epoch. The sequence continues, because an invalidation at the same time may add a tag. */
export const CLEAR = `
  WITH emptied AS (DELETE FROM hydrant_cache_entries), forgotten AS (DELETE FROM hydrant_cache_tags), s AS (
    UPDATE hydrant_cache_state SET epoch = $1, sequence = sequence + 1, floor = 0 RETURNING epoch, sequence
  )
  SELECT epoch, sequence, pg_notify('${CHANNEL}', '') FROM s`

/** Parameters: epoch, sequence. */
export const CHANGES = `
  SELECT s.epoch, s.sequence, CASE WHEN s.epoch = $1 AND s.floor <= $2::bigint THEN (
    SELECT coalesce(json_agg(json_build_array(t.tag, t.sequence)), '[]') FROM hydrant_cache_tags t
    WHERE t.sequence > $2::bigint
  ) END AS tags
  FROM hydrant_cache_state s`

/** The start of the server, and the file of the table, which is another one after TRUNCATE or a dump. */
export const IDENTIFY = `
  SELECT extract(epoch FROM pg_postmaster_start_time())::text || '.' || pg_relation_filenode('hydrant_cache_state')
    AS server`

/** Is refused as any write, and waits for no other process. */
export const PROBE = 'SELECT 1 FROM hydrant_cache_state FOR UPDATE SKIP LOCKED'

/** Parameters: the message. */
export const ANNOUNCE = `SELECT pg_notify('${CHANNEL}', $1)`

/** Parameters: the epoch of an empty store. */
export const BEGIN_EPOCH = `
  INSERT INTO hydrant_cache_state (is_only, epoch, sequence, floor) VALUES (TRUE, $1, 0, 0) ON CONFLICT DO NOTHING`

/** Parameter: the maximum of bytes. `SKIP LOCKED` leaves rows of other writers, which prevents deadlocks. */
export const PRUNE_ENTRIES = `
  DELETE FROM hydrant_cache_entries WHERE key IN (
    SELECT e.key FROM hydrant_cache_entries e JOIN (
      SELECT key, sum(bytes) OVER (ORDER BY stored_at DESC, key) AS total FROM hydrant_cache_entries
    ) AS ranked ON ranked.key = e.key
    WHERE ranked.total > $1 OR e.ends_at <= clock_timestamp() FOR UPDATE OF e SKIP LOCKED
  )`

export const PRUNE_LEASES = `
  DELETE FROM hydrant_cache_leases WHERE key IN (
    SELECT key FROM hydrant_cache_leases WHERE ends_at <= clock_timestamp() FOR UPDATE SKIP LOCKED
  )`

/** Parameters: the maximum number of tags. Locks the state first, as invalidations do, which prevents deadlocks. */
export const PRUNE_TAGS = `
  WITH s AS (SELECT floor FROM hydrant_cache_state FOR UPDATE), bound AS (
    SELECT sequence FROM hydrant_cache_tags ORDER BY sequence DESC OFFSET $1 LIMIT 1
  ), gone AS (
    DELETE FROM hydrant_cache_tags WHERE EXISTS (SELECT 1 FROM s) AND sequence <= (SELECT sequence FROM bound)
    RETURNING sequence
  )
  UPDATE hydrant_cache_state SET floor = greatest(floor, (SELECT max(sequence) FROM gone))
  WHERE EXISTS (SELECT 1 FROM gone)`

/** The key of the advisory lock for migrations: any number that no other program uses. */
const LOCK = 4_870_114_203
const STATEMENT_MS = 5_000

/**
 * The tables are unlogged, because writing such tables is cheap. After a crash, PostgreSQL empties all of them. The
 * epoch is then missing too, so the stored responses never belong to other versions than those in the tables.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE UNLOGGED TABLE hydrant_cache_state (
    is_only boolean PRIMARY KEY CHECK (is_only),
    epoch text NOT NULL,
    sequence bigint NOT NULL,
    floor bigint NOT NULL
  );
  CREATE UNLOGGED TABLE hydrant_cache_tags (
    id text PRIMARY KEY,
    tag text NOT NULL,
    sequence bigint NOT NULL
  );
  CREATE INDEX hydrant_cache_tags_by_sequence ON hydrant_cache_tags (sequence);
  CREATE UNLOGGED TABLE hydrant_cache_entries (
    key text PRIMARY KEY,
    epoch text NOT NULL,
    since bigint NOT NULL,
    tags text[] NOT NULL,
    response text NOT NULL,
    bytes bigint NOT NULL,
    stored_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL
  );
  CREATE UNLOGGED TABLE hydrant_cache_leases (
    key text PRIMARY KEY,
    owner text NOT NULL,
    ends_at timestamptz NOT NULL
  );`,
]

const VERSION_TABLE = 'hydrant_cache_schema'
const TABLES = [VERSION_TABLE, ...['state', 'tags', 'entries', 'leases'].map((name) => `hydrant_cache_${name}`)]

/** Creates the tables of the page cache, or migrates them. Throws HYD_CACHE_STORE_NEWER. */
export async function createCacheTables(client: ClientBase, place: string): Promise<void> {
  const createNewer = (version: number) =>
    createHydrantError('HYD_CACHE_STORE_NEWER', [place, version, MIGRATIONS.length])
  const tables = { versionTable: VERSION_TABLE, lock: LOCK, migrations: MIGRATIONS, createNewer }
  try {
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL lock_timeout = ${STATEMENT_MS}`)
    await dropIncomplete(client)
    await migrateTables(client, tables)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

/** Drops the tables if somebody has dropped some of them: they hold nothing that cannot be rendered again. */
async function dropIncomplete(client: ClientBase) {
  if (!(await isIncomplete(client))) return
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
  // Another process may have created them in the meantime.
  if (await isIncomplete(client)) await client.query(`DROP TABLE IF EXISTS ${TABLES.join(', ')}`)
}

async function isIncomplete(client: ClientBase): Promise<boolean> {
  const count = 'SELECT count(to_regclass(name))::int AS found FROM unnest($1::text[]) AS name'
  const { rows } = await client.query<{ found: number }>(count, [TABLES])
  const found = rows[0]?.found ?? 0
  if (found === 0 || found === TABLES.length) return false
  // A newer version may have other tables.
  return !(await hasTable(client, VERSION_TABLE)) || (await readVersion(client, VERSION_TABLE)) <= MIGRATIONS.length
}
