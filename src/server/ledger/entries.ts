import type { FailureRecord, Occurrence } from '../errors/failure-record.ts'
import type { LedgerEntry } from './ledger.ts'

const HOUR_MS = 3_600_000

export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS)
}

/** What a ledger is told of one failure. */
export function toEntry(record: FailureRecord): LedgerEntry {
  const { fingerprint, side, error, time } = record
  return {
    fingerprint,
    side,
    error,
    count: 1,
    firstSeen: time,
    lastSeen: time,
    hours: { [hourOf(time)]: 1 },
    occurrences: [occurrenceOf(record)],
  }
}

/** What one time is kept of. Written out, as it is done for many: many times faster than to leave out the rest. */
export function occurrenceOf(record: Occurrence): Occurrence {
  const { digest, time, phase, message, route, method, path, host, requestId } = record
  const { traceId, spanId, release, userAgent, statusSent, isRecovered, pending } = record
  const { build, replica, worker, pid } = record
  const occurrence: Occurrence = {
    digest,
    time,
    phase,
    message,
    route,
    method,
    path,
    host,
    requestId,
    release,
    userAgent,
    statusSent,
    isRecovered,
  }
  if (build !== undefined) occurrence.build = build
  if (replica !== undefined) occurrence.replica = replica
  if (worker !== undefined) occurrence.worker = worker
  if (pid !== undefined) occurrence.pid = pid
  if (traceId !== undefined) occurrence.traceId = traceId
  if (spanId !== undefined) occurrence.spanId = spanId
  if (pending) occurrence.pending = pending
  return occurrence
}

/**
 * Adds one more occurrence of the failure: like `addEntry` with the record's entry, but it cuts nothing, and keeps the
 * fields that `occurrenceOf` leaves out.
 */
export function addRecord(entry: LedgerEntry, record: FailureRecord) {
  const { error, time } = record
  const hour = hourOf(time)
  entry.error = error
  entry.count++
  entry.lastSeen = Math.max(entry.lastSeen, time)
  entry.hours[hour] = (entry.hours[hour] ?? 0) + 1
  entry.occurrences.push(record)
}

/** Adds a later entry of the same failure to an earlier one. */
export function mergeEntry(earlier: LedgerEntry, later: LedgerEntry, maxOccurrences: number) {
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

/** Of many the newest stay, and the very first, which tells what it began with. Returns the others. */
export function cutOccurrences({ occurrences }: LedgerEntry, maxOccurrences: number): Occurrence[] {
  const tooMany = occurrences.length - maxOccurrences
  return tooMany > 0 ? occurrences.splice(1, tooMany) : []
}
