import { randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { encodeBase32 } from '../../shared/wire/digest-format.ts'
import { type StepTimes, slotOf, type TimesLedger } from '../ledger/times.ts'
import { createOutageLog } from '../log/throttled-line.ts'
import { timesSince } from '../metrics/step-times.ts'
import { messageOf } from '../util/unknown-values.ts'
import type { MetricsSource } from './metrics.ts'

/** The thread of a ledger in a file starts for each batch: a server without requests writes none. */
const WRITE_MS = 30_000
const NAME_BYTES = 10
const NAME_LENGTH = 16

/** Writes how long the steps of the requests of all processes take to the ledger, in slots of ten minutes. */
export interface TimesWriter {
  /** Writes what is new. Never rejects: an error is logged, and the next batch has everything. */
  flush(): Promise<void>
  /** Writes what is new, and ends. */
  close(): Promise<void>
}

export function createTimesWriter(
  source: Pick<MetricsSource, 'counts' | 'served'>,
  ledger: Pick<TimesLedger, 'recordTimes'>,
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  now = Date.now,
): TimesWriter {
  const writer = encodeBase32(randomBytes(NAME_BYTES), NAME_LENGTH)
  const outage = createOutageLog(
    (err) => log.warn({ err }, `the times of requests cannot be written to the ledger: ${messageOf(err)}`),
    () => log.info('the times of requests can be written to the ledger again'),
  )
  let slot = slotOf(now())
  /** The times when the slot began, and those that were read last. */
  let before: readonly StepTimes[] = []
  let last: readonly StepTimes[] = []
  let written = 0
  let writing: Promise<void> | null = null
  const timer = setInterval(() => void flush(), WRITE_MS).unref()

  async function write() {
    try {
      const { times } = await source.counts()
      const current = slotOf(now())
      // What happened since the last batch belongs to the new slot.
      if (current !== slot) before = last
      slot = current
      last = times.steps
      const total = times.steps.reduce((sum, { count }) => sum + count, 0)
      if (total === written) return
      const release = source.served()[0]?.release ?? ''
      await ledger.recordTimes({
        writer,
        slot,
        steps: timesSince(before, times.steps),
        requests: times.slowest.map((request) => ({ ...request, release })),
      })
      written = total
      outage.ended()
    } catch (error) {
      outage.failed(error)
    }
  }

  function flush() {
    writing ??= write().finally(() => {
      writing = null
    })
    return writing
  }

  return {
    flush,
    async close() {
      clearInterval(timer)
      await flush()
      outage.stop()
    },
  }
}
