import { createRequestMetrics, type RequestMetrics } from '../metrics/request-metrics.ts'
import type { PrimaryChannel } from './primary-channel.ts'

/** A worker that is killed takes the counts of this time with it. */
const SEND_INTERVAL_MS = 1_000

/** The metrics of a worker, which it sends to the primary. */
export interface WorkerMetrics extends Pick<RequestMetrics, 'recorder' | 'countFailure'> {
  /** Begins to send the counts, at intervals and when the primary asks for them. */
  open(): void
  /** Sends the counts for the last time. */
  close(): Promise<void>
}

export function createWorkerMetrics(channel: PrimaryChannel): WorkerMetrics {
  const { recorder, countFailure, read } = createRequestMetrics()
  let timer: NodeJS.Timeout | undefined
  const sendCounts = () => channel.send({ kind: 'counts', counts: read() })

  return {
    recorder,
    countFailure,
    open() {
      timer = setInterval(() => void sendCounts(), SEND_INTERVAL_MS).unref()
      const loading = import('../metrics/process-metrics.ts').then(({ measureProcess }) => measureProcess())
      channel.listen(async (message) => {
        if (message.kind !== 'count') return
        const readMetrics = await loading
        await channel.send({ kind: 'metrics', id: message.id, metrics: await readMetrics(), counts: read() })
      })
    },
    async close() {
      clearInterval(timer)
      await sendCounts()
    },
  }
}
