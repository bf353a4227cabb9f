import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord, Ledger } from './ledger.ts'
import { createLedgerWriter, type LedgerWriter } from './ledger-writer.ts'
import { createMemoryLedger } from './memory-ledger.ts'

const LIMITS = { maxCauses: 1_000, maxOccurrences: 100, maxAgeMs: 30 * 86_400_000, maxBytes: 20_000_000 }

/** Where a server's failures go once their lines are written: the ledger, and who else wants to know. */
export interface Keeper {
  ledger: Ledger
  writer: LedgerWriter
  /** Never throws and never waits. */
  keep(failure: FailureRecord): void
  /** Tells of each failure from now on. A listener that throws is logged and asked again. */
  subscribe(listener: (failure: FailureRecord) => void): void
  /** Writes what is left and closes the ledger. */
  close(): Promise<void>
}

export function createKeeper(log: FastifyBaseLogger): Keeper {
  const ledger = createMemoryLedger(LIMITS)
  const writer = createLedgerWriter(ledger, log)
  const listeners: ((failure: FailureRecord) => void)[] = []
  return {
    ledger,
    writer,
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
    subscribe: (listener) => void listeners.push(listener),
    async close() {
      await writer.flush()
      await ledger.close()
    },
  }
}
