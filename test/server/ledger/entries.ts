import type { Test } from 'tap'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import { type LedgerEntry, mergeEntry, toEntry } from '../../../src/server/ledger/entries.ts'
import type { Ledger, LedgerLimits } from '../../../src/server/ledger/ledger.ts'

/** Creates an empty ledger that is closed with the test. */
export type CreateLedger = (t: Test, limits: LedgerLimits) => Promise<Ledger>

export const HOUR_MS = 3_600_000
/** Returns the beginning of an hour, some hours ago. */
export const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS

export const LIMITS: LedgerLimits = {
  maxFailures: 1_000,
  maxOccurrences: 100,
  maxAgeMs: 30 * 24 * HOUR_MS,
  maxBytes: 100_000_000,
}

/** Returns a failure with the properties that a test needs. */
export function failure(given: Partial<FailureRecord> = {}): FailureRecord {
  const { fingerprint = 'AAAAAAAA' } = given
  const message = given.message ?? 'no price for 7'
  return {
    fingerprint,
    digest: `${fingerprint}-000001`,
    time: NOW,
    side: 'server',
    phase: 'load',
    message,
    route: '/products/[id]',
    method: 'GET',
    path: '/products/7',
    host: 'shop.example',
    requestId: 'R-1',
    release: 'r1',
    userAgent: 'browser',
    statusSent: 500,
    isRecovered: false,
    error: {
      type: 'TypeError',
      message,
      stack: [
        { file: 'node:internal', line: 1, column: 2, function: 'run', isSite: false },
        {
          ...{ file: 'pages/products/[id].server.ts', line: 8, column: 52, function: 'load', isSite: true },
          code: { firstLine: 7, lines: ['function load() {', '  return price.of(7)', '}'] },
        },
      ],
      cause: { type: 'Error', message: 'what it comes from', stack: [] },
    },
    ...given,
  }
}

export function entry(given: Partial<FailureRecord> = {}): LedgerEntry {
  return toEntry(failure(given))
}

/** Returns an entry for several occurrences, oldest first. */
export function entryOfAll([first = {}, ...others]: readonly Partial<FailureRecord>[]): LedgerEntry {
  const gathered = entry(first)
  for (const other of others) mergeEntry(gathered, entry(other), 1_000)
  return gathered
}

/** A fingerprint, or the second half of a digest. */
export function name(number: number, length = 8): string {
  return String(number).padStart(length, '0')
}
