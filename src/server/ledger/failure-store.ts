import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { Ledger } from './ledger.ts'
import { createLedgerWriter, type LedgerWriter } from './ledger-writer.ts'
import { createLedger, type LedgerOptions } from './open-ledger.ts'

/** Where a server's failures go once their lines are written: the ledger, and who else wants to know. */
export interface FailureStore {
  ledger: Ledger
  writer: LedgerWriter
  /** Opens the ledger now, in the background, so that what is wrong with it is warned of. It is opened with its first use. */
  open(): void
  /** Never throws and never waits. */
  keep(failure: FailureRecord): void
  /** The same for a failure that a browser has shown the page in spite of. */
  markRecovered(digest: string): void
  /**
   * Tells of each failure from now on, until the function is called that it returns. A listener that throws is logged and
   * told again.
   */
  subscribe(listener: (failure: FailureRecord) => void): () => void
  /** Writes what is left and closes the ledger. */
  close(): Promise<void>
}

/** For a site's folder. Throws HYD_OPTION_INVALID for a ledger that can be none. */
export function createFailureStore(siteDir: string, options: LedgerOptions, log: FastifyBaseLogger): FailureStore {
  return createFailureStoreFor(createLedger(siteDir, options, log), log)
}

/** After which another process that serves the site has written what waits there. */
const AGAIN_MS = 1_000

/** For a ledger that is there already; it is closed with the keeper. */
export function createFailureStoreFor(
  ledger: Ledger,
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>,
): FailureStore {
  const writer = createLedgerWriter(ledger, log)
  const listeners = new Set<(failure: FailureRecord) => void>()
  const marking = new Set<Promise<void>>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)

  // The failure may be waiting to be written, here or in another process.
  async function mark(digest: string) {
    await writer.flush()
    if (await ledger.markRecovered(digest)) return
    await wait(AGAIN_MS, undefined, { ref: false, signal: closing.signal })
    await ledger.markRecovered(digest)
  }

  return {
    ledger,
    writer,
    open: writer.open,
    keep(failure) {
      writer.add(failure)
      for (const listener of listeners) {
        try {
          listener(failure)
        } catch (err) {
          log.error({ err, digest: failure.digest }, 'a failure listener threw')
        }
      }
    },
    markRecovered(digest) {
      // It would open the ledger again.
      if (closing.signal.aborted) return
      const marked = mark(digest)
        .catch((err) => {
          if (!closing.signal.aborted) log.warn({ err, digest }, 'the ledger could not mark a failure as recovered')
        })
        .finally(() => marking.delete(marked))
      marking.add(marked)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      closing.abort()
      await Promise.all([writer.close(), ...marking])
      const { queued, dropped } = writer.stats()
      if (queued + dropped > 0)
        log.warn({ queued, dropped }, 'failures are lost, because the ledger could not be written')
      await ledger.close()
    },
  }
}
