import type { Side } from '../../../shared/wire/public-error.ts'
import { hourOf } from '../entries.ts'
import { LEAST_PLACES, type LedgerLimits } from '../ledger.ts'
import { countBytes, type MemoryStore } from './store.ts'

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
