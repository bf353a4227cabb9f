import { isIP } from 'node:net'
import type { Redis, RedisOptions } from 'iovalkey'
import type { BackendEvents } from '../backend.ts'

const CONNECT_MS = 3_000
/** A connection that does not respond for this long is replaced. */
const SILENT_MS = 10_000
const PING_MS = 5_000
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000

export interface ValkeyConnection {
  /** For commands. They reject while there is no connection. */
  client: Redis
  reset(): void
  close(): void
}

interface ConnectionInput extends Pick<BackendEvents, 'connected' | 'disconnected'> {
  createClient(options: RedisOptions): Redis
  url: string
  channel: string
  onMessage(text: string): void
}

/**
 * Opens two connections, because one with subscriptions accepts no other commands. Each is replaced when it is lost.
 */
export function connectToValkey(input: ConnectionInput): ValkeyConnection {
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

/** Returns the number of the database that a URL names. */
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
