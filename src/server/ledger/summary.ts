import type { KeptError, SourceFrame } from '../errors/failure-record.ts'
import { siteFrameOf } from '../errors/site-frame.ts'
import type { FailureSummary, LedgerEntry, ListQuery } from './ledger.ts'

/** Returns the summary of a failure after a batch. `before` is its summary before the batch; null for a new failure. */
export function summaryOf(entry: LedgerEntry, before: FailureSummary | null): FailureSummary {
  const { fingerprint, side, error, occurrences } = entry
  const last = occurrences.at(-1)
  return {
    fingerprint,
    side,
    phase: last?.phase ?? before?.phase ?? 'process',
    type: error.type,
    message: error.message,
    count: entry.count + (before?.count ?? 0),
    firstSeen: Math.min(entry.firstSeen, before?.firstSeen ?? entry.firstSeen),
    lastSeen: Math.max(entry.lastSeen, before?.lastSeen ?? entry.lastSeen),
    firstRelease: before?.firstRelease ?? occurrences[0]?.release ?? '',
    lastRelease: last?.release ?? before?.lastRelease ?? '',
    route: last?.route ?? before?.route ?? null,
    source: sourceOf(error),
    solvedAt: before?.solvedAt ?? null,
  }
}

/** Returns the first frame of the site without its source lines; null if there is none. */
function sourceOf(error: KeptError): SourceFrame | null {
  const frame = siteFrameOf(error)
  if (!frame) return null
  const { code: _, ...source } = frame
  return source
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

/** Returns the text that searches read. */
export function searchText({ fingerprint, type, message, source }: FailureSummary): string {
  return [fingerprint, type, message, source ? `${source.file}:${source.line} ${source.function}` : '']
    .join('\n')
    .toLowerCase()
}
