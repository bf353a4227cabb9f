import type { Pool, PoolClient } from 'pg'
import { createHydrantError, type HydrantError } from '../../errors/hydrant-error.ts'
import { messageOf } from '../../util/message-of.ts'

const CONNECT_MS = 3_000
const STATEMENT_MS = 5_000
const MAX_CONNECTIONS = 3
const IDLE_MS = 10_000
/** PostgreSQL's number for its type bigint. */
const BIGINT = 20

// Said with each transaction, and not when connecting: poolers between us and the server refuse that.
const BEGIN = `BEGIN; SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL lock_timeout = ${STATEMENT_MS}`

/** Connects with the first query. Throws HYD_LEDGER_PG_MISSING. */
export async function createPostgresPool(url: string): Promise<Pool> {
  const { Pool, types } = await loadDriver(url)
  const pool = new Pool({
    connectionString: url,
    application_name: 'hydrant',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    // For a server that does not even say that it is too slow.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    types: {
      // Counts and times are far below what a number holds.
      getTypeParser: (oid, format) => (Number(oid) === BIGINT ? Number : types.getTypeParser(oid, format)),
    },
  })
  // A connection that breaks says so to the query which uses it; one that nobody uses is replaced by the pool.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  return pool
}

/** All that `work` does, or nothing. */
export async function transact<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(BEGIN)
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // Given up, which ends its transaction: nobody can tell the state that it is in.
    client.release(true)
    throw error
  }
}

/** A ledger's address without what is secret in it: `postgres://host/database`. */
export function placeOf(url: string): string {
  // Up to the last @, as a password may hold what would end it; a parameter may be a password as well.
  return url.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '')
}

/** What a query threw, in words of Hydrant's own. */
export function toPostgresError(url: string, error: unknown): HydrantError {
  if (isOfHydrant(error)) return error
  // Only what the server itself says has a severity.
  const isAnswer = error instanceof Error && 'severity' in error
  return createHydrantError(
    isAnswer ? 'HYD_LEDGER_FAILED' : 'HYD_LEDGER_UNREACHABLE',
    [placeOf(url), say(error)],
    error,
  )
}

function isOfHydrant(error: unknown): error is HydrantError {
  return error instanceof Error && error.name === 'HydrantError'
}

// A host with several addresses fails with an error for each, and none of its own.
function say(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(say).join(', ')
  return messageOf(error)
}

async function loadDriver(url: string) {
  try {
    const { default: driver } = await import('pg')
    return driver
  } catch (error) {
    throw createHydrantError('HYD_LEDGER_PG_MISSING', [placeOf(url), say(error).split('\n')[0] ?? ''], error)
  }
}
