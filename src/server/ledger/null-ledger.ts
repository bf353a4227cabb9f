import type { Ledger } from './ledger.ts'
import { createMemoryLedger } from './memory/memory-ledger.ts'

/** Returns a ledger that keeps nothing: an empty one that ignores what it is given. */
export function createNullLedger(): Ledger {
  const empty = createMemoryLedger({ maxFailures: 0, maxOccurrences: 0, maxAgeMs: 0, maxBytes: 0 })
  return { ...empty, record: async () => 'nowhere' }
}
