import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord, KeptError, Occurrence } from '../errors/failure-record.ts'
import { createOutageLog, type OutageLog } from '../log/throttled-line.ts'
import { messageOf } from '../util/unknown-values.ts'
import { addRecord, countOccurrences, cutOccurrences, type LedgerEntry, mergeEntry, toEntry } from './entries.ts'
import type { Kept, Ledger } from './ledger.ts'

const MAX_QUEUED_CHARACTERS = 32_000_000

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
export type LedgerWriter = ReturnType<typeof createLedgerWriter>

/** Creates a writer. During outages, a bounded queue waits, others are counted, and a warning says so once a minute. */
export function createLedgerWriter(
  ledger: Pick<Ledger, 'record'>,
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  maxCharacters = MAX_QUEUED_CHARACTERS,
) {
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
    /** Adds an occurrence. Never throws and never waits. */
    add(record: FailureRecord) {
      if (!queue.add(record)) dropped++
      schedule()
    },
    /** Adds the batch of another process. Never throws and never waits. */
    addAll(entries: readonly LedgerEntry[]) {
      dropped += queue.addAll(entries)
      schedule()
    },
    /** Writes an empty batch, so that a ledger that cannot be written is reported at once. */
    open: () => void run(batches.writeNothing),
    /** Resolves when everything that was added has been written, or could not be written. */
    flush,
    /** Flushes, and ends the retries of what could not be written. */
    async close() {
      isClosed = true
      await flush()
      outage.stop()
    },
    stats,
  }
}

/** How long an occurrence waits, so that others are written in the same batch. */
const BATCH_DELAY_MS = 200
/** This delay applies while there are more occurrences than are kept: fewer batches leave more time for requests. */
const STORM_BATCH_DELAY_MS = 1_000
/** The longest pause before a batch is written again that could not be written. */
const MAX_RETRY_DELAY_MS = 10_000
const MAX_BATCH_FAILURES = 200

/** Creates the writer of a queue. It waits longer in a storm of failures, and after each batch that it cannot write. */
function createBatchWriter(
  queue: WriteQueue,
  ledger: Pick<Ledger, 'record'>,
  outage: Pick<OutageLog, 'failed' | 'ended'>,
) {
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
    /** Resolves when the queue is empty, or a batch could not be written. */
    async writeAll() {
      while (!queue.isEmpty()) {
        const batch = queue.batch(MAX_BATCH_FAILURES)
        if (!(await tryRecord(batch))) return
        const isStorm = batch.some(({ count, occurrences }) => count > occurrences.length)
        batchDelayMs = isStorm ? STORM_BATCH_DELAY_MS : BATCH_DELAY_MS
        queue.release()
      }
    },
    /** Writes an empty batch. Resolves to whether it could be written. */
    writeNothing: () => tryRecord([]),
    /** How long to wait before the next call. */
    delayMs: () => retryDelayMs || batchDelayMs,
    /** Returns how many occurrences the ledger has kept there. */
    kept: (place: Kept) => kept[place],
  }
}

const MAX_FAILURES = 2_000
/** Occurrences of each failure; in a storm the newest are enough. Up to twice as many wait, to cut them less often. */
const MAX_OCCURRENCES = 100
/** Characters that an occurrence, or a frame, is counted with, in addition to its long texts. */
const BASE_SIZE = 300

/** The failures that wait to be written, by fingerprint and side. */
type WriteQueue = ReturnType<typeof createWriteQueue>

interface QueuedEntry {
  entry: LedgerEntry
  size: number
}

/**
 * Creates a queue for at most `maxCharacters`, 2,000 failures, and 100 occurrences of each. Above a limit, a failure
 * that is queued already keeps fewer occurrences and is still counted; another one is not added.
 */
export function createWriteQueue(maxCharacters: number) {
  const queued = new Map<string, QueuedEntry>()
  let batch: LedgerEntry[] | null = null
  let batchSize = 0
  /** With `batchSize`. */
  let totalSize = 0

  function grow(item: QueuedEntry, by: number) {
    item.size += by
    totalSize += by
  }

  function addNew(entry: LedgerEntry): boolean {
    const size = sizeOfEntry(entry)
    if (queued.size >= MAX_FAILURES || totalSize + size > maxCharacters) return false
    queued.set(entryKey(entry), { entry, size })
    totalSize += size
    return true
  }

  const isFull = () => totalSize >= maxCharacters
  const maxOccurrences = () => (isFull() ? 1 : MAX_OCCURRENCES)

  function take({ entry, size }: QueuedEntry): LedgerEntry {
    queued.delete(entryKey(entry))
    batchSize += size
    cutOccurrences(entry, MAX_OCCURRENCES)
    return entry
  }

  return {
    isEmpty: () => batch === null && queued.size === 0,
    /** Adds an occurrence. Returns false if there is no space for it. */
    add(record: FailureRecord) {
      const item = queued.get(entryKey(record))
      if (!item) return addNew(toEntry(record))
      const { entry } = item
      addRecord(entry, record)
      grow(item, sizeOf(record))
      const isLong = entry.occurrences.length > 2 * MAX_OCCURRENCES
      if (isFull() || isLong) grow(item, -sum(cutOccurrences(entry, maxOccurrences()), sizeOf))
      return true
    },
    /** Adds a batch. Returns the number of occurrences that there is no space for. */
    addAll(entries: readonly LedgerEntry[]) {
      let dropped = 0
      for (const entry of entries) {
        const item = queued.get(entryKey(entry))
        if (item) {
          mergeEntry(item.entry, entry, maxOccurrences())
          grow(item, sizeOfEntry(item.entry) - item.size)
        } else if (!addNew(entry)) dropped += entry.count
      }
      return dropped
    },
    /**
     * Returns the first failures, to write them. Until `release` is called, it returns the same array, so that a
     * ledger recognizes a batch that is written again. Until then the batch uses space in the queue.
     */
    batch(maxFailures: number): readonly LedgerEntry[] {
      batch ??= [...queued.values()].slice(0, maxFailures).map(take)
      return batch
    },
    /** Removes the batch, because it was written. */
    release() {
      totalSize -= batchSize
      batchSize = 0
      batch = null
    },
    /** The number of occurrences, with those of the batch. */
    count: () => countOccurrences([...[...queued.values()].map(({ entry }) => entry), ...(batch ?? [])]),
  }
}

function entryKey({ fingerprint, side }: Pick<LedgerEntry, 'fingerprint' | 'side'>): string {
  return `${side} ${fingerprint}`
}

function sizeOfEntry({ error, occurrences }: LedgerEntry): number {
  return sizeOfError(error) + sum(occurrences, sizeOf)
}

function sizeOf({ message, path, pending = [] }: Occurrence): number {
  return BASE_SIZE + message.length + (path ?? '').length + sum(pending, ({ length }) => length)
}

function sizeOfError({ message, stack, cause, errors = [] }: KeptError): number {
  const frames = sum(stack, (frame) => BASE_SIZE + sum(frame.code?.lines ?? [], ({ length }) => length))
  return message.length + frames + (cause ? sizeOfError(cause) : 0) + sum(errors, sizeOfError)
}

function sum<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  let all = 0
  for (const item of items) all += sizeOf(item)
  return all
}
