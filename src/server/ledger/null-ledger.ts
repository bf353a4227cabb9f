import type { Ledger } from './ledger.ts'

/** Keeps nothing: what fails stands in the log alone. */
export function createNullLedger(): Ledger {
  return {
    record: async () => {},
    list: async () => [],
    read: async () => null,
    fingerprints: async () => [],
    releases: async () => [],
    hours: async () => [],
    markRecovered: async () => false,
    setSolved: async () => false,
    stats: async () => ({ failures: 0, occurrences: 0, bytes: 0 }),
    close: async () => {},
  }
}
