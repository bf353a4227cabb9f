import { startDeadline } from '../../util/deadline.ts'
import { digestOf, type StoreBackend } from './backend.ts'
import {
  EVERY_TAG,
  type InvalidationListener,
  type SharedStore,
  type StoredResponse,
  type Versions,
} from './shared-store.ts'
import { callWithin, createStoreLink, type LinkInput, matches } from './store-link.ts'

export interface StoreInput extends Pick<LinkInput, 'log' | 'place' | 'deadline'> {
  backend: StoreBackend
  /** The other processes of this machine that have the same store (none). */
  peers?: StorePeers
  /** How long `close` waits for the store to record invalidations, in milliseconds (2,000). */
  closeMs?: number
}

/** The other processes of a machine. They hear of invalidations also when the store is unavailable. */
export interface StorePeers {
  /** Tells them of an invalidation, with null if it is not recorded. Resolves with how many have taken it. */
  tell(tags: readonly string[], versions: Versions | null): Promise<number>
  /** Calls `listener` with each invalidation of them. It returns whether this process has taken it. */
  onTold(listener: (tags: readonly string[], versions: Versions | null) => boolean): void
  /** Tells each of them that starts from now on what `waitingTags` returns then: the store has not recorded it. */
  onJoined(waitingTags: () => readonly string[]): void
}

/** Less than the time that a process has for its last work when its requests are not finished in time. */
const MAX_CLOSE_MS = 2_000

/** Creates the shared part of the page cache. The server at the other end of `backend` keeps it. */
export function createSharedStore({ backend, peers, closeMs = MAX_CLOSE_MS, ...input }: StoreInput): SharedStore {
  const { log, place, deadline = startDeadline } = input
  const waiters = createEntryWaiters()
  const reads = createReadWatch()
  const listeners: InvalidationListener[] = []
  let closing: Promise<void> | null = null

  const link = createStoreLink({
    ...input,
    backend,
    onChanged(tags, isStart) {
      reads.note(tags)
      for (const listener of listeners) listener(tags, isStart)
    },
    onRecorded: reads.note,
    onSettled: waiters.settle,
    onAway: waiters.settleAll,
  })
  peers?.onTold((tags, versions) => {
    if (closing === null) link.hear(tags, versions)
    return closing === null
  })
  peers?.onJoined(link.waitingTags)

  async function read(key: string) {
    const missed = reads.begin()
    const reading = await link.read('read', () => backend.read(key))
    reads.end(missed)
    const tags = reading?.response?.tags
    const isOutdated = tags !== undefined && (matches(missed, tags) || link.covers(tags))
    return reading && isOutdated ? { ...reading, response: null } : reading
  }

  /** Resolves with how many processes of this machine have taken the invalidation. */
  async function tellPeers(tags: readonly string[], versions: Versions | null): Promise<number> {
    if (peers === undefined) return 0
    // The primary knows which of them do not respond.
    return (
      (await callWithin(
        () => peers.tell(tags, versions),
        deadline,
        () => {},
      )) ?? 0
    )
  }

  async function invalidate(tags: readonly string[]): Promise<boolean> {
    if (tags.length === 0) return true
    reads.note(tags)
    const versions = await link.invalidate(tags)
    await tellPeers(tags, versions)
    return versions !== null
  }

  /** Hands over the invalidations that wait, to another process of this machine or to the store. */
  async function close() {
    const waiting = link.waitingTags()
    const isTaken = waiting.length === 0 || (await tellPeers(waiting, null)) > 0
    const lost = isTaken ? [] : await link.settle(Math.min(closeMs, MAX_CLOSE_MS))
    if (lost.length > 0) log.error(describeLost(lost, place))
    link.close()
    waiters.settleAll()
    await backend.close()
  }

  return {
    get: async (key) => (await read(digestOf(key)))?.response ?? null,
    versions: () => link.read('versions', link.catchUp),
    async set(key, response, since) {
      await link.write('write', () => backend.write(digestOf(key), response, since))
    },
    lease: async (key, leaseMs) => (await link.write('lease', () => backend.lease(digestOf(key), leaseMs))) ?? true,
    async release(key) {
      await link.write('release', () => backend.release(digestOf(key)))
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
    onInvalidate: (listener) => void listeners.push(listener),
    seen: link.seen,
    measure: link.measure,
    close() {
      closing ??= close()
      return closing
    },
  }
}

function describeLost(tags: readonly string[], place: string): string {
  const names = tags.includes(EVERY_TAG) ? 'all tags' : `these tags: ${JSON.stringify(tags)}`
  return `invalidations may be lost, because ${place} has not confirmed them before this process ended. Other processes may serve outdated pages with ${names}`
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

/** The requests that wait for responses which other processes render. */
function createEntryWaiters() {
  const waiters = new Map<string, Set<() => void>>()

  function remove(key: string, wake: () => void) {
    const waiting = waiters.get(key)
    waiting?.delete(wake)
    if (waiting?.size === 0) waiters.delete(key)
  }

  function settle(key: string) {
    const waiting = waiters.get(key)
    waiters.delete(key)
    for (const wake of waiting ?? []) wake()
  }

  return {
    /** Begins to wait for a key. */
    add(key: string) {
      let wake = () => {}
      const settled = new Promise<void>((resolve) => {
        wake = resolve
      })
      waiters.set(key, (waiters.get(key) ?? new Set()).add(wake))
      const stop = () => remove(key, wake)
      return {
        /** Resolves when the key was settled since `add`, at the latest after `ms` milliseconds. */
        async wait(ms: number) {
          const timer = setTimeout(wake, ms)
          await settled
          clearTimeout(timer)
          stop()
        },
        stop,
      }
    },
    settle,
    settleAll() {
      for (const key of [...waiters.keys()]) settle(key)
    },
  }
}
