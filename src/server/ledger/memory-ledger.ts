import type { Side } from '../../shared/page-types.ts'
import { hourOf } from './entries.ts'
import {
  type FailureDetails,
  LEAST_PLACES,
  type Ledger,
  type LedgerEntry,
  type LedgerLimits,
  type ListQuery,
} from './ledger.ts'
import { comesAfter, compareTexts, createOrder } from './list-order.ts'
import { matches, summaryOf } from './summary.ts'

const DEFAULT_OCCURRENCES = 50

interface Kept {
  details: FailureDetails
  hours: Map<number, number>
  /** Of its JSON. */
  bytes: number
}

/** A ledger that ends with the process. Its bytes are those of its JSON. */
export function createMemoryLedger(limits: LedgerLimits): Ledger {
  /** What was seen last stands last. */
  const kept = new Map<string, Kept>()
  /** When each release, and each build, was met first. */
  const releases = new Map<string, { firstMet: number; isBuild: boolean }>()

  function meet(name: string, firstMet: number, isBuild: boolean) {
    if (!releases.has(name)) releases.set(name, { firstMet, isBuild })
  }

  function add(entry: LedgerEntry) {
    const found = kept.get(entry.fingerprint)
    const known = found?.details.side === entry.side ? found : undefined
    if (found && !known && entry.side === 'client') return
    const summary = summaryOf(entry, known?.details ?? null)
    for (const { release, build = release, time } of entry.occurrences) {
      meet(release, time, false)
      meet(build, time, true)
    }
    const { solvedAt } = summary
    const isNew = (name: string) => solvedAt !== null && (releases.get(name)?.firstMet ?? 0) > solvedAt
    const isBack = entry.occurrences.some(({ release, build = release }) => isNew(release) || isNew(build))
    const hours = known?.hours ?? new Map<number, number>()
    for (const [hour, count] of Object.entries(entry.hours)) {
      hours.set(Number(hour), (hours.get(Number(hour)) ?? 0) + count)
    }
    const occurrences = [...entry.occurrences.toReversed(), ...(known?.details.occurrences ?? [])]
    occurrences.sort((a, b) => b.time - a.time)
    const details: FailureDetails = {
      ...summary,
      solvedAt: isBack ? null : solvedAt,
      error: entry.error,
      occurrences: occurrences.slice(0, limits.maxOccurrences),
    }
    kept.delete(entry.fingerprint)
    kept.set(entry.fingerprint, { details, hours, bytes: JSON.stringify(details).length })
  }

  function prune(oldest: number) {
    for (const [fingerprint, { details }] of kept) if (details.lastSeen < oldest) kept.delete(fingerprint)
    let bytes = bytesKept()
    const isTooMuch = () => kept.size > 1 && (kept.size > limits.maxFailures || bytes > limits.maxBytes)
    if (isTooMuch()) {
      for (const fingerprint of firstToGo()) {
        bytes -= kept.get(fingerprint)?.bytes ?? 0
        kept.delete(fingerprint)
        if (!isTooMuch()) break
      }
    }
    const failing = new Set(
      [...kept.values()].flatMap(({ details }) => [details.lastRelease, details.occurrences[0]?.build]),
    )
    for (const [name, { firstMet }] of releases) if (firstMet < oldest && !failing.has(name)) releases.delete(name)
    for (const { details, hours } of kept.values()) {
      details.occurrences = details.occurrences.filter(({ time }) => time >= oldest)
      for (const hour of hours.keys()) if (hour < hourOf(oldest)) hours.delete(hour)
    }
  }

  // First those of browsers that are more than those of the server, then those of one place that are more than its share:
  // what anybody can report, or put into a message, pushes out nothing else.
  function firstToGo(): Iterable<string> {
    const fingerprintsOf = (side: Side) =>
      [...kept].flatMap(([fingerprint, { details }]) => (details.side === side ? [fingerprint] : []))
    const clients = fingerprintsOf('client')
    const over = clients.slice(0, Math.max(0, clients.length - fingerprintsOf('server').length))
    return new Set([...over, ...beyondShare(), ...kept.keys()])
  }

  function beyondShare(): string[] {
    const places = new Map<string, string[]>()
    for (const [fingerprint, { details }] of kept) {
      const place = JSON.stringify([details.side, details.type, details.source])
      places.set(place, [...(places.get(place) ?? []), fingerprint])
    }
    const share = Math.floor(kept.size / LEAST_PLACES)
    return [...places.values()].flatMap((all) => all.slice(0, Math.max(0, all.length - share)))
  }

  const bytesKept = () => [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  const details = () => [...kept.values()].map((entry) => entry.details).toReversed()

  return {
    async record(entries) {
      for (const entry of entries) add(entry)
      prune(Date.now() - limits.maxAgeMs)
    },
    async list(query) {
      const found = details()
        .filter((failure) => matches(failure, query) && isOfRoute(failure, query) && isOfRelease(failure, query))
        .sort(createOrder(query.sort))
        .filter(comesAfter(query))
      return found.slice(0, query.limit).map(({ error: _error, occurrences: _occurrences, ...summary }) => summary)
    },
    async read(fingerprint, { limit = DEFAULT_OCCURRENCES, occurrence } = {}) {
      const found = kept.get(fingerprint)?.details
      if (!found) return null
      const meant = found.occurrences.filter(({ digest }) => digest.slice(fingerprint.length + 1) === occurrence)
      const others = found.occurrences.filter((one) => !meant.includes(one))
      return { ...found, occurrences: [...meant, ...others].slice(0, limit) }
    },
    fingerprints: async () => [...kept.keys()],
    async releases() {
      const met = [...releases].filter(([, { isBuild }]) => !isBuild)
      met.sort(([a, one], [b, other]) => other.firstMet - one.firstMet || compareTexts(a, b))
      return met.slice(0, 100).map(([release]) => release)
    },
    hours: async (sinceHour) =>
      [...kept].flatMap(([fingerprint, { hours }]) =>
        [...hours].flatMap(([hour, count]) => (hour >= sinceHour ? [{ fingerprint, hour, count }] : [])),
      ),
    async markRecovered(digest) {
      const found = kept.get(digest.slice(0, digest.indexOf('-')))?.details.occurrences
      const occurrence = found?.find((one) => one.digest === digest)
      if (occurrence) occurrence.isRecovered = true
      return occurrence !== undefined
    },
    async setSolved(fingerprint, at) {
      const found = kept.get(fingerprint)?.details
      if (found) found.solvedAt = at
      return found !== undefined
    },
    stats: async () => ({
      failures: kept.size,
      occurrences: details().reduce((sum, { occurrences }) => sum + occurrences.length, 0),
      bytes: bytesKept(),
    }),
    close: async () => kept.clear(),
  }
}

function isOfRelease({ firstRelease, lastRelease, occurrences }: FailureDetails, { release }: ListQuery): boolean {
  if (release === undefined || release === firstRelease || release === lastRelease) return true
  return occurrences.some((occurrence) => occurrence.release === release)
}

function isOfRoute({ occurrences }: FailureDetails, { route }: ListQuery): boolean {
  return route === undefined || occurrences.some((occurrence) => occurrence.route === route)
}
