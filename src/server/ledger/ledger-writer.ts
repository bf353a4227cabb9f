import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import { createOutageLog } from '../log/outage-log.ts'
import { messageOf } from '../util/message-of.ts'
import { createBatchWriter } from './batch-writer.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import { createWriteQueue } from './write-queue.ts'

const MAX_QUEUED_CHARACTERS = 32_000_000

/** Numbers of occurrences. */
export interface WriterStats {
  /** Waiting to be written. */
  queued: number
  /** Lost, because the queue was full. */
  dropped: number
  /** Written to the file or the database of the ledger. */
  written: number
  /** Kept in memory until the process ends, because the ledger cannot be written. */
  inMemory: number
}

/** Writes occurrences to a ledger, in batches, after the requests in which they happened. */
export interface LedgerWriter {
  /** Adds an occurrence. Never throws and never waits. */
  add(record: FailureRecord): void
  /** Adds the batch of another process. Never throws and never waits. */
  addAll(entries: readonly LedgerEntry[]): void
  /** Writes an empty batch, so that a ledger that cannot be written is reported at once. */
  open(): void
  /** Resolves when everything that was added has been written, or could not be written. */
  flush(): Promise<void>
  /** Flushes, and ends the retries of what could not be written. */
  close(): Promise<void>
  stats(): WriterStats
}

/**
 * Creates a writer. While the ledger cannot be written, occurrences wait in a queue of bounded size; further ones are
 * only counted. A warning says so once a minute.
 */
export function createLedgerWriter(
  ledger: Pick<Ledger, 'record'>,
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  maxCharacters = MAX_QUEUED_CHARACTERS,
): LedgerWriter {
  const queue = createWriteQueue(maxCharacters)
  let dropped = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<unknown> | null = null
  let isClosed = false

  const outage = createOutageLog(
    (err) =>
      log.warn(
        { err, queued: queue.count(), dropped },
        `the ledger cannot be written, so failures are kept in memory for now: ${messageOf(err)}`,
      ),
    () => log.info({ dropped }, 'the ledger can be written again'),
  )
  const batches = createBatchWriter(queue, ledger, outage)
  const stats = () => ({
    queued: queue.count(),
    dropped,
    written: batches.kept('stored'),
    inMemory: batches.kept('memory'),
  })

  function schedule() {
    if (isClosed) return
    timer ??= setTimeout(() => {
      timer = null
      void run(batches.writeAll)
    }, batches.delayMs()).unref()
  }

  /** Runs work on the ledger, unless other work is running: then resolves when that is done. */
  function run(work: () => Promise<unknown>): Promise<unknown> {
    writing ??= work().finally(() => {
      writing = null
      if (!queue.isEmpty()) schedule()
    })
    return writing
  }

  async function flush() {
    if (timer) clearTimeout(timer)
    timer = null
    // The running work may be `open`, which writes nothing of the queue.
    await writing
    await run(batches.writeAll)
  }

  return {
    add(record) {
      if (!queue.add(record)) dropped++
      schedule()
    },
    addAll(entries) {
      dropped += queue.addAll(entries)
      schedule()
    },
    open: () => void run(batches.writeNothing),
    flush,
    async close() {
      isClosed = true
      await flush()
      outage.stop()
    },
    stats,
  }
}
