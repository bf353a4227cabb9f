import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig, QueryResult, QueryResultRow } from 'pg'

const CONNECT_MS = 3_000
/** The longest time for connecting and preparing. */
const PREPARE_MS = 10_000
/** How long `close` waits for a server that does not respond. */
const CLOSE_MS = 1_000
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000

export interface ConnectionInput {
  /** Creates a client that is not connected. */
  createClient(config: ClientConfig): Client
  url: string
  /** Prepares a client that has connected. */
  prepare(client: Client): Promise<void>
  onReady(): void
  onLost(error: unknown): void
  onNotification(text: string): void
}

/** A connection. When it is lost, another one replaces it. */
export interface Connection {
  /**
   * Runs a statement after all earlier statements. Rejects if there is no connection, or if the connection is lost
   * before the response.
   */
  query<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<QueryResult<Row>>
  /** Breaks the connection, if there is one. */
  reset(): void
  close(): Promise<void>
}

export function createConnection(input: ConnectionInput): Connection {
  let client: Client | null = null
  let isReady = false
  let isClosed = false
  let retryMs = FIRST_RETRY_MS
  let timer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function connect() {
    const config = { connectionString: input.url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true }
    const connecting = input.createClient({ ...config, application_name: 'hydrant' })
    client = connecting
    const lose = (error: unknown) => {
      if (client !== connecting) return
      client = null
      isReady = false
      // A connection that could not be prepared may still be open.
      connecting.end().catch(() => {})
      if (isClosed) return
      input.onLost(error)
      timer = setTimeout(connect, retryMs).unref()
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
    }
    connecting.on('error', lose)
    connecting.on('end', () => lose(new Error('the connection was closed')))
    connecting.on('notification', ({ payload = '' }) => input.onNotification(payload))
    const deadline = setTimeout(lose, PREPARE_MS, new Error('the server does not respond')).unref()
    try {
      await connecting.connect()
      await input.prepare(connecting)
      if (client !== connecting) return
      isReady = true
      retryMs = FIRST_RETRY_MS
      input.onReady()
    } catch (error) {
      lose(error)
    } finally {
      clearTimeout(deadline)
    }
  }

  void connect()

  return {
    query<Row extends QueryResultRow>(sql: string, values: readonly unknown[]) {
      const result = last.then(() => {
        if (client === null || !isReady) throw new Error('there is no connection')
        return client.query<Row>(sql, [...values])
      })
      last = result.catch(() => {})
      return result
    },
    // With a query in progress, `end` does not wait for its response.
    reset: () => void client?.end().catch(() => {}),
    async close() {
      isClosed = true
      clearTimeout(timer)
      const closing = client
      client = null
      await Promise.race([closing?.end().catch(() => {}), wait(CLOSE_MS, undefined, { ref: false })])
    },
  }
}
