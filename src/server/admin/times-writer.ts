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
/** All workers report for each batch: those who read often get times that are this old. */
const FRESH_MS = 2_000
/** A batch removes what is too old, also without requests. */
const PRUNE_SLOTS = 6
const NAME_BYTES = 10
const NAME_LENGTH = 16

/** Writes how long the steps of the requests of all processes take to the ledger, in slots of ten minutes. */
export interface TimesWriter {
  /** Writes what is new. Never rejects: an error is logged, and the next batch has everything. */
  flush(): Promise<void>
  /** Does the same for a reader, unless it was done just now. */
  refresh(): Promise<void>
  /** Writes what is new, and ends. */
  close(): Promise<void>
}

export function createTimesWriter(
  { counts }: Pick<MetricsSource, 'counts'>,
  ledger: Pick<TimesLedger, 'recordTimes'>,
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  now = Date.now,
): TimesWriter {
  let writer = createName()
  const outage = createOutageLog(
    (err) => log.warn({ err }, `the times of requests cannot be written to the ledger: ${messageOf(err)}`),
    () => log.info('the times of requests can be written to the ledger again'),
  )
  let slot = slotOf(now())
  /** The times when the slot began, and those that were written last. */
  let before: readonly StepTimes[] = []
  let last: readonly StepTimes[] = []
  let written = 0
  let writtenSlot = Number.NEGATIVE_INFINITY
  let doneAt = Number.NEGATIVE_INFINITY
  let writing: Promise<void> | null = null
  const timer = setInterval(() => void flush(), WRITE_MS).unref()

  async function write() {
    try {
      const { steps, slowest } = (await counts()).times
      const current = slotOf(now())
      // After the clock is set back, a batch must not replace that of an earlier slot, which is complete.
      if (current < slot) writer = createName()
      // What happened since the last batch belongs to the new slot.
      const start = current === slot ? before : last
      const total = steps.reduce((sum, { count }) => sum + count, 0)
      if (total !== written || current - writtenSlot >= PRUNE_SLOTS) {
        await ledger.recordTimes({ writer, slot: current, steps: timesSince(start, steps), requests: slowest })
        outage.ended()
        writtenSlot = current
      }
      slot = current
      before = start
      last = steps
      written = total
      doneAt = performance.now()
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
    async refresh() {
      if (performance.now() - doneAt >= FRESH_MS) await flush()
    },
    async close() {
      clearInterval(timer)
      // A batch that is being written lacks what is new.
      await writing
      await flush()
      outage.stop()
    },
  }
}

function createName(): string {
  return encodeBase32(randomBytes(NAME_BYTES), NAME_LENGTH)
}
