import type { Occurrence } from '../../errors/failure-record.ts'
import { fingerprintOfDigest } from '../entries.ts'
import {
  DEFAULT_OCCURRENCES,
  type FailureDetails,
  type Ledger,
  type LedgerLimits,
  type ListQuery,
  MAX_RELEASES,
} from '../ledger.ts'
import { comesAfter, compareTexts, createOrder } from '../list-order.ts'
import { matches } from '../summary.ts'
import { pruneMemory } from './prune.ts'
import { countBytes, createMemoryStore } from './store.ts'
import { writeEntry } from './write.ts'

/** Creates a ledger that ends with the process. `maxBytes` limits the length of its failures as JSON. */
export function createMemoryLedger(limits: LedgerLimits): Ledger {
  const store = createMemoryStore()
  const { failures, releases } = store
  const detailsOf = (fingerprint: string) => failures.get(fingerprint)?.details
  const allDetails = () => [...failures.values()].map(({ details }) => details)

  return {
    async record(entries) {
      for (const entry of entries) writeEntry(store, entry, limits.maxOccurrences)
      pruneMemory(store, limits)
      return 'memory'
    },
    async list(query) {
      const listed = allDetails()
        .filter((failure) => matches(failure, query) && isOfRoute(failure, query) && isOfRelease(failure, query))
        .sort(createOrder(query.sort))
        .filter(comesAfter(query))
      return listed.slice(0, query.limit).map(({ error: _error, occurrences: _occurrences, ...summary }) => summary)
    },
    async read(fingerprint, { limit = DEFAULT_OCCURRENCES, occurrence } = {}) {
      const details = detailsOf(fingerprint)
      if (!details) return null
      const isRequested = ({ digest }: Occurrence) => digest.slice(fingerprint.length + 1) === occurrence
      const requested = details.occurrences.filter(isRequested)
      const others = details.occurrences.filter((other) => !isRequested(other))
      return { ...details, occurrences: [...requested, ...others].slice(0, limit) }
    },
    fingerprints: async () => [...failures.keys()],
    async releases() {
      const met = [...releases].filter(([, { isBuild }]) => !isBuild)
      met.sort(([a, one], [b, other]) => other.firstMet - one.firstMet || compareTexts(a, b))
      return met.slice(0, MAX_RELEASES).map(([release]) => release)
    },
    hours: async (sinceHour) =>
      [...failures].flatMap(([fingerprint, { hours }]) =>
        [...hours].flatMap(([hour, count]) => (hour >= sinceHour ? [{ fingerprint, hour, count }] : [])),
      ),
    async markRecovered(digest) {
      const occurrence = detailsOf(fingerprintOfDigest(digest))?.occurrences.find((one) => one.digest === digest)
      if (occurrence) occurrence.isRecovered = true
      return occurrence !== undefined
    },
    async setSolved(fingerprint, at) {
      const details = detailsOf(fingerprint)
      if (details) details.solvedAt = at
      return details !== undefined
    },
    stats: async () => ({
      failures: failures.size,
      occurrences: allDetails().reduce((sum, { occurrences }) => sum + occurrences.length, 0),
      bytes: countBytes(store),
    }),
    close: async () => failures.clear(),
  }
}

function isOfRelease({ firstRelease, lastRelease, occurrences }: FailureDetails, { release }: ListQuery): boolean {
  if (release === undefined || release === firstRelease || release === lastRelease) return true
  return occurrences.some((occurrence) => occurrence.release === release)
}

function isOfRoute({ occurrences }: FailureDetails, { route }: ListQuery): boolean {
  return route === undefined || occurrences.some((occurrence) => occurrence.route === route)
}
