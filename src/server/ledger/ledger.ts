// The interface of the stores of failures and times. test/server/ledger/contract.ts tests what each implementation
// guarantees.

import type { Side } from '../../shared/wire/public-error.ts'
import { type FailureDetails, type FailureSummary, type LedgerEntry, searchText } from './entries.ts'
import type { TimesLedger } from './times.ts'

/** The file of `hydrant dev`, in the site's folder. It is separate from the ledger of production. */
export const DEV_LEDGER = '.hydrant-dev-errors.db'

/** When a ledger is full, failures of one throw site keep at most 1/`LEAST_PLACES` of it. */
export const LEAST_PLACES = 10

/**
 * Limits of the failures in a ledger; times.ts has those of times. Each batch that is written removes a bounded part of
 * what exceeds them.
 */
export interface LedgerLimits {
  /** The failures seen last are kept. */
  maxFailures: number
  /** Occurrences of each failure. The newest are kept. */
  maxOccurrences: number
  /** The age of failures since they were last seen, and of occurrences and counts since they happened. */
  maxAgeMs: number
  /** The size of the stored data, as the store measures it. The failure seen last is always kept. */
  maxBytes: number
}

export interface ListQuery {
  /** Failures last seen at this time or later, in milliseconds since 1970. */
  since?: number
  side?: Side
  /** Failures with a stored occurrence on this route. */
  route?: string
  /** Failures whose fingerprint, type, message or place in the source contains this text, ignoring case. */
  search?: string
  isSolved?: boolean
  /** Failures that happened in this release: their first, their last, or that of a stored occurrence. */
  release?: string
  firstRelease?: string
  /** The order ('last'). */
  sort?: Sort
  /** Failures after this place in the same order (from the beginning). */
  after?: ListPlace
  /** The most failures to return (all). */
  limit?: number
}

/** `last`, `first`: by the last or first time, newest first. `count`: most frequent first. */
export const SORTS = ['last', 'first', 'count'] as const
export type Sort = (typeof SORTS)[number]

/** A place in a list. It remains valid if its failure moves or is removed, so that no page repeats a failure. */
export interface ListPlace {
  /** The value by which the list is sorted. */
  value: number
  fingerprint: string
  side: Side
}

/** The occurrences that `read` returns when no limit is given. */
export const DEFAULT_OCCURRENCES = 50
/** The most releases that `releases` returns. */
export const MAX_RELEASES = 100

export interface ReadQuery {
  /** The most occurrences to return (50). */
  limit?: number
  /** The second half of a digest. If its occurrence is stored, it comes first. */
  occurrence?: string
}

export interface LedgerStats {
  failures: number
  occurrences: number
  bytes: number
}

/** Where a ledger keeps a batch: in its file or database, in memory until the process ends, or not at all. */
export type Kept = 'stored' | 'memory' | 'nowhere'

/**
 * Stores failures and times. Every method may reject if the store is unavailable. A batch that `record` rejected may be
 * passed again, as the same array. A store whose connection can break after a commit must write it only once.
 */
export interface Ledger extends TimesLedger {
  /**
   * Writes a batch, completely or not at all, and removes what exceeds the limits. An empty batch does so, too.
   * Resolves with where the batch is kept. A solved failure is reopened if it happens in a release, or in a build, that
   * the ledger first saw after it was solved. Failures of the server and of browsers never share a fingerprint. If they
   * do, only the server's failure is kept.
   */
  record(entries: readonly LedgerEntry[]): Promise<Kept>
  /** Lists failures in the order of the query; equal ones by fingerprint. */
  list(query: ListQuery): Promise<FailureSummary[]>
  /** Reads a failure with its occurrences; null if the ledger does not have it. */
  read(fingerprint: string, query?: ReadQuery): Promise<FailureDetails | null>
  fingerprints(): Promise<string[]>
  /** Returns up to 100 releases in which something has failed, the newest first. */
  releases(): Promise<string[]>
  /** Returns how often each failure happened in each hour from `sinceHour`, in hours since 1970. */
  hours(sinceHour: number): Promise<{ fingerprint: string; hour: number; count: number }[]>
  /** Notes that the browser displayed the page anyway. Returns false if the ledger does not have that occurrence. */
  markRecovered(digest: string): Promise<boolean>
  /** Marks a failure as solved at a time, or as open (null). Returns false if the ledger does not have it. */
  setSolved(fingerprint: string, at: number | null): Promise<boolean>
  stats(): Promise<LedgerStats>
  close(): Promise<void>
}

/** The methods that the console and its API use. */
export type AdminLedger = Pick<
  Ledger,
  'list' | 'read' | 'fingerprints' | 'releases' | 'hours' | 'setSolved' | 'times' | 'slowRequest'
>

const VALUES: Record<Sort, (summary: FailureSummary) => number> = {
  last: ({ lastSeen }) => lastSeen,
  first: ({ firstSeen }) => firstSeen,
  count: ({ count }) => count,
}

/** Returns the place of a failure in a list with this order. */
export function placeOfFailure(summary: FailureSummary, sort: Sort = 'last'): ListPlace {
  const { fingerprint, side } = summary
  return { value: VALUES[sort](summary), fingerprint, side }
}

/** Returns a function for `Array.sort`. Its order is that of the databases. */
export function createOrder(sort: Sort = 'last'): (a: FailureSummary, b: FailureSummary) => number {
  return (a, b) => comparePlaces(placeOfFailure(a, sort), placeOfFailure(b, sort))
}

/** Returns a function for `Array.filter`. It accepts the failures after the place in the query. */
export function comesAfter({ sort, after }: ListQuery): (summary: FailureSummary) => boolean {
  return (summary) => after === undefined || comparePlaces(placeOfFailure(summary, sort), after) > 0
}

/** Tests a summary against a query, except for the route and the release, which need the occurrences. */
export function matches(summary: FailureSummary, query: ListQuery): boolean {
  const { since, side, search, isSolved, firstRelease } = query
  if (since !== undefined && summary.lastSeen < since) return false
  if (side !== undefined && summary.side !== side) return false
  if (firstRelease !== undefined && summary.firstRelease !== firstRelease) return false
  if (isSolved !== undefined && (summary.solvedAt !== null) !== isSolved) return false
  if (search === undefined) return true
  return searchText(summary).includes(search.toLowerCase())
}

function comparePlaces(a: ListPlace, b: ListPlace): number {
  return b.value - a.value || compareTexts(a.fingerprint, b.fingerprint) || compareTexts(a.side, b.side)
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Returns a place as it is written in URLs: `1767225600000.7K2M9QX4.server`. */
export function formatPlace({ value, fingerprint, side }: ListPlace): string {
  return `${value}.${fingerprint}.${side}`
}

/** Reads a place that `formatPlace` wrote; null for any other text. */
export function parsePlace(text: string): ListPlace | null {
  const [, value, fingerprint = '', side] = /^(\d{1,15})\.([0-9A-HJKMNP-TV-Z]{8})\.(server|client)$/.exec(text) ?? []
  if (value === undefined || (side !== 'server' && side !== 'client')) return null
  return { value: Number(value), fingerprint, side }
}
