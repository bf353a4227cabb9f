import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig, QueryResult, QueryResultRow } from 'pg'
import {
  ageOf,
  type BackendEvents,
  type Changes,
  digestOf,
  lifeOf,
  MAX_STORED_TAGS,
  nameEpoch,
  type Reading,
  readMessage,
  type StoreBackend,
  writeAnnouncement,
} from './backend.ts'
import * as sql from './postgres-queries.ts'
import { createCacheTables, PRUNE_ENTRIES, PRUNE_LEASES, PRUNE_TAGS } from './postgres-queries.ts'
import { EVERY_TAG, type StoredResponse, type Versions } from './shared-store.ts'

export interface PostgresInput {
  pg: { Client: typeof Client }
  url: string
  /** The URL without its secrets. */
  place: string
  maxBytes: number
  /** How many invalidated tags are remembered (MAX_STORED_TAGS). */
  maxTags?: number
}

interface ReadRow {
  response: string | null
  age_ms: number | null
  left_ms: number | null
}

/** Numbers of the type bigint are texts. */
interface VersionsRow {
  epoch: string
  sequence: string
}

interface ChangesRow extends VersionsRow {
  /** The tags are texts in JSON. */
  tags: [string, number][] | null
}

/** Connects to a shared cache in PostgreSQL. One connection does all, so that responses arrive in their order. */
export function createPostgresBackend({ pg, url, place, ...limits }: PostgresInput): StoreBackend {
  const owner = randomUUID()
  let connection: Connection | null = null
  let server: string | null = null
  const pruning = createPruning({ pg, url, ...limits })

  async function query<Row extends QueryResultRow>(text: string, values: readonly unknown[]) {
    if (connection === null) throw new Error('there is no connection')
    try {
      return (await connection.query<Row>(text, values)).rows
    } catch (error) {
      // Somebody has dropped the tables. The next connection creates them again.
      if (isMissingTable(error)) connection.reset()
      throw error
    }
  }

  /** Runs a statement that returns the state. Creates the state if the tables were emptied. */
  async function queryState<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row> {
    const [row] = await query<Row>(text, values)
    if (row) return row
    await query(sql.BEGIN_EPOCH, [nameEpoch(server)])
    const [created] = await query<Row>(text, values)
    if (!created) throw new Error('the table hydrant_cache_state is empty')
    return created
  }

  function open(events: BackendEvents) {
    connection = createConnection({
      url,
      createClient: (config) => new pg.Client(config),
      async prepare(client) {
        await createCacheTables(client, place)
        await client.query(`LISTEN ${sql.CHANNEL}`)
      },
      onReady: events.connected,
      onLost: events.disconnected,
      onNotification: (text) => readMessage(text, owner, events),
    })
  }

  return {
    open,
    async read(key): Promise<Reading> {
      const [row] = await query<ReadRow>(sql.READ, [key])
      const leasedMs = Math.max(0, row?.left_ms ?? 0)
      if (!row || row.response === null) return { response: null, leasedMs }
      // `write` wrote it.
      const response = JSON.parse(row.response) as StoredResponse
      return { response: { ...response, storedAt: Date.now() - Math.round(row.age_ms ?? 0) }, leasedMs }
    },
    async write(key, response, since) {
      const text = JSON.stringify(response)
      const ages = [-ageOf(response.storedAt), lifeOf(response)]
      const tags = response.tags.map(digestOf)
      await query(sql.WRITE, [key, owner, since.epoch, since.sequence, tags, text, text.length, ...ages])
      pruning.count(text.length)
    },
    lease: async (key, leaseMs) => (await query(sql.LEASE, [key, owner, leaseMs])).length > 0,
    async release(key) {
      await query(sql.RELEASE, [key, owner])
    },
    async advance(tags) {
      if (tags.includes(EVERY_TAG)) return toVersions(await queryState<VersionsRow>(sql.CLEAR, [nameEpoch(server)]))
      const values = [tags.map(digestOf), tags.map((tag) => JSON.stringify(tag))]
      return toVersions(await queryState<VersionsRow>(sql.ADVANCE, values))
    },
    async changes(since): Promise<Changes> {
      const row = await queryState<ChangesRow>(sql.CHANGES, [since?.epoch ?? '', since?.sequence ?? 0])
      // `advance` wrote the texts.
      const tags = row.tags?.map(([tag, sequence]) => [JSON.parse(tag) as string, sequence] as const)
      return { versions: toVersions(row), tags: tags ?? null }
    },
    async identify() {
      const [row] = await query<{ server: string }>(sql.IDENTIFY, [])
      server = row?.server ?? null
      return server
    },
    async probe() {
      await query(sql.PROBE, [])
    },
    async announce(tags) {
      await query(sql.ANNOUNCE, [writeAnnouncement(owner, tags)])
    },
    reconnect: () => connection?.reset(),
    async close() {
      pruning.stop()
      await connection?.close()
    },
  }
}

function isMissingTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01'
}

function toVersions({ epoch, sequence }: VersionsRow): Versions {
  return { epoch, sequence: Number(sequence) }
}

const INTERVAL_MS = 60_000
/** How long each query waits for a server that does not respond. */
const RESPONSE_MS = 10_000

interface PruningInput {
  pg: { Client: typeof Client }
  url: string
  maxBytes: number
  maxTags?: number
}

/**
 * Keeps the tables within their limits. Prunes them when this process has written a tenth of `maxBytes`, and once a
 * minute if it has written something. Pruning uses a connection of its own, so that requests do not wait for it.
 */
function createPruning({ pg, url, maxBytes, maxTags = MAX_STORED_TAGS }: PruningInput) {
  let written = 0
  let isRunning = false
  const timer = setInterval(() => written > 0 && run(), INTERVAL_MS).unref()

  async function run() {
    if (isRunning) return
    isRunning = true
    written = 0
    const times = { connectionTimeoutMillis: RESPONSE_MS, query_timeout: RESPONSE_MS }
    const client = new pg.Client({ connectionString: url, application_name: 'hydrant', ...times })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(PRUNE_ENTRIES, [maxBytes])
      await client.query(PRUNE_LEASES)
      await client.query(PRUNE_TAGS, [maxTags])
    } catch {
      // The tables are pruned again later. The connection of the backend reports that the server is unavailable.
    }
    await client.end().catch(() => {})
    isRunning = false
    runIfDue()
  }

  function runIfDue() {
    if (written > maxBytes / 10) void run()
  }

  return {
    count(bytes: number) {
      written += bytes
      runIfDue()
    },
    stop: () => clearInterval(timer),
  }
}

const CONNECT_MS = 3_000
/** The longest time for connecting and preparing. */
const PREPARE_MS = 10_000
/** How long `close` waits for a server that does not respond. */
const CLOSE_MS = 1_000
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000

export interface ConnectionInput {
  createClient(config: ClientConfig): Client
  url: string
  /** Prepares a client that has connected. */
  prepare(client: Client): Promise<void>
  onReady(): void
  onLost(error: unknown): void
  onNotification(text: string): void
}

/** A connection. When it is lost, another one replaces it. */
export type Connection = ReturnType<typeof createConnection>

export function createConnection(input: ConnectionInput) {
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
    /** Runs a statement after all earlier ones. Rejects if there is no connection, or if it is lost. */
    query<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
      const result = last.then(() => {
        if (client === null || !isReady) throw new Error('there is no connection')
        return client.query<Row>(sql, [...values])
      })
      last = result.catch(() => {})
      return result
    },
    // With a query in progress, `end` does not wait for its response.
    /** Breaks the connection, if there is one. */
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
