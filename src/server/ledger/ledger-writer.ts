import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import { createThrottledLine } from '../log/throttled-line.ts'
import { messageOf } from '../util/message-of.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import { createWriteQueue } from './write-queue.ts'

/** How long a failure waits for others to be written with it, */
const GATHER_MS = 200
/** and in a storm, in which more come than are kept: what writes them is to have its hands free. */
const STORM_GATHER_MS = 1_000
/** The longest that is waited before a ledger which could not be written is tried again. */
const LONGEST_PAUSE_MS = 10_000
const MAX_CHARACTERS_WAITING = 32_000_000
const MAX_FAILURES_AT_ONCE = 200

export interface WriterStats {
  /** Failures that wait to be written. */
  queued: number
  /** Failures that are lost, as the queue was full. */
  dropped: number
  written: number
}

/** Writes failures behind the requests that they happen in, gathered into batches. */
export interface LedgerWriter {
  /** Never throws and never waits. */
  add(record: FailureRecord): void
  /** The same for what another process has gathered. */
  addAll(entries: readonly LedgerEntry[]): void
  /** Writes nothing, in order to be told what is wrong. */
  open(): void
  /** Resolves when all that was added has been written, or could not be. */
  flush(): Promise<void>
  /** Flushes, and does not try again what could not be written. */
  close(): Promise<void>
  stats(): WriterStats
}

/**
 * While the ledger cannot be written, what there is to write waits in memory, up to a bound, and is counted beyond it;
 * one warning a minute says so.
 */
export function createLedgerWriter(
  { record }: Pick<Ledger, 'record'>,
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  maxCharacters = MAX_CHARACTERS_WAITING,
): LedgerWriter {
  const waiting = createWriteQueue(maxCharacters)
  /** On its way, or refused. It stays the same until it is written: a ledger has to tell whether it has had it already. */
  let batch: LedgerEntry[] | null = null
  let dropped = 0
  let written = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null
  let pauseMs = 0
  let gatherMs = GATHER_MS
  let isClosed = false
  let lastError: unknown
  const warning = createThrottledLine(() =>
    log.warn(
      { err: lastError, queued: queued(), dropped },
      `the ledger cannot be written, so failures are kept in memory for now: ${messageOf(lastError)}`,
    ),
  )

  function schedule() {
    if (isClosed) return
    timer ??= setTimeout(() => {
      timer = null
      void write()
    }, pauseMs || gatherMs).unref()
  }

  /** One after the other, as the ledger is asked for one thing at a time. */
  function run(work: () => Promise<void>): Promise<void> {
    writing ??= work().finally(() => {
      writing = null
      if (isAnythingLeft()) schedule()
    })
    return writing
  }

  /** Resolves when there is nothing left, or the ledger has refused. */
  const write = () => run(writeAll)

  const isAnythingLeft = () => batch !== null || waiting.failures > 0

  async function writeAll() {
    while (isAnythingLeft()) {
      batch ??= waiting.take(MAX_FAILURES_AT_ONCE)
      try {
        await record(batch)
      } catch (error) {
        return refused(error)
      }
      written += countOf(batch)
      gatherMs = batch.some(({ count, occurrences }) => count > occurrences.length) ? STORM_GATHER_MS : GATHER_MS
      batch = null
      waiting.release()
      works()
    }
  }

  function works() {
    if (pauseMs > 0) log.info({ dropped }, 'the ledger can be written again')
    pauseMs = 0
    warning.clear()
  }

  function refused(error: unknown) {
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || GATHER_MS * 2)
    lastError = error
    warning.count()
  }

  const queued = () => waiting.count() + countOf(batch ?? [])

  async function flush() {
    if (timer) clearTimeout(timer)
    timer = null
    // A batch that was on its way may have left others behind.
    await writing
    await write()
  }

  return {
    add(record) {
      if (!waiting.add(record)) dropped++
      schedule()
    },
    addAll(entries) {
      dropped += waiting.addAll(entries)
      schedule()
    },
    open: () => void run(() => record([]).then(works, refused)),
    flush,
    async close() {
      isClosed = true
      await flush()
      warning.stop()
    },
    stats: () => ({ queued: queued(), dropped, written }),
  }
}

const countOf = (entries: readonly LedgerEntry[]) => entries.reduce((sum, { count }) => sum + count, 0)
