import type { StoredResponse, Versions } from './shared-store.ts'

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
  /**
   * The tags that were invalidated, with the sequence of their last invalidation; null if they are not known.
   * `EVERY_TAG` is one of them if everything was invalidated.
   */
  tags: readonly (readonly [tag: string, sequence: number])[] | null
}

/**
 * The connection to a server that holds a shared cache. Its calls reject when the server is unavailable. Keys are
 * digests, so that they are short.
 */
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
  /** Breaks a connection that does not respond, so that its calls reject. */
  reconnect(): void
  close(): Promise<void>
}

/** The events that a backend reports. */
export interface BackendEvents {
  /** Calls can be made, and none of the events below is missed from now on. */
  connected(): void
  /** The connection is lost, or could not be made. */
  disconnected(error: unknown): void
  /** Some process has invalidated tags. */
  advanced(): void
  /** Some process has stored a response under this key, or has released its lease. */
  settled(key: string): void
}

/**
 * How many invalidated tags a store remembers. A response that is older than all of these invalidations is not valid.
 */
export const MAX_STORED_TAGS = 100_000

/** The longest life of a response in a store: 400 days. */
const MAX_LIFE_MS = 34_560_000_000

/** Returns how many milliseconds from now a store may keep a response. */
export function lifeOf({ storedAt, freshMs, staleMs }: StoredResponse): number {
  return Math.min(freshMs + staleMs - ageOf(storedAt), MAX_LIFE_MS)
}

/**
 * Returns the age of a response. Processes exchange ages instead of times, because the clocks of machines differ.
 */
export function ageOf(storedAt: number): number {
  return Math.max(0, Date.now() - storedAt)
}

/** Returns about how many bytes a response takes. */
export function bytesOf({ body, headers, tags, rest }: StoredResponse): number {
  const texts = [...headers.flat(), ...tags, ...(rest ? [rest.state ?? '', ...rest.data, ...rest.settlements] : [])]
  return texts.reduce((sum, text) => sum + text.length, Buffer.byteLength(body))
}
