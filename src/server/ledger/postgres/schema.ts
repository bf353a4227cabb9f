import type { Pool, PoolClient } from 'pg'
import { createHydrantError, type HydrantError } from '../../errors/hydrant-error.ts'
import { hasTable, migrateTables, placeOf } from '../../util/postgres.ts'
import { connectionMessageOf, firstLineOf } from '../../util/unknown-values.ts'

/** The key of the advisory lock for migrations: any number that no other program uses. */
const SCHEMA_LOCK = 4_870_114_201

const VERSION_TABLE = 'hydrant_schema'

/** The migrations, counted in `hydrant_schema`. A published migration must never change. */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  `CREATE TABLE hydrant_causes (
    cause text PRIMARY KEY,
    side text NOT NULL,
    phase text NOT NULL,
    type text NOT NULL,
    message text NOT NULL,
    count bigint NOT NULL,
    first_seen bigint NOT NULL,
    last_seen bigint NOT NULL,
    first_release text NOT NULL,
    last_release text NOT NULL,
    route text,
    source text,
    solved_at bigint,
    search text NOT NULL,
    error text NOT NULL,
    bytes bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX hydrant_causes_by_last_seen ON hydrant_causes (last_seen DESC, cause);
  CREATE TABLE hydrant_occurrences (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cause text NOT NULL REFERENCES hydrant_causes ON DELETE CASCADE,
    digest text NOT NULL,
    time bigint NOT NULL,
    route text,
    is_recovered boolean NOT NULL,
    data text NOT NULL
  );
  CREATE INDEX hydrant_occurrences_by_cause ON hydrant_occurrences (cause, time, id);
  CREATE INDEX hydrant_occurrences_by_time ON hydrant_occurrences (time);
  CREATE TABLE hydrant_hours (
    cause text NOT NULL REFERENCES hydrant_causes ON DELETE CASCADE,
    hour bigint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (cause, hour)
  );
  CREATE INDEX hydrant_hours_by_hour ON hydrant_hours (hour);
  CREATE TABLE hydrant_releases (
    release text PRIMARY KEY,
    first_met bigint NOT NULL
  );`,
  `CREATE TABLE hydrant_batches (
    id uuid PRIMARY KEY,
    written_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX hydrant_batches_by_written_at ON hydrant_batches (written_at);`,
  // Makes the first character of fingerprints say the side: see fingerprintOfSide in src/shared/wire/digest-format.ts.
  // The digests of occurrences do not change, because visitors have read them.
  `CREATE TEMP TABLE hydrant_renamed ON COMMIT DROP AS
    SELECT cause AS old, substr('GHJKMNPQRSTVWXYZ0123456789ABCDEF', place, 1) || substr(cause, 2) AS new
    FROM (
      SELECT cause, side, strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', left(cause, 1)) AS place FROM hydrant_causes
      ORDER BY cause COLLATE "C" FOR UPDATE
    ) c
    WHERE place > 0 AND (place > 16) <> (side = 'client');
  DELETE FROM hydrant_renamed WHERE new IN (SELECT cause FROM hydrant_causes);
  INSERT INTO hydrant_causes (cause, side, phase, type, message, count, first_seen, last_seen, first_release, last_release,
      route, source, solved_at, search, error, bytes)
    SELECT new, side, phase, type, message, count, first_seen, last_seen, first_release, last_release,
      route, source, solved_at, lower(new) || substr(search, length(old) + 1), error, bytes
    FROM hydrant_causes JOIN hydrant_renamed ON cause = old;
  UPDATE hydrant_occurrences SET cause = new FROM hydrant_renamed WHERE cause = old;
  UPDATE hydrant_hours SET cause = new FROM hydrant_renamed WHERE cause = old;
  DELETE FROM hydrant_causes USING hydrant_renamed WHERE cause = old;`,
  // Also records when builds were first seen, because a release may be built several times. The release of existing
  // occurrences is not filled in: for many of them it would take longer than the statement timeout.
  `ALTER TABLE hydrant_releases ADD COLUMN is_build boolean NOT NULL DEFAULT FALSE;
  ALTER TABLE hydrant_causes ADD COLUMN last_build text;
  ALTER TABLE hydrant_occurrences ADD COLUMN release text;
  CREATE INDEX hydrant_occurrences_by_release ON hydrant_occurrences (cause, release);
  DROP INDEX IF EXISTS hydrant_causes_by_last_seen;
  CREATE INDEX hydrant_causes_by_last_seen ON hydrant_causes (last_seen DESC, cause, side);`,
  // Renames causes to failures, because an error has a `cause` of its own. The tables are locked in the order in which
  // servers write them, which prevents deadlocks. Only names change, so that the size of the tables does not matter.
  `ALTER TABLE hydrant_causes RENAME TO hydrant_failures;
  ALTER TABLE hydrant_failures RENAME COLUMN cause TO fingerprint;
  ALTER INDEX IF EXISTS hydrant_causes_pkey RENAME TO hydrant_failures_pkey;
  ALTER INDEX IF EXISTS hydrant_causes_by_last_seen RENAME TO hydrant_failures_by_last_seen;
  ALTER TABLE hydrant_occurrences RENAME COLUMN cause TO fingerprint;
  ALTER INDEX IF EXISTS hydrant_occurrences_by_cause RENAME TO hydrant_occurrences_by_fingerprint;
  ALTER TABLE hydrant_occurrences RENAME CONSTRAINT hydrant_occurrences_cause_fkey TO hydrant_occurrences_fingerprint_fkey;
  ALTER TABLE hydrant_hours RENAME COLUMN cause TO fingerprint;
  ALTER TABLE hydrant_hours RENAME CONSTRAINT hydrant_hours_cause_fkey TO hydrant_hours_fingerprint_fkey;`,
  // Times of requests: see times.ts. The key begins with the slot, in whose order rows are read and removed.
  `CREATE TABLE hydrant_times (
    slot bigint NOT NULL,
    writer text NOT NULL,
    route text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    count double precision NOT NULL,
    sum_ms double precision NOT NULL,
    max_ms double precision NOT NULL,
    blocked_ms double precision NOT NULL,
    bytes double precision NOT NULL,
    max_bytes double precision NOT NULL,
    counts text NOT NULL,
    PRIMARY KEY (slot, writer, route, kind, subject)
  );
  CREATE TABLE hydrant_slow_requests (
    id text PRIMARY KEY,
    time double precision NOT NULL,
    slot bigint NOT NULL,
    route text NOT NULL,
    duration_ms double precision NOT NULL,
    data text NOT NULL
  );
  CREATE INDEX hydrant_slow_requests_by_slot ON hydrant_slow_requests (slot, duration_ms, id);`,
]

/**
 * Migrates the tables to the newest version. Several servers may do so at the same time. The user needs the permission
 * to change tables only if there is something to migrate. Throws HYD_LEDGER_NEWER.
 */
export async function migratePostgres(pool: Pool, url: string, migrations: readonly string[]): Promise<void> {
  const createNewer = (version: number) =>
    createHydrantError('HYD_LEDGER_NEWER', [placeOf(url), version, migrations.length])
  const tables = { versionTable: VERSION_TABLE, lock: SCHEMA_LOCK, migrations, createNewer }
  await transact(pool, (client) => migrateTables(client, tables))
}

/** Rejects with HYD_LEDGER_MISSING if the database has no tables of a ledger. */
export async function requirePostgres(pool: Pool, url: string): Promise<void> {
  const isThere = await transact(pool, (client) => hasTable(client, VERSION_TABLE))
  if (!isThere) throw createHydrantError('HYD_LEDGER_MISSING', [placeOf(url)])
}

const CONNECT_MS = 3_000
const STATEMENT_MS = 5_000
const MAX_CONNECTIONS = 3
const IDLE_MS = 10_000
/** The object id of PostgreSQL's type bigint. */
const BIGINT = 20

// Set in each transaction instead of when connecting, because connection poolers refuse the startup parameters.
const BEGIN = `BEGIN; SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL lock_timeout = ${STATEMENT_MS}`

/** Creates a pool, which connects with the first query. Throws HYD_LEDGER_PG_MISSING. */
export async function createPostgresPool(url: string): Promise<Pool> {
  const { Pool, types } = await loadDriver(url)
  const pool = new Pool({
    connectionString: url,
    application_name: 'hydrant',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    // For a server that does not respond at all, so that its `statement_timeout` has no effect.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    types: {
      // Counts and times are far below `Number.MAX_SAFE_INTEGER`.
      getTypeParser: (oid, format) => (Number(oid) === BIGINT ? Number : types.getTypeParser(oid, format)),
    },
  })
  // A query rejects when its connection breaks. The pool replaces idle connections that break.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  return pool
}

/** Runs `work` in a transaction: everything that it does is committed, or nothing. */
export async function transact<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(BEGIN)
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // Closes the connection, because its state is unknown. This also ends the transaction.
    client.release(true)
    throw error
  }
}

/** Converts an error of a query to HYD_LEDGER_FAILED or HYD_LEDGER_UNREACHABLE. Keeps Hydrant's errors. */
export function toPostgresError(url: string, error: unknown): HydrantError {
  if (isHydrantError(error)) return error
  // Only errors that the server sent have a severity.
  const isFromServer = error instanceof Error && 'severity' in error
  return createHydrantError(
    isFromServer ? 'HYD_LEDGER_FAILED' : 'HYD_LEDGER_UNREACHABLE',
    [placeOf(url), connectionMessageOf(error)],
    error,
  )
}

function isHydrantError(error: unknown): error is HydrantError {
  return error instanceof Error && error.name === 'HydrantError'
}

async function loadDriver(url: string) {
  try {
    const { default: driver } = await import('pg')
    return driver
  } catch (error) {
    throw createHydrantError('HYD_LEDGER_PG_MISSING', [placeOf(url), firstLineOf(error)], error)
  }
}
