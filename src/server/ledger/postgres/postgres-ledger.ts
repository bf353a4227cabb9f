import { randomUUID } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import type { KeptError } from '../../errors/failure-record.ts'
import { createPostgresPool, toPostgresError, transact } from '../../postgres/pool.ts'
import { fingerprintOfDigest } from '../entries.ts'
import {
  DEFAULT_OCCURRENCES,
  type FailureDetails,
  type Kept,
  type Ledger,
  type LedgerEntry,
  type LedgerLimits,
  type LedgerStats,
  MAX_RELEASES,
  type ReadQuery,
} from '../ledger.ts'
import {
  type FailureRow,
  fromFailureRow,
  fromOccurrenceRow,
  listSql,
  type OccurrenceRow,
  SUMMARY_COLUMNS,
} from '../rows.ts'
import { prunePostgres } from './prune.ts'
import { migratePostgres, POSTGRES_MIGRATIONS, requirePostgres } from './schema.ts'
import { claimBatch, writeEntries } from './write.ts'

const DIALECT = { prefix: 'hydrant_', position: 'strpos' }

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
        return (await client.query<FailureRow>(sql, values)).rows.map(fromFailureRow)
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
  const { rows } = await client.query<FailureRow & { error: string }>(
    `SELECT ${SUMMARY_COLUMNS}, error FROM hydrant_failures WHERE fingerprint = $1`,
    [fingerprint],
  )
  const [row] = rows
  if (!row) return null
  const found = await client.query<OccurrenceRow>(
    `SELECT data, is_recovered FROM hydrant_occurrences
    WHERE fingerprint = $1 ORDER BY substr(digest, length(fingerprint) + 2) = $2 DESC, time DESC, id DESC LIMIT $3`,
    [fingerprint, occurrence, limit],
  )
  return {
    ...fromFailureRow(row),
    // `toFailureRow` wrote it.
    error: JSON.parse(row.error) as KeptError,
    occurrences: found.rows.map(fromOccurrenceRow),
  }
}

async function readStats(client: PoolClient): Promise<LedgerStats> {
  const { rows } = await client.query<LedgerStats>(
    `SELECT (SELECT count(*) FROM hydrant_failures) AS failures,
      (SELECT count(*) FROM hydrant_occurrences) AS occurrences,
      (SELECT coalesce(sum(bytes), 0)::bigint FROM hydrant_failures) AS bytes`,
  )
  return rows[0] ?? { failures: 0, occurrences: 0, bytes: 0 }
}
