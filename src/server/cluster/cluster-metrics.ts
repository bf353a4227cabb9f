import { setTimeout as wait } from 'node:timers/promises'
import type { MetricsSource } from '../admin/metrics.ts'
import { lostLogLines } from '../log/output.ts'
import { measureProcess, type NamedProcess } from '../metrics/process-metrics.ts'
import { addRequestCounts, endRequestCounts, type RequestCounts } from '../metrics/request-metrics.ts'
import type { ToPrimary } from './messages.ts'
import type { Pool } from './worker-pool.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A worker that is busy for longer is counted as it was when it last told. */
const ANSWER_MS = 1_000

/** What all workers have counted together, those that are gone included: nothing of it is ever counted down. */
export interface ClusterMetrics extends MetricsSource {
  take(message: Extract<ToPrimary, { kind: 'metrics' | 'counts' }>, worker: WorkerProcess): void
  /** It has told everything. */
  end(worker: WorkerProcess): void
}

export function gatherCounts({
  serving,
  lostCount,
  lastReload,
}: Pick<Pool, 'serving' | 'lostCount' | 'lastReload'>): ClusterMetrics {
  const countsOf = new Map<WorkerProcess, RequestCounts>()
  const asked = new Map<number, (metrics: NamedProcess['metrics']) => void>()
  let gone: RequestCounts = addRequestCounts([])
  let lastId = 0
  let reading: Promise<NamedProcess[]> | null = null
  const readOwn = measureProcess()

  async function ask(worker: WorkerProcess): Promise<NamedProcess> {
    const id = ++lastId
    const answer = new Promise<NamedProcess['metrics']>((resolve) => asked.set(id, resolve))
    worker.send({ kind: 'count', id })
    const metrics = await Promise.race([answer, wait(ANSWER_MS, [], { ref: false })])
    asked.delete(id)
    return { name: worker.name, metrics }
  }

  // Who asks for one of the two asks for the other as well.
  function askAll(): Promise<NamedProcess[]> {
    reading ??= Promise.all(serving().map(ask)).finally(() => {
      reading = null
    })
    return reading
  }

  return {
    async counts() {
      await askAll()
      const all = addRequestCounts([gone, ...countsOf.values()])
      // The primary writes the lines of all of them.
      return { ...all, logLinesLost: all.logLinesLost + lostLogLines() }
    },
    processes: async () => [{ name: 'primary', metrics: await readOwn() }, ...(await askAll())],
    served: () => serving().map((worker) => worker.served()),
    workersLost: lostCount,
    lastReload,
    take(message, worker) {
      countsOf.set(worker, message.counts)
      if (message.kind === 'metrics') asked.get(message.id)?.(message.metrics)
    },
    end(worker) {
      const last = countsOf.get(worker)
      countsOf.delete(worker)
      if (last) gone = addRequestCounts([gone, endRequestCounts(last)])
    },
  }
}
