import type { FailureDetails, LedgerEntry } from '../ledger.ts'
import { summaryOf } from '../summary.ts'
import type { MemoryStore } from './store.ts'

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
