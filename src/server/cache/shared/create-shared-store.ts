import { createHash } from 'node:crypto'
import type { StoreBackend } from './backend.ts'
import { createEntryWaiters } from './entry-waiters.ts'
import { createOwnInvalidations, matches } from './own-invalidations.ts'
import { EVERY_TAG, type InvalidationListener, type SharedStore, type StoredResponse } from './shared-store.ts'
import { createStoreLink, type LinkInput } from './store-link.ts'

export interface StoreInput extends Pick<LinkInput, 'log' | 'place' | 'deadline'> {
  backend: StoreBackend
}

/** Creates the shared part of the page cache. The server at the other end of `backend` keeps it. */
export function createSharedStore({ backend, ...input }: StoreInput): SharedStore {
  const waiters = createEntryWaiters()
  const reads = createReadWatch()
  let listener: InvalidationListener = () => {}

  const invalidations = createOwnInvalidations(async (tags) => {
    const versions = await backend.advance(tags)
    // The versions are noted before the response to a later call is read. Otherwise `catchUp` would report this
    // process's own invalidation.
    link.note(versions)
    return versions
  }, reads.note)
  const link = createStoreLink({
    ...input,
    backend,
    invalidations,
    onChanged(tags, isStart) {
      reads.note(tags)
      listener(tags, isStart)
    },
    onSettled: waiters.settle,
    onAway: waiters.settleAll,
  })

  async function read(key: string) {
    const missed = reads.begin()
    const reading = await link.ask(() => backend.read(key))
    reads.end(missed)
    const tags = reading?.response?.tags
    const isOutdated = tags !== undefined && (matches(missed, tags) || invalidations.cover(tags))
    return reading && isOutdated ? { ...reading, response: null } : reading
  }

  async function invalidate(tags: readonly string[]): Promise<boolean> {
    if (tags.length === 0) return true
    // The tags are copied, because invalidations are compared by identity.
    const batch = [...tags]
    let isSent = false
    reads.note(batch)
    const versions = await link.ask(() => {
      isSent = true
      return invalidations.send(batch)
    })
    if (!isSent) invalidations.keep(batch)
    if (versions === null) link.refresh()
    return versions !== null
  }

  return {
    get: async (key) => (await read(digestOf(key)))?.response ?? null,
    versions: () => link.ask(link.catchUp),
    async set(key, response, since) {
      await link.ask(() => backend.write(digestOf(key), response, since))
    },
    lease: async (key, leaseMs) => (await link.ask(() => backend.lease(digestOf(key), leaseMs))) ?? true,
    async release(key) {
      await link.ask(() => backend.release(digestOf(key)))
    },
    async awaitEntry(key, maxMs): Promise<StoredResponse | null> {
      const digest = digestOf(key)
      // The waiter is added before the key is read, so that no message is missed.
      const waiter = waiters.add(digest)
      const before = await read(digest)
      if (before && before.response === null && before.leasedMs > 0) {
        await waiter.wait(Math.min(maxMs, before.leasedMs))
        return (await read(digest))?.response ?? null
      }
      waiter.stop()
      return before?.response ?? null
    },
    invalidate,
    clear: () => invalidate([EVERY_TAG]),
    onInvalidate(added) {
      listener = added
    },
    async close() {
      link.close()
      waiters.settleAll()
      await backend.close()
    },
  }
}

/** Watches which tags are invalidated while responses are read: the server may have responded before. */
function createReadWatch() {
  const running = new Set<Set<string>>()
  return {
    /** Begins a read. Returns the set that receives the tags until `end`. */
    begin(): Set<string> {
      const missed = new Set<string>()
      running.add(missed)
      return missed
    },
    end: (missed: Set<string>) => void running.delete(missed),
    note(tags: readonly string[]) {
      for (const missed of running) for (const tag of tags) missed.add(tag)
    },
  }
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
