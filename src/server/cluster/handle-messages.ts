import type { FailureStore } from '../ledger/failure-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { answerCall } from '../ledger/ledger-rpc.ts'
import type { ListenAddress } from '../lifecycle/listen.ts'
import type { ClusterCache } from './cache-questions.ts'
import type { ClusterMetrics } from './cluster-metrics.ts'
import type { WorkersCache } from './shared-cache.ts'
import type { SharedListener } from './shared-listener.ts'
import type { WorkerPool } from './worker-pool.ts'
import type { MessageListener, WorkerProcess } from './worker-process.ts'

export interface PrimaryParts {
  pool: WorkerPool
  listener: SharedListener
  store: FailureStore
  cache: WorkersCache
  /** Null when the admin listener is off. */
  metrics: ClusterMetrics | null
  /** Null when the admin listener is off. */
  contents: ClusterCache | null
}

/** Returns the function that handles each message of a worker in the primary. */
export function createMessageHandler({
  pool,
  listener,
  store,
  cache,
  metrics,
  contents,
}: PrimaryParts): MessageListener {
  const ledger = shareLedger(store)

  async function release(worker: WorkerProcess) {
    await listener.release(worker)
    worker.send({ kind: 'released' })
  }

  return (message, worker) => {
    switch (message.kind) {
      case 'call':
        return void answerCall(ledger, message.call).then((answer) => worker.send({ kind: 'answer', answer }))
      case 'cacheCall':
        return cache.take(message.call, worker)
      case 'cacheJoin':
        return cache.join(worker)
      case 'cacheTell':
        return void cache.tell(message, worker)
      case 'cacheHeard':
        return cache.hear(message)
      case 'askBuild':
        return worker.send({ kind: 'build', build: worker.source.build })
      case 'cacheContents':
        return contents?.take(message)
      case 'listen':
        return void sendAddress(listener, message.where, worker)
      case 'took':
        return listener.free(worker)
      case 'failed':
        return store.add(message.failure)
      case 'leaving':
        return pool.leave(worker)
      case 'asked':
        return pool.replace(worker)
      case 'closed':
        return void release(worker)
      case 'metrics':
      case 'counts':
        return metrics?.take(message, worker)
    }
  }
}

async function sendAddress(listener: SharedListener, wanted: ListenAddress, worker: WorkerProcess) {
  try {
    worker.send({ kind: 'listening', address: await listener.listen(wanted) })
  } catch (error) {
    // Node.js gives the errors of `listen` a code.
    const { message, code } = error as NodeJS.ErrnoException
    worker.send({ kind: 'unable', message, code })
  }
}

/** The ledger as workers call it: `record` succeeds at once, and the writer of the primary writes when it can. */
function shareLedger({ ledger, writer }: FailureStore): Ledger {
  return {
    ...ledger,
    async record(entries) {
      writer.addAll(entries)
      return 'stored'
    },
    async markRecovered(digest) {
      await writer.flush()
      return ledger.markRecovered(digest)
    },
  }
}
