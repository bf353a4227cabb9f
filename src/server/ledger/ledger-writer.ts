import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import { countOccurrences } from './entries.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import { createOutageLog } from './outage-log.ts'
import { createWriteQueue } from './write-queue.ts'

/** How long an occurrence waits, so that others are written in the same batch. */
const BATCH_DELAY_MS = 200
/** This delay applies while there are more occurrences than are kept: fewer batches leave more time for requests. */
const STORM_BATCH_DELAY_MS = 1_000
/** The longest pause before a batch is written again that could not be written. */
const MAX_RETRY_DELAY_MS = 10_000
const MAX_QUEUED_CHARACTERS = 32_000_000
const MAX_BATCH_FAILURES = 200

/** Numbers of occurrences. */
export interface WriterStats {
  /** Waiting to be written. */
  queued: number
  /** Lost, because the queue was full. */
  dropped: number
  written: number
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
  let written = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<unknown> | null = null
  let retryDelayMs = 0
  let batchDelayMs = BATCH_DELAY_MS
  let isClosed = false

  const stats = () => ({ queued: queue.count(), dropped, written })
  const outage = createOutageLog(log, stats)

  function schedule() {
    if (isClosed) return
    timer ??= setTimeout(() => {
      timer = null
      void write()
    }, retryDelayMs || batchDelayMs).unref()
  }

  /** Runs work on the ledger, unless other work is running: then resolves when that is done. */
  function run(work: () => Promise<unknown>): Promise<unknown> {
    writing ??= work().finally(() => {
      writing = null
      if (!queue.isEmpty()) schedule()
    })
    return writing
  }

  /** Resolves when the queue is empty, or the ledger could not be written. */
  const write = () => run(writeAll)

  async function writeAll() {
    while (!queue.isEmpty()) {
      const batch = queue.batch(MAX_BATCH_FAILURES)
      if (!(await tryRecord(batch))) return
      written += countOccurrences(batch)
      const isStorm = batch.some(({ count, occurrences }) => count > occurrences.length)
      batchDelayMs = isStorm ? STORM_BATCH_DELAY_MS : BATCH_DELAY_MS
      queue.release()
    }
  }

  async function tryRecord(batch: readonly LedgerEntry[]): Promise<boolean> {
    try {
      await ledger.record(batch)
      retryDelayMs = 0
      outage.ended()
      return true
    } catch (error) {
      retryDelayMs = Math.min(MAX_RETRY_DELAY_MS, retryDelayMs * 2 || BATCH_DELAY_MS * 2)
      outage.failed(error)
      return false
    }
  }

  async function flush() {
    if (timer) clearTimeout(timer)
    timer = null
    // The running work may be `open`, which writes nothing of the queue.
    await writing
    await write()
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
    open: () => void run(() => tryRecord([])),
    flush,
    async close() {
      isClosed = true
      await flush()
      outage.stop()
    },
    stats,
  }
}
