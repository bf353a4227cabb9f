import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { createFailureStore, type FailureStore } from '../../src/server/ledger/failure-store.ts'
import type { LedgerOptions } from '../../src/server/ledger/open-ledger.ts'

/** The keepers of a site whose servers come and go while its ledger stays open. */
export interface DevKeepers {
  /** The one for these options: as long as they stay as they are, the same. */
  find(options: LedgerOptions, log: FastifyBaseLogger): FailureStore
  close(): Promise<void>
}

/** `onFailure` is told of each failure, once its line is written. */
export function createDevKeepers(dir: string, onFailure: (failure: FailureRecord) => void): DevKeepers {
  const keepers = new Map<string, FailureStore>()
  return {
    find({ ledger, ledgerLimits }, log) {
      const key = JSON.stringify({ ledger, ledgerLimits })
      const known = keepers.get(key)
      if (known) return known
      const keeper = createFailureStore(dir, { ledger, ledgerLimits }, log)
      keeper.subscribe(onFailure)
      keepers.set(key, keeper)
      return keeper
    },
    // Not before: a server that was replaced may still answer, and fail.
    async close() {
      await Promise.all([...keepers.values()].map((keeper) => keeper.close()))
    },
  }
}
