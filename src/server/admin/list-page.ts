import type { FailureSummary, Ledger, ListQuery } from '../ledger/ledger.ts'
import { formatPlace, placeOfFailure } from '../ledger/list-order.ts'

/** A part of a list. */
export interface ListPage {
  failures: FailureSummary[]
  /** What `after` has to be for the next part; null when this is the last. */
  next: string | null
}

export async function readPage(ledger: Pick<Ledger, 'list'>, query: ListQuery, limit: number): Promise<ListPage> {
  // One more than is shown tells whether that is all.
  const found = await ledger.list({ ...query, limit: limit + 1 })
  const failures = found.slice(0, limit)
  const last = failures.at(-1)
  const next = last && found.length > limit ? formatPlace(placeOfFailure(last, query.sort)) : null
  return { failures, next }
}
