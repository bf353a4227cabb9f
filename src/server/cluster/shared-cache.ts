import { createSharedStore, type StoreInput, type StorePeers } from '../cache/shared/create-shared-store.ts'
import { createMemoryShare } from '../cache/shared/memory/memory-share.ts'
import { answerShareCall, createShareClient, type ShareCall } from '../cache/shared/memory/share-calls.ts'
import type { SharedStore } from '../cache/shared/shared-store.ts'
import type { Options } from '../options/options.ts'
import { createDeadline } from '../util/deadline.ts'
import { createPendingCalls } from '../util/pending-calls.ts'
import type { ToPrimary } from './messages.ts'
import type { PrimaryChannel } from './primary-channel.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A worker that does not respond for longer has not taken an invalidation. */
const HEAR_MS = 1_000

type MessageOf<Kind extends ToPrimary['kind']> = Extract<ToPrimary, { kind: Kind }>

/** The cache that the primary keeps for its workers, and what it passes on between them. */
export interface WorkersCache {
  /** From now on, the worker hears of the invalidations of others. They tell it of those that no store has recorded. */
  join(worker: WorkerProcess): void
  /** Makes the call of a worker and sends the result. */
  take(call: ShareCall, worker: WorkerProcess): void
  /** Tells the other workers of an invalidation. Tells the worker when they have taken it. */
  tell(message: MessageOf<'cacheTell'>, worker: WorkerProcess): Promise<void>
  /** Takes the response of a worker that was told. */
  hear(message: MessageOf<'cacheHeard'>): void
  /** Ends the leases of a worker that has ended. */
  end(worker: WorkerProcess): void
}

/** Creates the cache of the primary, of at most `maxBytes`. */
export function createWorkersCache(maxBytes: number): WorkersCache {
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
    join(worker) {
      for (const other of workers) other.send({ kind: 'cacheJoined', pid: worker.pid })
      workers.add(worker)
    },
    take: (call, worker) => worker.send({ kind: 'cacheResult', result: answerShareCall(share, worker, call) }),
    async tell(message, worker) {
      const others = [...workers].filter((other) => other !== worker && (message.to ?? other.pid) === other.pid)
      const taken = await Promise.all(others.map((other) => tellOne(other, message)))
      worker.send({ kind: 'cacheTold', id: message.id, takers: taken.filter(Boolean).length })
    },
    hear: ({ id, isTaken }) => telling.get(id)?.resolve(isTaken),
    end(worker) {
      workers.delete(worker)
      for (const told of telling.values()) if (told.worker === worker) told.resolve(false)
      share.leave(worker)
    },
  }
}

/**
 * Opens the shared cache of a worker: the store that the options name (each worker has its own connection to it), or
 * the cache of the primary. Rejects with HYD_CACHE_STORE_PACKAGE.
 */
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
  return createSharedStore({ ...input, peers, backend: client.backend, place: 'the memory of the primary process' })
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
