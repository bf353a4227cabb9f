import type { Ledger } from './ledger.ts'

/** Does something with a ledger that has to be found first. */
export type UseLedger = <T>(work: (ledger: Ledger) => Promise<T>) => Promise<T>

/** A ledger whose work is done by another one. */
export function createDelegateLedger(use: UseLedger, close: () => Promise<void>): Ledger {
  return {
    record: (entries) => use((ledger) => ledger.record(entries)),
    list: (query) => use((ledger) => ledger.list(query)),
    read: (fingerprint, query) => use((ledger) => ledger.read(fingerprint, query)),
    fingerprints: () => use((ledger) => ledger.fingerprints()),
    releases: () => use((ledger) => ledger.releases()),
    hours: (sinceHour) => use((ledger) => ledger.hours(sinceHour)),
    markRecovered: (digest) => use((ledger) => ledger.markRecovered(digest)),
    setSolved: (fingerprint, at) => use((ledger) => ledger.setSolved(fingerprint, at)),
    stats: () => use((ledger) => ledger.stats()),
    close,
  }
}
