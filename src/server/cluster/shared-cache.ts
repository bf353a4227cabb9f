import { createSharedStore, type StoreInput } from '../cache/shared/create-shared-store.ts'
import { createMemoryShare } from '../cache/shared/memory/memory-share.ts'
import { answerShareCall, createShareClient, type ShareCall } from '../cache/shared/memory/share-calls.ts'
import type { SharedStore } from '../cache/shared/shared-store.ts'
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

/** Creates a worker's access to the cache of the primary. */
export function createWorkerStore(channel: PrimaryChannel, input: Omit<StoreInput, 'backend' | 'place'>): SharedStore {
  const client = createShareClient((call) => void channel.send({ kind: 'cacheCall', call }))
  channel.listen((message) => {
    if (message.kind === 'cacheResult') client.settle(message.result)
    else if (message.kind === 'cacheEvent') client.tell(message.event)
  })
  channel.onClose(() => client.fail(new Error('the primary has exited')))
  return createSharedStore({ ...input, backend: client.backend, place: 'the cache of the primary process' })
}
