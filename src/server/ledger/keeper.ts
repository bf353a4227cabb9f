import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord, Ledger } from './ledger.ts'
import { createLedgerWriter, type LedgerWriter } from './ledger-writer.ts'
import { createLedger, type LedgerOptions } from './open-ledger.ts'

/** Where a server's failures go once their lines are written: the ledger, and who else wants to know. */
export interface Keeper {
  ledger: Ledger
  writer: LedgerWriter
  /** Opens the ledger now, in the background, so that what is wrong with it is warned of. It is opened with its first use. */
  open(): void
  /** Never throws and never waits. */
  keep(failure: FailureRecord): void
  /**
   * Tells of each failure from now on, until the function is called that it returns. A listener that throws is logged and
   * told again.
   */
  subscribe(listener: (failure: FailureRecord) => void): () => void
  /** Writes what is left and closes the ledger. */
  close(): Promise<void>
}

/** For a site's folder. Throws HYD_OPTION_INVALID for a ledger that can be none. */
export function createKeeper(siteDir: string, options: LedgerOptions, log: FastifyBaseLogger): Keeper {
  return createKeeperOf(createLedger(siteDir, options, log), log)
}

/** For a ledger that is there already; it is closed with the keeper. */
export function createKeeperOf(ledger: Ledger, log: FastifyBaseLogger): Keeper {
  const writer = createLedgerWriter(ledger, log)
  const listeners = new Set<(failure: FailureRecord) => void>()
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
          log.error({ err, digest: failure.digest }, 'what was to be told of a failure has failed itself')
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      await writer.close()
      const { queued, dropped } = writer.stats()
      if (queued + dropped > 0)
        log.warn({ queued, dropped }, 'failures are lost for the ledger, which could not be written')
      await ledger.close()
    },
  }
}
