import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { Redis, RedisOptions } from 'iovalkey'
import {
  ageOf,
  type BackendEvents,
  type Changes,
  lifeOf,
  MAX_STORED_TAGS,
  nameEpoch,
  type Reading,
  readMessage,
  type StoreBackend,
  writeAnnouncement,
} from './backend.ts'
import { EVERY_TAG, type StoredResponse, type Versions } from './shared-store.ts'
import * as scripts from './valkey-scripts.ts'

/** All keys, and the channel, begin with it. */
const PREFIX = 'hydrant:cache:'

export interface ValkeyInput {
  iovalkey: { Redis: new (options: RedisOptions) => Redis }
  url: string
  maxBytes: number
  /** How many invalidated tags are remembered (MAX_STORED_TAGS). */
  maxTags?: number
}

type VersionsReply = [epoch: string, sequence: number]

/** Creates the connection to a shared cache in a Valkey or Redis server. */
export function createValkeyBackend({ iovalkey, url, maxBytes, maxTags = MAX_STORED_TAGS }: ValkeyInput): StoreBackend {
  const owner = randomUUID()
  // Messages reach the subscribers in all databases of the server.
  const channel = `${PREFIX}${databaseOf(url)}`
  let connection: ValkeyConnection | null = null
  let server: string | null = null

  function clientOf(): Redis {
    if (connection === null) throw new Error('there is no connection')
    return connection.client
  }

  async function run(script: string, key: string, args: readonly (string | number)[]): Promise<unknown> {
    const keys = ['state', 'tags', 'order', 'bytes', `response:${key}`, `lease:${key}`]
    const calling = clientOf().eval(script, keys.length, ...keys.map((name) => PREFIX + name), ...args)
    return calling.catch((error: unknown) =>
      Promise.reject(isClosed(error) ? new Error('the connection was closed') : error),
    )
  }

  return {
    open(events: BackendEvents) {
      connection = connectToValkey({
        url,
        channel,
        connected: events.connected,
        disconnected: events.disconnected,
        createClient: (options) => new iovalkey.Redis(options),
        onMessage: (text) => readMessage(text, owner, events),
      })
    },
    async read(key): Promise<Reading> {
      // The script returns these, and `write` wrote the text.
      const [leasedMs, age, text] = (await run(scripts.READ, key, [])) as [number, number?, string?]
      if (age === undefined || text === undefined) return { response: null, leasedMs }
      return { response: { ...(JSON.parse(text) as StoredResponse), storedAt: Date.now() - age }, leasedMs }
    },
    async write(key, response, since) {
      const text = JSON.stringify(response)
      const tags = response.tags.map(writeTag).map((tag) => `${tag.length}:${tag}`)
      const version = [since.epoch, since.sequence, tags.join('')]
      const times = [ageOf(response.storedAt), Math.round(lifeOf(response))]
      const size = Buffer.byteLength(text)
      const args = [channel, key, owner, ...version, text, size, ...times, maxBytes, `${PREFIX}response:`]
      await run(scripts.WRITE, key, args)
    },
    lease: async (key, leaseMs) => (await run(scripts.LEASE, key, [owner, Math.ceil(leaseMs)])) === 1,
    async release(key) {
      await run(scripts.RELEASE, key, [channel, key, owner])
    },
    async advance(tags) {
      const reply = tags.includes(EVERY_TAG)
        ? await run(scripts.CLEAR, '', [channel, nameEpoch(server), `${PREFIX}response:`])
        : await run(scripts.ADVANCE, '', [channel, nameEpoch(server), maxTags, ...tags.map(writeTag)])
      // Both scripts return these.
      return toVersions(reply as VersionsReply)
    },
    async changes(since): Promise<Changes> {
      const reply = await run(scripts.CHANGES, '', [nameEpoch(server), since?.epoch ?? '', since?.sequence ?? 0])
      // The script returns these.
      const [epoch, sequence, scores] = reply as [...VersionsReply, string[]?]
      return { versions: { epoch, sequence }, tags: scores ? readScores(scores) : null }
    },
    async identify() {
      server = await readServer(clientOf())
      return server
    },
    async probe() {
      await run(scripts.PROBE, '', [])
    },
    async announce(tags) {
      await clientOf().publish(channel, writeAnnouncement(owner, tags))
    },
    reconnect: () => connection?.reset(),
    async close() {
      connection?.close()
    },
  }
}

/** The package reports the loss of a connection as too many attempts of a call. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'MaxRetriesPerRequestError'
}

/**
 * Reads the names of the server's run and of its data. The first changes when the server restarts, also from a snapshot,
 * and when another server takes its place. The second changes when the server becomes a replica, or stops to be one.
 * Null if the server refuses to tell: some hosted servers do.
 */
async function readServer(client: Redis): Promise<string | null> {
  try {
    const [about, replication] = await Promise.all([client.info('server'), client.info('replication')])
    const [, run] = /^run_id:(\w+)/m.exec(about) ?? []
    const [, data] = /^master_replid:(\w+)/m.exec(replication) ?? []
    return run === undefined ? null : `${run}.${data ?? ''}`
  } catch (error) {
    // Other errors are those of the connection.
    if (error instanceof Error && error.name === 'ReplyError') return null
    throw error
  }
}

function toVersions([epoch, sequence]: VersionsReply): Versions {
  return { epoch, sequence }
}

/** Writes a tag in ASCII, so that no character is changed and its length is that of its bytes. */
function writeTag(tag: string): string {
  return JSON.stringify(tag).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function readScores(scores: readonly string[]): [string, number][] {
  const tags = scores.filter((_, index) => index % 2 === 0)
  // `writeTag` wrote them.
  return tags.map((tag, index) => [JSON.parse(tag) as string, Number(scores[index * 2 + 1])])
}

const CONNECT_MS = 3_000
/** A connection that does not respond for this long is replaced. */
const SILENT_MS = 10_000
const PING_MS = 5_000
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000

export type ValkeyConnection = ReturnType<typeof connectToValkey>

interface ConnectionInput extends Pick<BackendEvents, 'connected' | 'disconnected'> {
  createClient(options: RedisOptions): Redis
  url: string
  channel: string
  onMessage(text: string): void
}

/** Opens two connections, because one with subscriptions accepts no other commands, and reopens them. */
export function connectToValkey(input: ConnectionInput) {
  const options = readOptions(input.url)
  const client = input.createClient(options)
  const subscriber = input.createClient(options)
  const both = [client, subscriber]
  /** Those that can be used. */
  const prepared = new Set<Redis>()
  let isConnected = false
  let lastError: unknown = null

  function update() {
    const isComplete = prepared.size === both.length
    if (isComplete === isConnected) return
    isConnected = isComplete
    if (isConnected) input.connected()
    else input.disconnected(lastError ?? new Error('the connection was closed'))
    lastError = null
  }

  function fail(error: unknown) {
    lastError = error
    if (!isConnected) input.disconnected(error)
  }

  async function prepare(one: Redis, command: () => Promise<unknown>) {
    try {
      await command()
      prepared.add(one)
      update()
    } catch (error) {
      fail(error)
      disconnect(one, true)
    }
  }

  for (const one of both) {
    one.on('error', fail)
    one.on('close', () => {
      prepared.delete(one)
      update()
    })
  }
  const database = databaseOf(input.url)
  // The client selects the database too, but continues with the database 0 if the server refuses that.
  client.on('ready', () => prepare(client, async () => database > 0 && client.select(database)))
  subscriber.on('ready', () => prepare(subscriber, () => subscriber.subscribe(input.channel)))
  subscriber.on('message', (_channel, text) => input.onMessage(text))
  // Without pings, an idle connection that is broken silently would not be noticed.
  const ping = setInterval(() => {
    if (prepared.has(subscriber)) subscriber.ping().catch(() => {})
  }, PING_MS).unref()
  // The event `error` reports that a connection fails.
  for (const one of both) one.connect().catch(() => {})

  return {
    /** For commands. They reject while there is no connection. */
    client,
    reset() {
      for (const one of both) disconnect(one, true)
    },
    close() {
      clearInterval(ping)
      for (const one of both) disconnect(one, false)
    },
  }
}

/**
 * Ends the current connection of a client. The client listens to the first error of a connection only. A connection that
 * ends while the server's certificate is refused has a second one, which would end the process.
 */
function disconnect(client: Redis, reconnects: boolean) {
  const { stream }: Partial<Redis> = client
  stream?.on('error', () => {})
  client.disconnect(reconnects)
}

export function databaseOf(url: string): number {
  return Number(new URL(url).pathname.slice(1))
}

function readOptions(url: string): RedisOptions {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const usesTls = protocol === 'rediss:' || protocol === 'valkeys:'
  return {
    host,
    port: Number(port || 6379),
    // The system decides between IPv4 and IPv6.
    family: 0,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    // Node.js does not send the server's name (SNI) itself. Several servers may share one address.
    ...(usesTls ? { tls: isIP(host) ? {} : { servername: host } } : {}),
    db: databaseOf(url),
    connectionName: 'hydrant',
    lazyConnect: true,
    // The check needs INFO, which a server may refuse. A server that still loads its data refuses the calls.
    enableReadyCheck: false,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    // After this time, a connection that does not respond to `disconnect` is closed.
    disconnectTimeout: FIRST_RETRY_MS,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(FIRST_RETRY_MS * 2 ** Math.min(times, 10), MAX_RETRY_MS),
    // A command is sent when it is called, or rejects. It never waits for a connection.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
  }
}
