// Where failures are kept. Each implementation keeps the same promises; test/server/ledger/contract.ts says which.

import type { Side } from '../../shared/page-types.ts'
import type { KeptError, Occurrence, Phase, SourceFrame } from '../errors/failure-record.ts'

/** What a batch tells of one cause. */
export interface LedgerEntry {
  cause: string
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

/** For so many places in the source there is room at least: when room is short, one holds no more than such a part of the causes. */
export const LEAST_PLACES = 10

/** Bounds of what is kept. What is beyond them goes with the next batch, a bounded part of it with each. */
export interface LedgerLimits {
  /** Those seen last stay. */
  maxCauses: number
  /** Of each cause; the newest stay. */
  maxOccurrences: number
  /** Of causes since they were seen last, of occurrences and counts since they happened. */
  maxAgeMs: number
  /** Of what is stored, as far as the store can tell; the cause seen last stays in any case. */
  maxBytes: number
}

export interface ListQuery {
  /** Seen last at that time or later, in milliseconds since 1970. */
  since?: number
  side?: Side
  /** A route that one of the occurrences kept has. */
  route?: string
  /** A text that the cause, type, message or place in the source holds, in any case. */
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

/** `last` and `first`: by when a cause was seen last or first, the newest first. `count`: what happens most often first. */
export const SORTS = ['last', 'first', 'count'] as const
export type Sort = (typeof SORTS)[number]

/** A place in a list. It stays where it is when its cause moves or goes: what comes after it is never listed twice. */
export interface ListPlace {
  /** What the list is sorted by. */
  value: number
  cause: string
  side: Side
}

export interface CauseSummary {
  cause: string
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

export interface CauseDetails extends CauseSummary {
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
  causes: number
  occurrences: number
  bytes: number
}

/**
 * Keeps failures. Every method may reject when the store cannot be reached. What was handed to `record` may then be handed
 * over again, as the same array: a store whose answer can be lost on the way keeps it once.
 */
export interface Ledger {
  /**
   * Keeps a batch, all of it or nothing, and removes what is beyond the limits, which an empty batch does as well. A cause
   * marked as solved is open again when it happens in a release, or in a build, that the ledger met after that. No two sides
   * have the same cause; where they have it all the same, that of the server stays as if the other did not exist.
   */
  record(entries: readonly LedgerEntry[]): Promise<void>
  /** In the order that the query names; among equals by cause. */
  list(query: ListQuery): Promise<CauseSummary[]>
  /** Null for a cause that is not kept. */
  read(cause: string, query?: ReadQuery): Promise<CauseDetails | null>
  /** Every cause that is kept. */
  causes(): Promise<string[]>
  /** The releases that something has failed in, up to 100, the one that was met last first. */
  releases(): Promise<string[]>
  /** How often each cause happened in each hour from `sinceHour` on, hours since 1970. */
  hours(sinceHour: number): Promise<{ cause: string; hour: number; count: number }[]>
  /** Notes that the browser has shown the page all the same. False when that occurrence is not kept. */
  markRecovered(digest: string): Promise<boolean>
  /** Marks as solved at that time, or as open with null. False for a cause that is not kept. */
  setSolved(cause: string, at: number | null): Promise<boolean>
  stats(): Promise<LedgerStats>
  close(): Promise<void>
}

/** What operators ask of a ledger. */
export type AskedLedger = Pick<Ledger, 'list' | 'read' | 'causes' | 'releases' | 'hours' | 'setSolved'>
