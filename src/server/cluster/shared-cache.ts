import { createSharedStore, type StoreInput } from '../cache/shared/create-shared-store.ts'
import { createMemoryShare } from '../cache/shared/memory/memory-share.ts'
import { answerShareCall, createShareClient, type ShareCall } from '../cache/shared/memory/share-calls.ts'
import type { SharedStore } from '../cache/shared/shared-store.ts'
import type { Options } from '../options/options.ts'
import type { PrimaryChannel } from './primary-channel.ts'
import type { WorkerProcess } from './worker-process.ts'

/** The cache that the primary keeps for its workers. */
export interface WorkersCache {
  /** Makes the call of a worker and sends the result. */
  take(call: ShareCall, worker: WorkerProcess): void
  /** Ends the leases of a worker that has ended. */
  end(worker: WorkerProcess): void
}

/** Creates the cache of the primary, of at most `maxBytes`. */
export function createWorkersCache(maxBytes: number): WorkersCache {
  /** The workers that have called. */
  const workers = new Set<WorkerProcess>()
  const share = createMemoryShare<WorkerProcess>(maxBytes, (event) => {
    for (const worker of workers) worker.send({ kind: 'cacheEvent', event })
  })
  return {
    take(call, worker) {
      workers.add(worker)
      worker.send({ kind: 'cacheResult', result: answerShareCall(share, worker, call) })
    },
    end(worker) {
      workers.delete(worker)
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
  input: Omit<StoreInput, 'backend' | 'place'>,
): Promise<SharedStore> {
  if (pageCache.store !== null) {
    // A static import would bring all that serves a site into the bundle of the primary.
    const { openSharedStore } = await import('../cache/shared/open-shared-store.ts')
    const store = await openSharedStore(pageCache, input)
    if (store !== null) return store
  }
  const client = createShareClient((call) => void channel.send({ kind: 'cacheCall', call }))
  channel.listen((message) => {
    if (message.kind === 'cacheResult') client.settle(message.result)
    else if (message.kind === 'cacheEvent') client.tell(message.event)
  })
  channel.onClose(() => client.fail(new Error('the primary has exited')))
  return createSharedStore({ ...input, backend: client.backend, place: 'the memory of the primary process' })
}
