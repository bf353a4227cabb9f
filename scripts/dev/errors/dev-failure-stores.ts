import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import { createFailureStore, type FailureStore } from '../../../src/server/ledger/failure-store.ts'
import type { LedgerOptions } from '../../../src/server/ledger/open-ledger.ts'

/** The failure stores of a site in development. A store stays open when the site's server is replaced. */
export interface DevFailureStores {
  /** Returns the store for these options, and creates it when they are new. */
  find(options: LedgerOptions, log: FastifyBaseLogger): FailureStore
  close(): Promise<void>
}

/** Creates the stores of the site in `dir`. Calls `onFailure` with each failure, after its line is logged. */
export function createDevFailureStores(dir: string, onFailure: (failure: FailureRecord) => void): DevFailureStores {
  const stores = new Map<string, FailureStore>()
  return {
    find({ ledger, ledgerLimits }, log) {
      const key = JSON.stringify({ ledger, ledgerLimits })
      const present = stores.get(key)
      if (present) return present
      const store = createFailureStore(dir, { ledger, ledgerLimits }, log)
      store.subscribe(onFailure)
      stores.set(key, store)
      return store
    },
    // Stores of earlier options stay open until then: a replaced server may still respond, and fail.
    async close() {
      await Promise.all([...stores.values()].map((store) => store.close()))
    },
  }
}
