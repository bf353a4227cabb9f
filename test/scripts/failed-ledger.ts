// Failures for the tests that read them.

import type { CodeLines, FailureRecord, KeptError, SourceFrame } from '../../src/server/errors/failure-record.ts'
import type { Ledger } from '../../src/server/ledger/ledger.ts'
import { createLedgerWriter } from '../../src/server/ledger/ledger-writer.ts'
import { createMemoryLedger } from '../../src/server/ledger/memory-ledger.ts'
import { createLedger } from '../../src/server/ledger/open-ledger.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'

/** The time at which failures are read. */
export const NOW = Date.UTC(2026, 10, 21, 19, 43, 28)
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const CODE: CodeLines = {
  firstLine: 7,
  lines: [
    'export async function load({ params }) {',
    '\tconst product = find(params.id)',
    '  return product.price',
    '}',
  ],
}

export function frame(file: string, line: number, parts: Partial<SourceFrame> = {}): SourceFrame {
  return { file, line, column: 10, function: 'load', isSite: true, ...parts }
}

export const ERROR: KeptError = {
  type: 'TypeError',
  message: 'cannot read price of product 7',
  stack: [
    frame('pages/products/[id].server.ts', 9, { code: CODE }),
    frame('/app/node_modules/some/index.js', 12, { isSite: false, function: 'call' }),
  ],
}

/** Returns a failure of a request with the given properties. */
export function failure(parts: Partial<FailureRecord> = {}): FailureRecord {
  const { fingerprint = '7F3KQ2M9', error = ERROR } = parts
  return {
    digest: `${fingerprint}-K4D2P1`,
    fingerprint,
    error,
    message: error.message,
    time: NOW - 3 * MINUTE,
    side: 'server',
    phase: 'load',
    route: '/products/[id]',
    method: 'GET',
    path: '/products/7',
    host: 'shop.example',
    requestId: 'req-1',
    release: 'v1',
    userAgent: 'browser',
    statusSent: 500,
    isRecovered: false,
    ...parts,
  }
}

/** Writes the default ledger of a site's folder, as a server leaves it after this failure. */
export async function writeLedger(dir: string, record: FailureRecord): Promise<void> {
  const ledger = createLedger(dir, resolveOptions({}), { warn() {} })
  const { fingerprint, side, error, ...occurrence } = record
  const { time } = occurrence
  const seen = { count: 1, firstSeen: time, lastSeen: time, hours: {}, occurrences: [occurrence] }
  await ledger.record([{ fingerprint, side, error, ...seen }])
  await ledger.close()
}

/** Returns a ledger with the given failures, written as a server writes them. */
export async function ledgerOf(...failures: readonly FailureRecord[]): Promise<Ledger> {
  const limits = {
    maxFailures: 1_000,
    maxOccurrences: 100,
    maxAgeMs: Number.POSITIVE_INFINITY,
    maxBytes: 1_000_000_000,
  }
  const ledger = createMemoryLedger(limits)
  const writer = createLedgerWriter(ledger, { warn() {}, info() {} })
  for (const one of failures) writer.add(one)
  await writer.flush()
  return ledger
}
