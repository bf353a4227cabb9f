import { LRUCache } from 'lru-cache'
import { bytesOf, type Changes, lifeOf, MAX_STORED_TAGS, type Reading } from '../backend.ts'
import { EVERY_TAG, type StoredResponse, type Versions } from '../shared-store.ts'
import { createTagSequences } from './tag-sequences.ts'

/** The calls of a backend, on the side that holds the cache. `owner` is the process that calls. */
export interface MemoryShare<Owner> {
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

/** Creates a cache of at most `maxBytes` that processes share. `tell` sends an event to all of them. */
export function createMemoryShare<Owner>(
  maxBytes: number,
  tell: (event: ShareEvent) => void,
  maxTags = MAX_STORED_TAGS,
): MemoryShare<Owner> {
  const now = () => performance.now()
  const versions = createTagSequences(maxTags)
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes })
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
