import { setTimeout as wait } from 'node:timers/promises'
import type { MetricsSource } from '../admin/metrics.ts'
import { lostLogLines } from '../log/output.ts'
import { measureProcess, type NamedProcess } from '../metrics/process-metrics.ts'
import { addRequestCounts, endRequestCounts, type RequestCounts } from '../metrics/request-metrics.ts'
import type { ToPrimary } from './messages.ts'
import type { WorkerPool } from './worker-pool.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A worker that is busy for longer is counted with the numbers that it sent last. */
const RESPONSE_MS = 1_000

/** The metrics of all workers together. Those that have ended are included, so that no counter ever decreases. */
export interface ClusterMetrics extends MetricsSource {
  take(message: Extract<ToPrimary, { kind: 'metrics' | 'counts' }>, worker: WorkerProcess): void
  /** Keeps the last counts of a worker that has ended. */
  end(worker: WorkerProcess): void
}

export function createClusterMetrics(
  { serving, lostCount, lastReload }: Pick<WorkerPool, 'serving' | 'lostCount' | 'lastReload'>,
  now = Date.now,
): ClusterMetrics {
  const countsOf = new Map<WorkerProcess, RequestCounts>()
  const pending = new Map<number, (metrics: NamedProcess['metrics']) => void>()
  let ended: RequestCounts = addRequestCounts([])
  let lastId = 0
  let reading: Promise<NamedProcess[]> | null = null
  const readPrimary = measureProcess()

  async function readWorker(worker: WorkerProcess): Promise<NamedProcess> {
    const id = ++lastId
    const response = new Promise<NamedProcess['metrics']>((resolve) => pending.set(id, resolve))
    worker.send({ kind: 'count', id })
    // The primary keeps the last counts of a worker that has ended.
    const ended = worker.ended.then(() => [])
    const metrics = await Promise.race([response, wait(RESPONSE_MS, [], { ref: false }), ended])
    pending.delete(id)
    return { name: worker.name, metrics }
  }

  /** Asks all workers once for calls at the same time: the metrics need the counts and the processes together. */
  function readWorkers(): Promise<NamedProcess[]> {
    reading ??= Promise.all(serving().map(readWorker)).finally(() => {
      reading = null
    })
    return reading
  }

  return {
    async counts() {
      await readWorkers()
      ended = endRequestCounts(ended, now())
      const all = addRequestCounts([ended, ...countsOf.values()])
      // The primary writes the lines of all processes.
      return { ...all, logLinesLost: all.logLinesLost + lostLogLines() }
    },
    processes: async () => [{ name: 'primary', metrics: await readPrimary() }, ...(await readWorkers())],
    served: () => serving().map((worker) => worker.served()),
    workersLost: lostCount,
    lastReload,
    take(message, worker) {
      const { times } = countsOf.get(worker) ?? addRequestCounts([])
      countsOf.set(worker, { times, ...message.counts })
      if (message.kind === 'metrics') pending.get(message.id)?.(message.metrics)
    },
    end(worker) {
      const last = countsOf.get(worker)
      countsOf.delete(worker)
      // Places of earlier builds come last: no worker counts them.
      if (last) ended = endRequestCounts(addRequestCounts([last, ended]), now())
    },
  }
}
