import type { ProcessMetrics } from '../metrics/process-metrics.ts'
import { createRequestMetrics, type RequestMetrics } from '../metrics/request-metrics.ts'
import type { PrimaryChannel } from './primary-channel.ts'

/** How much time's counts may be lost with a worker that is killed. */
const SEND_MS = 1_000

/** What a worker counts, for the primary's metrics. */
export interface WorkerMetrics extends Pick<RequestMetrics, 'recorder' | 'countFailure'> {
  /** From now on the primary is told again and again, as nobody can ask a worker that is dead. */
  open(): Promise<void>
  /** Tells the primary, which has asked. */
  answer(id: number): void
  /** Tells for the last time. */
  close(): Promise<void>
}

export function createCounting(link: PrimaryChannel): WorkerMetrics {
  const { recorder, countFailure, read } = createRequestMetrics()
  let timer: NodeJS.Timeout | undefined
  let readMetrics: () => Promise<ProcessMetrics> = async () => []
  const tell = () => link.send({ kind: 'counts', counts: read() })
  return {
    recorder,
    countFailure,
    async open() {
      timer = setInterval(() => void tell(), SEND_MS).unref()
      const { measureProcess } = await import('../metrics/process-metrics.ts')
      readMetrics = measureProcess()
    },
    answer: (id) => void readMetrics().then((metrics) => link.send({ kind: 'metrics', id, counts: read(), metrics })),
    async close() {
      clearInterval(timer)
      await tell()
    },
  }
}
