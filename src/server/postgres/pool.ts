import type { Pool, PoolClient } from 'pg'
import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'
import { connectionMessageOf, firstLineOf } from '../util/message-of.ts'
import { placeOf } from './database-url.ts'

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

/**
 * Converts an error of a query to HYD_LEDGER_FAILED or HYD_LEDGER_UNREACHABLE. Returns an error of Hydrant as it is.
 */
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
