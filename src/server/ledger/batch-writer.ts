import type { OutageLog } from '../log/outage-log.ts'
import { countOccurrences } from './entries.ts'
import type { Kept, Ledger, LedgerEntry } from './ledger.ts'
import type { WriteQueue } from './write-queue.ts'

/** How long an occurrence waits, so that others are written in the same batch. */
const BATCH_DELAY_MS = 200
/** This delay applies while there are more occurrences than are kept: fewer batches leave more time for requests. */
const STORM_BATCH_DELAY_MS = 1_000
/** The longest pause before a batch is written again that could not be written. */
const MAX_RETRY_DELAY_MS = 10_000
const MAX_BATCH_FAILURES = 200

/** Writes the batches of a queue, one after the other. Its functions must not be called at the same time. */
export interface BatchWriter {
  /** Resolves when the queue is empty, or a batch could not be written. */
  writeAll(): Promise<void>
  /** Writes an empty batch. Resolves to whether it could be written. */
  writeNothing(): Promise<boolean>
  /** How long to wait before the next call. */
  delayMs(): number
  /** Returns how many occurrences the ledger has kept there. */
  kept(place: Kept): number
}

/** Creates the writer of a queue. It waits longer in a storm of failures, and after each batch that it cannot write. */
export function createBatchWriter(
  queue: WriteQueue,
  ledger: Pick<Ledger, 'record'>,
  outage: Pick<OutageLog, 'failed' | 'ended'>,
): BatchWriter {
  const kept: Record<Kept, number> = { stored: 0, memory: 0, nowhere: 0 }
  let retryDelayMs = 0
  let batchDelayMs = BATCH_DELAY_MS

  async function tryRecord(batch: readonly LedgerEntry[]): Promise<boolean> {
    try {
      const place = await ledger.record(batch)
      kept[place] += countOccurrences(batch)
      retryDelayMs = 0
      if (place === 'stored') outage.ended()
      return true
    } catch (error) {
      retryDelayMs = Math.min(MAX_RETRY_DELAY_MS, retryDelayMs * 2 || BATCH_DELAY_MS * 2)
      outage.failed(error)
      return false
    }
  }

  return {
    async writeAll() {
      while (!queue.isEmpty()) {
        const batch = queue.batch(MAX_BATCH_FAILURES)
        if (!(await tryRecord(batch))) return
        const isStorm = batch.some(({ count, occurrences }) => count > occurrences.length)
        batchDelayMs = isStorm ? STORM_BATCH_DELAY_MS : BATCH_DELAY_MS
        queue.release()
      }
    },
    writeNothing: () => tryRecord([]),
    delayMs: () => retryDelayMs || batchDelayMs,
    kept: (place) => kept[place],
  }
}
