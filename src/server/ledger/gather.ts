import type { FailureRecord, LedgerEntry } from './ledger.ts'

const HOUR_MS = 3_600_000

export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS)
}

/** What a ledger is told of one failure. */
export function entryOf({ cause, side, error, ...occurrence }: FailureRecord): LedgerEntry {
  const { time } = occurrence
  return {
    cause,
    side,
    error,
    count: 1,
    firstSeen: time,
    lastSeen: time,
    hours: { [hourOf(time)]: 1 },
    occurrences: [occurrence],
  }
}

/** Adds a later entry of the same cause to an earlier one. */
export function addEntry(earlier: LedgerEntry, later: LedgerEntry, maxOccurrences: number) {
  earlier.error = later.error
  earlier.count += later.count
  earlier.lastSeen = Math.max(earlier.lastSeen, later.lastSeen)
  earlier.firstSeen = Math.min(earlier.firstSeen, later.firstSeen)
  for (const [hour, count] of Object.entries(later.hours)) {
    earlier.hours[Number(hour)] = (earlier.hours[Number(hour)] ?? 0) + count
  }
  earlier.occurrences.push(...later.occurrences)
  const tooMany = earlier.occurrences.length - maxOccurrences
  // Of many the newest stay, and the very first, which tells what it began with.
  if (tooMany > 0) earlier.occurrences.splice(1, tooMany)
}
