import type { FailureDetails } from '../ledger.ts'

/** A failure in memory. */
export interface StoredFailure {
  details: FailureDetails
  /** Occurrences by hour, as hours since 1970. */
  hours: Map<number, number>
  /** The length of `details` as JSON. */
  bytes: number
}

/** The contents of a ledger in memory. */
export interface MemoryStore {
  /** By fingerprint; the failure that was written last is the last one. */
  failures: Map<string, StoredFailure>
  /** Releases and builds by name, with the time of their first failure. */
  releases: Map<string, { firstMet: number; isBuild: boolean }>
}

export function createMemoryStore(): MemoryStore {
  return { failures: new Map(), releases: new Map() }
}

/** Returns how many bytes all failures take. */
export function countBytes({ failures }: MemoryStore): number {
  return [...failures.values()].reduce((sum, { bytes }) => sum + bytes, 0)
}
