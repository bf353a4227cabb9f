import type { Side } from '../../shared/wire/public-error.ts'
import type { Occurrence } from '../errors/failure-record.ts'
import { type FailureDetails, fingerprintOfDigest, hourOf, type LedgerEntry, summaryOf } from './entries.ts'
import {
  comesAfter,
  compareTexts,
  createOrder,
  DEFAULT_OCCURRENCES,
  LEAST_PLACES,
  type Ledger,
  type LedgerLimits,
  type ListQuery,
  MAX_RELEASES,
  matches,
} from './ledger.ts'
import {
  addTimes,
  compareRequests,
  latestById,
  MAX_SLOW_REQUESTS,
  MAX_TIMES,
  oldestOf,
  type SlowRequest,
  type StepTimes,
  selectRequests,
  slotOf,
  type TimesLedger,
} from './times.ts'

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
    ...createMemoryTimes(),
    close: async () => failures.clear(),
  }
}

function createMemoryTimes(): TimesLedger {
  /** The newest slots first, and in a slot what took the longest. */
  let kept: { slot: number; writer: string; times: StepTimes }[] = []
  /** Also the newest slots first, and in a slot the slowest. */
  let requests: SlowRequest[] = []
  return {
    async recordTimes(batch) {
      // The writer continues to count.
      const { slot, writer, steps, requests: added } = structuredClone(batch)
      const oldest = oldestOf(slot)
      kept = [
        ...kept.filter((one) => one.slot >= oldest && (one.slot !== slot || one.writer !== writer)),
        ...addTimes(steps).map((times) => ({ slot, writer, times })),
      ]
      kept.sort((a, b) => b.slot - a.slot || b.times.sumMs - a.times.sumMs)
      kept.splice(MAX_TIMES)
      requests = latestById([...requests, ...added]).filter(({ time }) => slotOf(time) >= oldest)
      requests.sort((a, b) => slotOf(b.time) - slotOf(a.time) || compareRequests(a, b))
      requests.splice(MAX_SLOW_REQUESTS)
    },
    times: async (sinceSlot) => ({
      steps: addTimes(kept.flatMap(({ slot, times }) => (slot >= sinceSlot ? [times] : []))),
      requests: selectRequests(requests.filter(({ time }) => slotOf(time) >= sinceSlot)),
      oldestSlot: kept.at(-1)?.slot ?? null,
    }),
    slowRequest: async (id) => requests.find((request) => request.id.toLowerCase() === id.toLowerCase()) ?? null,
  }
}

function isOfRelease({ firstRelease, lastRelease, occurrences }: FailureDetails, { release }: ListQuery): boolean {
  if (release === undefined || release === firstRelease || release === lastRelease) return true
  return occurrences.some((occurrence) => occurrence.release === release)
}

function isOfRoute({ occurrences }: FailureDetails, { route }: ListQuery): boolean {
  return route === undefined || occurrences.some((occurrence) => occurrence.route === route)
}

/** Removes everything that is beyond the limits. */
export function pruneMemory(store: MemoryStore, limits: LedgerLimits) {
  const oldest = Date.now() - limits.maxAgeMs
  pruneFailures(store, oldest, limits)
  pruneReleases(store, oldest)
  for (const { details, hours } of store.failures.values()) {
    details.occurrences = details.occurrences.filter(({ time }) => time >= oldest)
    for (const hour of hours.keys()) if (hour < hourOf(oldest)) hours.delete(hour)
  }
}

function pruneFailures(store: MemoryStore, oldest: number, { maxFailures, maxBytes }: LedgerLimits) {
  const { failures } = store
  for (const [fingerprint, { details }] of failures) if (details.lastSeen < oldest) failures.delete(fingerprint)
  let bytes = countBytes(store)
  const isTooMuch = () => failures.size > 1 && (failures.size > maxFailures || bytes > maxBytes)
  if (!isTooMuch()) return
  for (const fingerprint of firstToGo(store)) {
    bytes -= failures.get(fingerprint)?.bytes ?? 0
    failures.delete(fingerprint)
    if (!isTooMuch()) return
  }
}

// A failure whose last release or build is forgotten could not be reopened correctly.
function pruneReleases({ failures, releases }: MemoryStore, oldest: number) {
  const failing = new Set(
    [...failures.values()].flatMap(({ details }) => [details.lastRelease, details.occurrences[0]?.build]),
  )
  for (const [name, { firstMet }] of releases) if (firstMet < oldest && !failing.has(name)) releases.delete(name)
}

/**
 * Returns all fingerprints in the order in which they are removed: first the browsers' failures that outnumber the
 * server's, then the failures of a throw site that exceed its share, then the others. Clients can cause the first two
 * kinds at will, with reports and with messages that vary; they must not displace other failures.
 */
function firstToGo(store: MemoryStore): Iterable<string> {
  const { failures } = store
  const fingerprintsOf = (side: Side) =>
    [...failures].flatMap(([fingerprint, { details }]) => (details.side === side ? [fingerprint] : []))
  const clients = fingerprintsOf('client')
  const outnumbering = clients.slice(0, Math.max(0, clients.length - fingerprintsOf('server').length))
  return new Set([...outnumbering, ...beyondShare(store), ...failures.keys()])
}

function beyondShare({ failures }: MemoryStore): string[] {
  const places = new Map<string, string[]>()
  for (const [fingerprint, { details }] of failures) {
    const place = JSON.stringify([details.side, details.type, details.source])
    places.set(place, [...(places.get(place) ?? []), fingerprint])
  }
  const share = Math.floor(failures.size / LEAST_PLACES)
  return [...places.values()].flatMap((all) => all.slice(0, Math.max(0, all.length - share)))
}

export interface StoredFailure {
  details: FailureDetails
  /** Occurrences by hour, as hours since 1970. */
  hours: Map<number, number>
  /** The length of `details` as JSON. */
  bytes: number
}

/** The contents of a ledger in memory. */
export interface MemoryStore {
  /** By fingerprint; the failure that was written last is the last one. */
  failures: Map<string, StoredFailure>
  /** Releases and builds by name, with the time of their first failure. */
  releases: Map<string, { firstMet: number; isBuild: boolean }>
}

export function createMemoryStore(): MemoryStore {
  return { failures: new Map(), releases: new Map() }
}

export function countBytes({ failures }: MemoryStore): number {
  return [...failures.values()].reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Writes one entry of a batch. When the server and browsers share a fingerprint, only the server's failure is kept: a
 * browser's entry is ignored, and the server's entry replaces the browsers' failure.
 */
export function writeEntry(store: MemoryStore, entry: LedgerEntry, maxOccurrences: number) {
  const { failures } = store
  const stored = failures.get(entry.fingerprint)
  const earlier = stored?.details.side === entry.side ? stored : undefined
  if (stored && !earlier && entry.side === 'client') return
  addReleases(store, entry)
  const summary = summaryOf(entry, earlier?.details ?? null)
  const occurrences = [...entry.occurrences.toReversed(), ...(earlier?.details.occurrences ?? [])]
  occurrences.sort((a, b) => b.time - a.time)
  const details: FailureDetails = {
    ...summary,
    solvedAt: isReopened(store, entry, summary.solvedAt) ? null : summary.solvedAt,
    error: entry.error,
    occurrences: occurrences.slice(0, maxOccurrences),
  }
  const hours = earlier?.hours ?? new Map<number, number>()
  for (const [hour, count] of Object.entries(entry.hours)) {
    hours.set(Number(hour), (hours.get(Number(hour)) ?? 0) + count)
  }
  // Deleted first, so that it becomes the last one.
  failures.delete(entry.fingerprint)
  failures.set(entry.fingerprint, { details, hours, bytes: JSON.stringify(details).length })
}

function addReleases({ releases }: MemoryStore, { occurrences }: LedgerEntry) {
  for (const { release, build = release, time } of occurrences) {
    if (!releases.has(release)) releases.set(release, { firstMet: time, isBuild: false })
    if (!releases.has(build)) releases.set(build, { firstMet: time, isBuild: true })
  }
}

/** Returns whether a solved failure has happened in a release or build that first failed after it was solved. */
function isReopened({ releases }: MemoryStore, { occurrences }: LedgerEntry, solvedAt: number | null): boolean {
  if (solvedAt === null) return false
  const isNew = (name: string) => (releases.get(name)?.firstMet ?? 0) > solvedAt
  return occurrences.some(({ release, build = release }) => isNew(release) || isNew(build))
}

/** Returns a ledger that keeps nothing: an empty one that ignores what it is given. */
export function createNullLedger(): Ledger {
  const empty = createMemoryLedger({ maxFailures: 0, maxOccurrences: 0, maxAgeMs: 0, maxBytes: 0 })
  return { ...empty, record: async () => 'nowhere', recordTimes: async () => {} }
}
