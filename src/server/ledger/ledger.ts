// Where failures are kept. Each implementation keeps the same promises; test/server/ledger/contract.ts says which.

import type { Side } from '../../shared/page-types.ts'
import type { KeptError, Occurrence, Phase, SourceFrame } from '../errors/failure-record.ts'

/** What a batch tells of one cause. */
export interface LedgerEntry {
  fingerprint: string
  side: Side
  /** As it was the last time in the batch. */
  error: KeptError
  /** How often it happened, which may be more than there are occurrences. */
  count: number
  firstSeen: number
  lastSeen: number
  /** Counts by the hour, as hours since 1970. */
  hours: Record<number, number>
  /** Oldest first; never empty. */
  occurrences: Occurrence[]
}

/** A full ledger has room for at least this many places in the source: each keeps a tenth of it at most. */
export const LEAST_PLACES = 10

/** Bounds of what is kept. What is beyond them goes with the next batch, a bounded part of it with each. */
export interface LedgerLimits {
  /** Those seen last stay. */
  maxFailures: number
  /** Of each failure; the newest stay. */
  maxOccurrences: number
  /** Of failures since they were seen last, of occurrences and counts since they happened. */
  maxAgeMs: number
  /** Of what is stored, as far as the store can tell; the failure seen last stays in any case. */
  maxBytes: number
}

export interface ListQuery {
  /** Seen last at that time or later, in milliseconds since 1970. */
  since?: number
  side?: Side
  /** A route that one of the occurrences kept has. */
  route?: string
  /** A text that the fingerprint, type, message or place in the source holds, in any case. */
  search?: string
  isSolved?: boolean
  /** A release that it has happened in: its first, its last, or that of an occurrence that is kept. */
  release?: string
  /** The release that it happened in first. */
  firstRelease?: string
  /** What comes first ('last'). */
  sort?: Sort
  /** Only what comes after that place, in the same order (from the beginning). */
  after?: ListPlace
  /** Most of them to return (all). */
  limit?: number
}

/** `last`, `first`: by the time that a failure was seen last or first, newest first. `count`: most frequent first. */
export const SORTS = ['last', 'first', 'count'] as const
export type Sort = (typeof SORTS)[number]

/** A place in a list. It stays where it is when its failure moves or goes: nothing after it is ever listed twice. */
export interface ListPlace {
  /** What the list is sorted by. */
  value: number
  fingerprint: string
  side: Side
}

/** A failure, which is all occurrences that share a fingerprint, without its stack. */
export interface FailureSummary {
  fingerprint: string
  side: Side
  phase: Phase
  type: string
  message: string
  count: number
  firstSeen: number
  lastSeen: number
  firstRelease: string
  lastRelease: string
  /** Route of the last occurrence. */
  route: string | null
  /** The first frame of the site, without its code; null when there is none. */
  source: SourceFrame | null
  /** When somebody marked it as solved; null while it is open. */
  solvedAt: number | null
}

export interface FailureDetails extends FailureSummary {
  error: KeptError
  /** Newest first. */
  occurrences: Occurrence[]
}

export interface ReadQuery {
  /** Most occurrences to return (50). */
  limit?: number
  /** The second half of a digest: that occurrence comes first, if it is kept. */
  occurrence?: string
}

export interface LedgerStats {
  failures: number
  occurrences: number
  bytes: number
}

/**
 * Keeps failures. Every method may reject when the store cannot be reached. What was handed to `record` may then be handed
 * over again, as the same array: a store whose answer can be lost on the way keeps it once.
 */
export interface Ledger {
  /**
   * Keeps a batch, all of it or nothing, and removes what is beyond the limits, which an empty batch does as well. A
   * failure marked as solved is open again when it happens in a release, or in a build, that the ledger met after that.
   * The server and browsers never share a fingerprint; should they do so, only the server's failure is kept.
   */
  record(entries: readonly LedgerEntry[]): Promise<void>
  /** In the order that the query names; among equals by fingerprint. */
  list(query: ListQuery): Promise<FailureSummary[]>
  /** Null for a failure that is not kept. */
  read(fingerprint: string, query?: ReadQuery): Promise<FailureDetails | null>
  /** The fingerprint of every failure that is kept. */
  fingerprints(): Promise<string[]>
  /** The releases that something has failed in, up to 100, the one that was met last first. */
  releases(): Promise<string[]>
  /** How often each failure happened in each hour from `sinceHour` on, hours since 1970. */
  hours(sinceHour: number): Promise<{ fingerprint: string; hour: number; count: number }[]>
  /** Notes that the browser has shown the page all the same. False when that occurrence is not kept. */
  markRecovered(digest: string): Promise<boolean>
  /** Marks as solved at that time, or as open with null. False for a failure that is not kept. */
  setSolved(fingerprint: string, at: number | null): Promise<boolean>
  stats(): Promise<LedgerStats>
  close(): Promise<void>
}

/** What operators ask of a ledger. */
export type AskedLedger = Pick<Ledger, 'list' | 'read' | 'fingerprints' | 'releases' | 'hours' | 'setSolved'>
