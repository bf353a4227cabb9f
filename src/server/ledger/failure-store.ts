import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { Ledger } from './ledger.ts'
import { createLedgerWriter, type LedgerWriter } from './ledger-writer.ts'
import { createLedger, type LedgerOptions } from './open-ledger.ts'

/** Takes the failures of a server: writes them to its ledger, and passes them to listeners. */
export interface FailureStore {
  ledger: Ledger
  writer: LedgerWriter
  /** Opens the ledger after a second, so that a problem with it is logged before its first use. */
  open(): void
  /** Writes a failure, and calls the listeners. Never throws and never waits. */
  add(failure: FailureRecord): void
  /** Marks an occurrence after which the browser showed the page. Never throws or waits; logs errors. */
  markRecovered(digest: string): void
  /** Calls `listener` with each failure, also after it has thrown. Returns a function that removes it. */
  subscribe(listener: (failure: FailureRecord) => void): () => void
  /** Writes what is queued and closes the ledger. */
  close(): Promise<void>
}

/** Creates the store of a site, given its folder. Throws HYD_OPTION_INVALID for an invalid ledger. */
export function createFailureStore(siteDir: string, options: LedgerOptions, log: FastifyBaseLogger): FailureStore {
  return createFailureStoreFor(createLedger(siteDir, options, log), log)
}

/** The first responses after a start come before the ledger, whose thread takes as much CPU time as they do. */
const OPEN_MS = 1_000
/** Within this time another process of the site writes its queue. */
const RETRY_MS = 1_000

/** Creates a store with the given ledger. The store closes it. */
export function createFailureStoreFor(
  ledger: Ledger,
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>,
): FailureStore {
  const writer = createLedgerWriter(ledger, log)
  const recoveries = createRecoveries(ledger, writer, log)
  const listeners = new Set<(failure: FailureRecord) => void>()
  let opening: NodeJS.Timeout | undefined
  return {
    ledger,
    writer,
    open() {
      opening ??= setTimeout(writer.open, OPEN_MS).unref()
    },
    add(failure) {
      writer.add(failure)
      for (const listener of listeners) {
        try {
          listener(failure)
        } catch (err) {
          log.error({ err, digest: failure.digest }, 'a failure listener threw')
        }
      }
    },
    markRecovered: recoveries.mark,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      clearTimeout(opening)
      await Promise.all([writer.close(), recoveries.close()])
      const { queued, dropped, inMemory } = writer.stats()
      if (queued + dropped + inMemory > 0)
        log.warn(
          { queued, dropped, inMemory },
          'occurrences of failures are lost, because the ledger could not be written',
        )
      await ledger.close()
    },
  }
}

/** Marks occurrences as recovered in the background, until it is closed. */
function createRecoveries(ledger: Ledger, writer: LedgerWriter, log: Pick<FastifyBaseLogger, 'warn'>) {
  const running = new Set<Promise<void>>()
  const closing = new AbortController()
  const { signal } = closing
  setMaxListeners(0, signal)

  // The occurrence may still be queued, in this process or in another one.
  async function markQueued(digest: string) {
    await writer.flush()
    if (await ledger.markRecovered(digest)) return
    await wait(RETRY_MS, undefined, { ref: false, signal })
    await ledger.markRecovered(digest)
  }

  return {
    mark(digest: string) {
      // A closed ledger would open again.
      if (signal.aborted) return
      const marked = markQueued(digest)
        .catch((err) => {
          if (!signal.aborted) log.warn({ err, digest }, 'the ledger could not mark a failure as recovered')
        })
        .finally(() => running.delete(marked))
      running.add(marked)
    },
    async close() {
      closing.abort()
      await Promise.all(running)
    },
  }
}
