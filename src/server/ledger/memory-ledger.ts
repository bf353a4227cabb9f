import type { Side } from '../../shared/page-types.ts'
import { hourOf } from './entries.ts'
import {
  type CauseDetails,
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
  details: CauseDetails
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
    const found = kept.get(entry.cause)
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
    const details: CauseDetails = {
      ...summary,
      solvedAt: isBack ? null : solvedAt,
      error: entry.error,
      occurrences: occurrences.slice(0, limits.maxOccurrences),
    }
    kept.delete(entry.cause)
    kept.set(entry.cause, { details, hours, bytes: JSON.stringify(details).length })
  }

  function prune(oldest: number) {
    for (const [cause, { details }] of kept) if (details.lastSeen < oldest) kept.delete(cause)
    let bytes = bytesKept()
    const isTooMuch = () => kept.size > 1 && (kept.size > limits.maxCauses || bytes > limits.maxBytes)
    if (isTooMuch()) {
      for (const cause of firstToGo()) {
        bytes -= kept.get(cause)?.bytes ?? 0
        kept.delete(cause)
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
    const causesOf = (side: Side) => [...kept].flatMap(([cause, { details }]) => (details.side === side ? [cause] : []))
    const clients = causesOf('client')
    const over = clients.slice(0, Math.max(0, clients.length - causesOf('server').length))
    return new Set([...over, ...beyondShare(), ...kept.keys()])
  }

  function beyondShare(): string[] {
    const places = new Map<string, string[]>()
    for (const [cause, { details }] of kept) {
      const place = JSON.stringify([details.side, details.type, details.source])
      places.set(place, [...(places.get(place) ?? []), cause])
    }
    const share = Math.floor(kept.size / LEAST_PLACES)
    return [...places.values()].flatMap((causes) => causes.slice(0, Math.max(0, causes.length - share)))
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
        .filter((cause) => matches(cause, query) && isOfRoute(cause, query) && isOfRelease(cause, query))
        .sort(createOrder(query.sort))
        .filter(comesAfter(query))
      return found.slice(0, query.limit).map(({ error: _error, occurrences: _occurrences, ...summary }) => summary)
    },
    async read(cause, { limit = DEFAULT_OCCURRENCES, occurrence } = {}) {
      const found = kept.get(cause)?.details
      if (!found) return null
      const meant = found.occurrences.filter(({ digest }) => digest.slice(cause.length + 1) === occurrence)
      const others = found.occurrences.filter((one) => !meant.includes(one))
      return { ...found, occurrences: [...meant, ...others].slice(0, limit) }
    },
    causes: async () => [...kept.keys()],
    async releases() {
      const met = [...releases].filter(([, { isBuild }]) => !isBuild)
      met.sort(([a, one], [b, other]) => other.firstMet - one.firstMet || compareTexts(a, b))
      return met.slice(0, 100).map(([release]) => release)
    },
    hours: async (sinceHour) =>
      [...kept].flatMap(([cause, { hours }]) =>
        [...hours].flatMap(([hour, count]) => (hour >= sinceHour ? [{ cause, hour, count }] : [])),
      ),
    async markRecovered(digest) {
      const found = kept.get(digest.slice(0, digest.indexOf('-')))?.details.occurrences
      const occurrence = found?.find((one) => one.digest === digest)
      if (occurrence) occurrence.isRecovered = true
      return occurrence !== undefined
    },
    async setSolved(cause, at) {
      const found = kept.get(cause)?.details
      if (found) found.solvedAt = at
      return found !== undefined
    },
    stats: async () => ({
      causes: kept.size,
      occurrences: details().reduce((sum, { occurrences }) => sum + occurrences.length, 0),
      bytes: bytesKept(),
    }),
    close: async () => kept.clear(),
  }
}

function isOfRelease({ firstRelease, lastRelease, occurrences }: CauseDetails, { release }: ListQuery): boolean {
  if (release === undefined || release === firstRelease || release === lastRelease) return true
  return occurrences.some((occurrence) => occurrence.release === release)
}

function isOfRoute({ occurrences }: CauseDetails, { route }: ListQuery): boolean {
  return route === undefined || occurrences.some((occurrence) => occurrence.route === route)
}
