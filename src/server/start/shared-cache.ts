import type { CacheSource } from '../admin/cache-report.ts'
import type { SiteCache } from '../cache/app-page-cache.ts'
import { createSharedStore, type StoreInput, type StorePeers } from '../cache/shared/create-shared-store.ts'
import { answerShareCall, createMemoryShare, createShareClient, type ShareCall } from '../cache/shared/memory-share.ts'
import type { SharedStore } from '../cache/shared/shared-store.ts'
import { addCacheContents, type CacheContents } from '../metrics/cache-counts.ts'
import type { Options } from '../options/options.ts'
import { createDeadline, createPendingCalls, DEADLINE } from '../util/deadline.ts'
import type { ToPrimary } from './messages.ts'
import type { PrimaryChannel } from './primary-channel.ts'
import type { WorkerPool } from './worker-pool.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A worker that does not respond for longer has not taken an invalidation. */
const HEAR_MS = 1_000

type MessageOf<Kind extends ToPrimary['kind']> = Extract<ToPrimary, { kind: Kind }>

/** The cache that the primary keeps for its workers, and what it passes on between them. */
export type WorkersCache = ReturnType<typeof createWorkersCache>

/** Creates the cache of the primary, of at most `maxBytes`. */
export function createWorkersCache(maxBytes: number) {
  const workers = new Set<WorkerProcess>()
  const telling = new Map<number, { worker: WorkerProcess; resolve(isTaken: boolean): void }>()
  let lastId = 0
  const share = createMemoryShare<WorkerProcess>(maxBytes, (event) => {
    for (const worker of workers) worker.send({ kind: 'cacheEvent', event })
  })

  async function tellOne(worker: WorkerProcess, { tags, versions }: MessageOf<'cacheTell'>): Promise<boolean> {
    const id = ++lastId
    const deadline = createDeadline(HEAR_MS)
    const heard = new Promise<boolean>((resolve) => telling.set(id, { worker, resolve }))
    worker.send({ kind: 'cacheTell', id, tags, versions })
    const isTaken = await Promise.race([heard, deadline.passed])
    deadline.clear()
    telling.delete(id)
    return isTaken === true
  }

  return {
    /** From now on, the worker hears of the invalidations of others. They tell it of those that no store has recorded. */
    join(worker: WorkerProcess) {
      for (const other of workers) other.send({ kind: 'cacheJoined', pid: worker.pid })
      workers.add(worker)
    },
    take: (call: ShareCall, worker: WorkerProcess) =>
      worker.send({ kind: 'cacheResult', result: answerShareCall(share, worker, call) }),
    /** Tells the other workers of an invalidation. Tells the worker when they have taken it. */
    async tell(message: MessageOf<'cacheTell'>, worker: WorkerProcess) {
      const others = [...workers].filter((other) => other !== worker && (message.to ?? other.pid) === other.pid)
      const taken = await Promise.all(others.map((other) => tellOne(other, message)))
      worker.send({ kind: 'cacheTold', id: message.id, takers: taken.filter(Boolean).length })
    },
    /** Takes the response of a worker that was told. */
    hear: ({ id, isTaken }: MessageOf<'cacheHeard'>) => telling.get(id)?.resolve(isTaken),
    /** Ends the leases of a worker that has ended. */
    end(worker: WorkerProcess) {
      workers.delete(worker)
      for (const told of telling.values()) if (told.worker === worker) told.resolve(false)
      share.leave(worker)
    },
  }
}

/** Opens a worker's shared cache: its own connection to the store, or the primary's. Rejects as `openSharedStore`. */
export async function openWorkerStore(
  channel: PrimaryChannel,
  pageCache: Options['pageCache'],
  input: Omit<StoreInput, 'backend' | 'place' | 'peers'>,
): Promise<SharedStore> {
  const peers = createPeers(channel)
  if (pageCache.store !== null) {
    // A static import would bring all that serves a site into the bundle of the primary.
    const { openSharedStore } = await import('../cache/shared/open-shared-store.ts')
    const store = await openSharedStore(pageCache, { ...input, peers })
    if (store !== null) return store
  }
  const client = createShareClient((call) => void channel.send({ kind: 'cacheCall', call }))
  channel.listen((message) => {
    if (message.kind === 'cacheResult') client.settle(message.result)
    else if (message.kind === 'cacheEvent') client.tell(message.event)
  })
  channel.onClose(() => client.fail(new Error('the primary has exited')))
  const store = createSharedStore({
    ...input,
    peers,
    backend: client.backend,
    place: 'the memory of the primary process',
  })
  // The metrics of a store are those of a server that operators run.
  return { ...store, measure() {} }
}

/** The other workers of this machine. The primary passes on what a worker tells them. */
function createPeers(channel: PrimaryChannel): StorePeers {
  const pending = createPendingCalls()
  channel.onClose(() => pending.rejectAll(new Error('the primary has exited')))
  channel.listen((message) => {
    if (message.kind === 'cacheTold') pending.resolve(message.id, message.takers)
  })
  function tell(told: Omit<MessageOf<'cacheTell'>, 'kind' | 'id'>): Promise<unknown> {
    return pending.call((id) => void channel.send({ kind: 'cacheTell', id, ...told }))
  }
  return {
    // The primary responds with the number of those that have taken it.
    tell: async (tags, versions) => (channel.isOpen() ? ((await tell({ tags, versions })) as number) : 0),
    onTold(listener) {
      channel.listen((message) => {
        if (message.kind !== 'cacheTell') return
        const { id, tags, versions } = message
        void channel.send({ kind: 'cacheHeard', id, isTaken: listener(tags, versions) })
      })
      void channel.send({ kind: 'cacheJoin' })
    },
    onJoined(waitingTags) {
      channel.listen((message) => {
        if (message.kind !== 'cacheJoined') return
        const tags = waitingTags()
        // Without the primary there is no other worker.
        if (tags.length > 0) tell({ tags, versions: null, to: message.pid }).catch(() => {})
      })
    },
  }
}

/** A worker that is busy for longer is left out of the contents. */
const READ_MS = 1_000
/** A worker that is busy for longer may still have pages. */
const EMPTY_MS = 5_000
const NOTHING: CacheContents = { routes: [], tags: [] }

/** The page caches in the memory of all workers together. */
export interface ClusterCache extends CacheSource {
  /** Takes the answer of a worker. */
  take(message: Extract<ToPrimary, { kind: 'cacheContents' }>): void
}

export function createClusterCache({ serving }: Pick<WorkerPool, 'serving'>): ClusterCache {
  const pending = new Map<number, (contents: CacheContents) => void>()
  let lastId = 0

  /** Asks all workers. The result has null for each worker that has not answered in time. */
  async function askAll(empties: boolean, maxMs: number): Promise<(CacheContents | null)[]> {
    const deadline = createDeadline(maxMs)
    const asking = serving().map(async (worker) => {
      const id = ++lastId
      const answer = new Promise<CacheContents>((resolve) => pending.set(id, resolve))
      worker.send({ kind: 'askCache', id, empties })
      // The memory of a worker that has ended is gone.
      const ended = worker.ended.then(() => NOTHING)
      const contents = await Promise.race([answer, deadline.passed, ended])
      pending.delete(id)
      return contents === DEADLINE ? null : contents
    })
    const contents = await Promise.all(asking)
    deadline.clear()
    return contents
  }

  return {
    contents: async () => addCacheContents((await askAll(false, READ_MS)).filter((contents) => contents !== null)),
    empty: async () => (await askAll(true, EMPTY_MS)).every((contents) => contents !== null),
    take: ({ id, contents }) => pending.get(id)?.(contents),
  }
}

/** Answers the questions of the primary about the page cache of this worker; null for a site without cached pages. */
export function answerCacheQuestions(channel: PrimaryChannel, cache: SiteCache | null) {
  channel.listen(async (message) => {
    if (message.kind !== 'askCache') return
    if (message.empties) await cache?.clear()
    const contents = cache?.contents() ?? NOTHING
    await channel.send({ kind: 'cacheContents', id: message.id, contents })
  })
}
