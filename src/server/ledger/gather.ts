import type { FailureRecord, LedgerEntry, Occurrence } from './ledger.ts'

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

/**
 * Adds one more failure of the same cause: the same as `addEntry` of its entry, many times a second. Returns the occurrences
 * that have made room.
 */
export function addRecord(entry: LedgerEntry, record: FailureRecord, maxOccurrences: number): Occurrence[] {
  const { cause: _, side: __, error, ...occurrence } = record
  const { time } = occurrence
  const hour = hourOf(time)
  entry.error = error
  entry.count++
  entry.lastSeen = Math.max(entry.lastSeen, time)
  entry.hours[hour] = (entry.hours[hour] ?? 0) + 1
  entry.occurrences.push(occurrence)
  return cutOccurrences(entry, maxOccurrences)
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
  cutOccurrences(earlier, maxOccurrences)
}

// Of many the newest stay, and the very first, which tells what it began with.
function cutOccurrences({ occurrences }: LedgerEntry, maxOccurrences: number): Occurrence[] {
  const tooMany = occurrences.length - maxOccurrences
  return tooMany > 0 ? occurrences.splice(1, tooMany) : []
}
