import type { FailureSummary, Ledger, ListQuery } from '../ledger/ledger.ts'
import { formatPlace, placeOfFailure } from '../ledger/list-order.ts'

/** A page of a list. */
export interface ListPage {
  failures: FailureSummary[]
  /** The value of `after` for the next page; null on the last page. */
  next: string | null
}

/** Reads at most `limit` failures. */
export async function readPage(ledger: Pick<Ledger, 'list'>, query: ListQuery, limit: number): Promise<ListPage> {
  // One more than the page has, to know whether there is a next page.
  const found = await ledger.list({ ...query, limit: limit + 1 })
  const failures = found.slice(0, limit)
  const last = failures.at(-1)
  const next = last && found.length > limit ? formatPlace(placeOfFailure(last, query.sort)) : null
  return { failures, next }
}
