// A batch of failures, and what a ledger keeps of them besides their occurrences.

import type { Side } from '../../shared/wire/public-error.ts'
import {
  type FailureRecord,
  type KeptError,
  type Occurrence,
  occurrenceOf,
  type Phase,
  type SourceFrame,
  siteFrameOf,
} from '../errors/failure-record.ts'

/** The part of a batch about one failure. */
export interface LedgerEntry {
  fingerprint: string
  side: Side
  error: KeptError
  /** The number of times that it happened, which may be larger than the number of `occurrences`. */
  count: number
  firstSeen: number
  lastSeen: number
  /** The number of times in each hour, by hours since 1970. */
  hours: Record<number, number>
  /** Oldest first; never empty. */
  occurrences: Occurrence[]
}

/** A failure, all occurrences with one fingerprint, without its stack. Times are milliseconds since 1970. */
export interface FailureSummary {
  /** The first half of the digest. */
  fingerprint: string
  /** Where it failed: on the server or in the browser. */
  side: Side
  /** The phase of the last occurrence. */
  phase: Phase
  /** The name of the error's class, such as `TypeError`. */
  type: string
  message: string
  /** How often it has happened. */
  count: number
  /** Milliseconds since 1970. */
  firstSeen: number
  /** Milliseconds since 1970. */
  lastSeen: number
  /** The release of the first occurrence: the option `release`, or the id of the build. */
  firstRelease: string
  /** The release of the last occurrence. */
  lastRelease: string
  /** The route of the last occurrence; null if it has none. */
  route: string | null
  /** The first frame of the site, without its source lines; null if there is none. */
  source: SourceFrame | null
  /** When it was marked as solved, in milliseconds since 1970; null while it is open. */
  solvedAt: number | null
}

/** A failure with its error and its occurrences. */
export interface FailureDetails extends FailureSummary {
  error: KeptError
  /** Newest first. */
  occurrences: Occurrence[]
}

/** The types of fields. `time` is a number, which JSON has as text. `json` is an object, which databases have as text. */
export type FieldType = 'text' | 'number' | 'time' | 'json'

/** How the value of the earlier batches and that of a batch become one. `known`: the last one that is not null. */
export type Merge = 'first' | 'last' | 'known' | 'sum' | 'least' | 'greatest'

interface SummaryField<Value> {
  type: FieldType
  merge: Merge
  of(entry: LedgerEntry): Value
}
type FieldsOf<Part> = { [Name in keyof Part]-?: SummaryField<Part[Name]> }

/** The fields of the summary of a failure, in the order of its JSON. Their columns have the same names: `first_seen`. */
export const SUMMARY_FIELDS: FieldsOf<FailureSummary> = {
  fingerprint: { type: 'text', merge: 'first', of: ({ fingerprint }) => fingerprint },
  side: { type: 'text', merge: 'first', of: ({ side }) => side },
  phase: { type: 'text', merge: 'last', of: (entry) => lastOf(entry)?.phase ?? 'process' },
  type: { type: 'text', merge: 'last', of: ({ error }) => error.type },
  message: { type: 'text', merge: 'last', of: ({ error }) => error.message },
  count: { type: 'number', merge: 'sum', of: ({ count }) => count },
  firstSeen: { type: 'time', merge: 'least', of: ({ firstSeen }) => firstSeen },
  lastSeen: { type: 'time', merge: 'greatest', of: ({ lastSeen }) => lastSeen },
  firstRelease: { type: 'text', merge: 'first', of: ({ occurrences }) => occurrences[0]?.release ?? '' },
  lastRelease: { type: 'text', merge: 'last', of: (entry) => lastOf(entry)?.release ?? '' },
  route: { type: 'text', merge: 'known', of: (entry) => lastOf(entry)?.route ?? null },
  solvedAt: { type: 'time', merge: 'first', of: () => null },
  source: { type: 'json', merge: 'last', of: ({ error }) => sourceOf(error) },
}

/** The other fields of a failure that databases keep. Searches read `search`; only single failures are read with `error`. */
export const OTHER_FIELDS: FieldsOf<{ error: KeptError; search: string; lastBuild: string | null }> = {
  error: { type: 'json', merge: 'last', of: ({ error }) => error },
  search: { type: 'text', merge: 'last', of: (entry) => searchText(summaryOf(entry, null)) },
  lastBuild: { type: 'text', merge: 'known', of: (entry) => lastOf(entry)?.build ?? null },
}

// `Object.keys` loses the names.
export const SUMMARY_NAMES = Object.keys(SUMMARY_FIELDS) as (keyof FailureSummary)[]

function lastOf({ occurrences }: LedgerEntry): Occurrence | undefined {
  return occurrences.at(-1)
}

/** Returns the first frame of the site without its source lines; null if there is none. */
function sourceOf(error: KeptError): SourceFrame | null {
  const frame = siteFrameOf(error)
  if (!frame) return null
  const { code: _, ...source } = frame
  return source
}

const MERGES: Record<Merge, (earlier: unknown, later: unknown) => unknown> = {
  first: (earlier) => earlier,
  last: (_earlier, later) => later,
  known: (earlier, later) => later ?? earlier,
  sum: (earlier, later) => Number(earlier) + Number(later),
  least: (earlier, later) => Math.min(Number(earlier), Number(later)),
  greatest: (earlier, later) => Math.max(Number(earlier), Number(later)),
}

/** Returns the summary of a failure after a batch. `before` is its summary before the batch; null for a new failure. */
export function summaryOf(entry: LedgerEntry, before: FailureSummary | null): FailureSummary {
  const fields = SUMMARY_NAMES.map((name) => {
    const { merge, of } = SUMMARY_FIELDS[name]
    return [name, before ? MERGES[merge](before[name], of(entry)) : of(entry)]
  })
  // `SUMMARY_FIELDS` has all its names.
  return Object.fromEntries(fields) as FailureSummary
}

export function searchText({ fingerprint, type, message, source }: FailureSummary): string {
  return [fingerprint, type, message, source ? `${source.file}:${source.line} ${source.function}` : '']
    .join('\n')
    .toLowerCase()
}

const HOUR_MS = 3_600_000

/** Returns the first half of a digest. */
export function fingerprintOfDigest(digest: string): string {
  return digest.slice(0, digest.indexOf('-'))
}

/** Returns the hour of a time in milliseconds, as hours since 1970. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS)
}

/** Returns the entry for the first occurrence of a failure in a batch. */
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

/** Adds a later occurrence to the entry of its failure. Unlike `mergeEntry` it removes no occurrences. */
export function addRecord(entry: LedgerEntry, record: FailureRecord) {
  const { error, time } = record
  const hour = hourOf(time)
  entry.error = error
  entry.count++
  entry.lastSeen = Math.max(entry.lastSeen, time)
  entry.hours[hour] = (entry.hours[hour] ?? 0) + 1
  entry.occurrences.push(occurrenceOf(record))
}

/** Adds a later entry to an earlier entry of the same failure, and removes the occurrences that are too many. */
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

/** Keeps the newest occurrences, and the first one because it shows how the failure began. Returns the removed ones. */
export function cutOccurrences({ occurrences }: LedgerEntry, maxOccurrences: number): Occurrence[] {
  const tooMany = occurrences.length - maxOccurrences
  return tooMany > 0 ? occurrences.splice(1, tooMany) : []
}

/** Returns the number of occurrences in a batch, with those that it only counts. */
export function countOccurrences(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, { count }) => sum + count, 0)
}
