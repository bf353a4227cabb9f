import { createHash, randomUUID } from 'node:crypto'
import { EVERY_TAG, type StoredResponse, type Versions } from './shared-store.ts'

/** The result of reading a key from a store. */
export interface Reading {
  /** Null when there is no valid response. */
  response: StoredResponse | null
  /** Milliseconds until the lease on the key ends; 0 if there is no lease. */
  leasedMs: number
}

/** What has been invalidated since a version. */
export interface Changes {
  versions: Versions
  /** The invalidated tags with their last sequence, or `EVERY_TAG`; null if they are not known. */
  tags: readonly (readonly [tag: string, sequence: number])[] | null
}

/** The connection to a server with a shared cache. Calls reject while it is unavailable. Keys are short digests. */
export interface StoreBackend {
  /** Connects, and connects again whenever the connection is lost. */
  open(events: BackendEvents): void
  read(key: string): Promise<Reading>
  /** Stores a response whose render began at `since`, and ends the lease. Does nothing if the response is outdated. */
  write(key: string, response: StoredResponse, since: Versions): Promise<void>
  /** Resolves with whether this process has the lease. */
  lease(key: string, leaseMs: number): Promise<boolean>
  release(key: string): Promise<void>
  /** Records an invalidation of these tags. `EVERY_TAG` begins a new epoch. Resolves with the versions after it. */
  advance(tags: readonly string[]): Promise<Versions>
  /** Resolves with the invalidations since a version or, for null, since the store exists. */
  changes(since: Versions | null): Promise<Changes>
  /**
   * Resolves with the name of what the server is now. The name is another one after each event that may have lost
   * invalidations: a restart, a failover, a restored copy. Null if the server does not tell. A new epoch has the name
   * that was read last (`nameEpoch`).
   */
  identify(): Promise<string | null>
  /** Rejects if the server refuses to record invalidations. */
  probe(): Promise<void>
  /** Tells all processes that are connected now of an invalidation that the server does not record. */
  announce(tags: readonly string[]): Promise<void>
  /** Breaks a connection that does not respond, so that its calls reject. */
  reconnect(): void
  close(): Promise<void>
}

export interface BackendEvents {
  /** Calls can be made, and none of the events below is missed from now on. */
  connected(): void
  /** The connection is lost, or could not be made. */
  disconnected(error: unknown): void
  /** Some process has invalidated tags. */
  advanced(): void
  /** Another process has invalidated tags, and the server has not recorded it. */
  announced(tags: readonly string[]): void
  /** Some process has stored a response under this key, or has released its lease. */
  settled(key: string): void
}

/** Returns the name of a key or a tag in a store: an index cannot hold a text of any length. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Returns a name for a new epoch of a server. */
export function nameEpoch(server: string | null): string {
  return `${server ?? ''}/${randomUUID()}`
}

/** Returns the name of the server that began an epoch. It is empty if that server did not tell its name. */
export function serverOf(epoch: string): string {
  return epoch.slice(0, Math.max(0, epoch.lastIndexOf('/')))
}

/** PostgreSQL limits the text of a notification to 8,000 bytes. */
const MAX_MESSAGE_BYTES = 7_500

/** Writes the message of `announce`. `owner` is the process that sends it. */
export function writeAnnouncement(owner: string, tags: readonly string[]): string {
  const text = `!${JSON.stringify({ owner, tags })}`
  return Buffer.byteLength(text) <= MAX_MESSAGE_BYTES ? text : writeAnnouncement(owner, [EVERY_TAG])
}

/** Passes on a message of the server: an announcement, the key of a response, or nothing after an invalidation. */
export function readMessage(text: string, owner: string, { advanced, announced, settled }: BackendEvents) {
  if (text === '') return advanced()
  if (!text.startsWith('!')) return settled(text)
  // `writeAnnouncement` wrote it.
  const sent = JSON.parse(text.slice(1)) as { owner: string; tags: string[] }
  // The server sends each message to its sender too.
  if (sent.owner !== owner) announced(sent.tags)
}

/** How many invalidated tags a store remembers. A response that is older than all of them is not valid. */
export const MAX_STORED_TAGS = 100_000

/** The longest life of a response in a store: 400 days. */
const MAX_LIFE_MS = 34_560_000_000

/** Returns how many milliseconds from now a store may keep a response. */
export function lifeOf({ storedAt, freshMs, staleMs }: StoredResponse): number {
  return Math.min(freshMs + staleMs - ageOf(storedAt), MAX_LIFE_MS)
}

/** Returns the age of a response. Processes exchange ages instead of times, because the clocks of machines differ. */
export function ageOf(storedAt: number): number {
  return Math.max(0, Date.now() - storedAt)
}

/** Returns about how many bytes a response takes. */
export function bytesOf({ body, headers, tags, rest }: StoredResponse): number {
  const texts = [...headers.flat(), ...tags, ...(rest ? [rest.state ?? '', ...rest.data, ...rest.settlements] : [])]
  return texts.reduce((sum, text) => sum + text.length, Buffer.byteLength(body))
}
