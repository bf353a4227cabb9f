import type { ClientBase } from 'pg'
import { createHydrantError } from '../../../errors/hydrant-error.ts'
import { migrateTables } from '../../../postgres/migrate.ts'

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

/** Creates the tables of the page cache, or migrates them. Throws HYD_CACHE_STORE_NEWER. */
export async function createCacheTables(client: ClientBase, place: string): Promise<void> {
  const createNewer = (version: number) =>
    createHydrantError('HYD_CACHE_STORE_NEWER', [place, version, MIGRATIONS.length])
  const tables = { versionTable: 'hydrant_cache_schema', lock: LOCK, migrations: MIGRATIONS, createNewer }
  try {
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL lock_timeout = ${STATEMENT_MS}`)
    await migrateTables(client, tables)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
