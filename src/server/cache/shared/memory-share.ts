import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { createPendingCalls } from '../../util/deadline.ts'
import {
  type BackendEvents,
  bytesOf,
  type Changes,
  lifeOf,
  MAX_STORED_TAGS,
  type Reading,
  type StoreBackend,
} from './backend.ts'
import { EVERY_TAG, type StoredResponse, type Versions } from './shared-store.ts'

/** The calls of a backend, on the side that holds the cache. `owner` is the process that calls. */
interface MemoryShare<Owner> {
  read(owner: Owner, key: string): Reading
  write(owner: Owner, key: string, response: StoredResponse, since: Versions): void
  lease(owner: Owner, key: string, leaseMs: number): boolean
  release(owner: Owner, key: string): void
  advance(owner: Owner, tags: readonly string[]): Versions
  changes(owner: Owner, since: Versions | null): Changes
  /** Ends the leases of a process that has ended. */
  leave(owner: Owner): void
}

/** What a process reports to those that share its cache. */
export type ShareEvent = { kind: 'advanced' } | { kind: 'settled'; key: string }

interface Entry {
  response: StoredResponse
  since: Versions
  endsAt: number
}

interface Lease<Owner> {
  owner: Owner
  endsAt: number
}

/** When there are this many leases, those whose time has ended are removed. */
const MAX_LEASES = 10_000

/** Creates a cache of at most `maxBytes` (0: it keeps nothing) that processes share. `tell` sends an event to all of them. */
export function createMemoryShare<Owner>(
  maxBytes: number,
  tell: (event: ShareEvent) => void,
  maxTags = MAX_STORED_TAGS,
): MemoryShare<Owner> {
  const now = () => performance.now()
  const versions = createTagSequences(maxTags)
  const entries = new LRUCache<string, Entry>({ maxSize: Math.max(1, maxBytes) })
  const leases = new Map<string, Lease<Owner>>()

  function find(key: string): Entry | null {
    const entry = entries.get(key)
    if (entry === undefined) return null
    if (entry.endsAt > now() && versions.isCurrent(entry.response.tags, entry.since)) return entry
    entries.delete(key)
    return null
  }

  function leasedMs(key: string): number {
    return Math.max(0, (leases.get(key)?.endsAt ?? 0) - now())
  }

  function forgetEnded() {
    for (const [key, { endsAt }] of leases) if (endsAt <= now()) leases.delete(key)
  }

  /** Returns whether this process had the lease. */
  function endLease(owner: Owner, key: string): boolean {
    return leases.get(key)?.owner === owner && leases.delete(key)
  }

  return {
    read: (_owner, key) => ({ response: find(key)?.response ?? null, leasedMs: leasedMs(key) }),
    write(owner, key, response, since) {
      endLease(owner, key)
      const isNewest = (find(key)?.since.sequence ?? 0) <= since.sequence
      if (isNewest && versions.isCurrent(response.tags, since)) {
        entries.set(
          key,
          { response, since, endsAt: now() + lifeOf(response) },
          { size: Math.max(1, bytesOf(response)) },
        )
      }
      tell({ kind: 'settled', key })
    },
    lease(owner, key, leaseMs) {
      if (leases.size >= MAX_LEASES) forgetEnded()
      if (leasedMs(key) > 0 && leases.get(key)?.owner !== owner) return false
      leases.set(key, { owner, endsAt: now() + leaseMs })
      return true
    },
    release(owner, key) {
      if (endLease(owner, key)) tell({ kind: 'settled', key })
    },
    advance(_owner, tags) {
      const after = versions.advance(tags)
      if (tags.includes(EVERY_TAG)) entries.clear()
      tell({ kind: 'advanced' })
      return after
    },
    changes: (_owner, since) => versions.changes(since),
    leave(owner) {
      for (const key of [...leases.keys()]) if (endLease(owner, key)) tell({ kind: 'settled', key })
    },
  }
}

function createTagSequences(maxTags: number) {
  let epoch: string = randomUUID()
  let sequence = 0
  /** Invalidations up to this sequence are no longer known. */
  let floor = 0
  /** The sequence of each tag's last invalidation, in order. */
  const last = new Map<string, number>()

  /** Whether everything has been invalidated at least once. */
  let hasCleared = false

  const isKnown = (since: Versions) => since.epoch === epoch && since.sequence >= floor

  function forgetOldest() {
    for (const [tag, invalidated] of last) {
      if (last.size <= maxTags) return
      last.delete(tag)
      floor = invalidated
    }
  }

  return {
    /** Records an invalidation of these tags. `EVERY_TAG` begins a new epoch. */
    advance(tags: readonly string[]) {
      sequence++
      if (tags.includes(EVERY_TAG)) {
        epoch = randomUUID()
        last.clear()
        floor = 0
        hasCleared = true
        return { epoch, sequence }
      }
      for (const tag of tags) {
        last.delete(tag)
        last.set(tag, sequence)
      }
      forgetOldest()
      return { epoch, sequence }
    },
    /** Whether it is known that none of the tags was invalidated since `since`. */
    isCurrent: (tags: readonly string[], since: Versions) =>
      isKnown(since) && tags.every((tag) => (last.get(tag) ?? 0) <= since.sequence),
    changes(since: Versions | null): Changes {
      const versions = { epoch, sequence }
      if (since === null && hasCleared) return { versions, tags: [[EVERY_TAG, sequence]] }
      if (since === null) return { versions, tags: floor === 0 ? [...last] : null }
      if (!isKnown(since)) return { versions, tags: null }
      if (since.sequence === sequence) return { versions, tags: [] }
      return { versions, tags: [...last].filter(([, invalidated]) => invalidated > since.sequence) }
    },
  }
}

// The calls of a process to a cache in the memory of another one, and their results.

type Method = Exclude<keyof MemoryShare<unknown>, 'leave'>
type ArgumentsOf<M extends Method> = Parameters<MemoryShare<unknown>[M]> extends [unknown, ...infer Rest] ? Rest : never
type ResultOf<M extends Method> = ReturnType<MemoryShare<unknown>[M]>

export interface ShareCall {
  id: number
  method: Method
  args: readonly unknown[]
}

export interface ShareResult {
  id: number
  value: unknown
}

export type ShareClient = ReturnType<typeof createShareClient>

/** Creates the side that calls. `post` sends a call to the other process. */
export function createShareClient(post: (call: ShareCall) => void) {
  const pending = createPendingCalls()
  let failure: Error | null = null
  let events: BackendEvents | null = null

  function call<M extends Method>(method: M, ...args: ArgumentsOf<M>): Promise<ResultOf<M>> {
    if (failure !== null) return Promise.reject(failure)
    // The result is that of the method which is called.
    return pending.call((id) => post({ id, method, args })) as Promise<ResultOf<M>>
  }

  return {
    backend: {
      open(opened) {
        events = opened
        opened.connected()
      },
      read: (key) => call('read', key),
      write: (key, response, since) => call('write', key, response, since),
      lease: (key, leaseMs) => call('lease', key, leaseMs),
      release: (key) => call('release', key),
      advance: (tags) => call('advance', tags),
      changes: (since) => call('changes', since),
      // The memory is lost only with the process, which ends the channel for good.
      identify: async () => '',
      async probe() {},
      async announce() {},
      // The channel between two processes breaks only when one of them exits.
      reconnect() {},
      async close() {
        events = null
      },
    } as StoreBackend,
    settle: ({ id, value }: ShareResult) => pending.resolve(id, value),
    /** Takes an event. */
    tell(event: ShareEvent) {
      if (event.kind === 'advanced') events?.advanced()
      else events?.settled(event.key)
    },
    /** Rejects all calls, now and later: the other process has exited. */
    fail(error: Error) {
      failure = error
      pending.rejectAll(error)
      events?.disconnected(error)
    },
  }
}

/** Makes the call of a process, on the side that holds the cache. */
export function answerShareCall<Owner>(share: MemoryShare<Owner>, owner: Owner, call: ShareCall): ShareResult {
  // `createShareClient` sends the arguments of the method.
  const method = share[call.method] as (owner: Owner, ...args: readonly unknown[]) => unknown
  return { id: call.id, value: method(owner, ...call.args) }
}
