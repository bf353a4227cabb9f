import { toListQuery } from '../../src/server/admin/list-query.ts'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { failureJson, summaryJson } from '../../src/server/ledger/failure-json.ts'
import type { FailureSummary, Ledger, Sort } from '../../src/server/ledger/ledger.ts'
import { readFailure } from '../../src/server/ledger/read-failure.ts'
import { escapeControlCharacters } from '../../src/server/log/control-characters.ts'
import { closestMatches } from '../../src/server/util/closest-match.ts'
import { type Digest, formatDigest } from '../../src/shared/wire/digest-format.ts'
import { formatFailure } from '../terminal/format-failure.ts'
import { formatFailures, type View } from '../terminal/format-failures.ts'
import type { ErrorsRequest } from './errors-arguments.ts'

/** An open ledger, and its name for the reader: a file, or an address without its password. */
export interface NamedLedger {
  ledger: Pick<Ledger, 'list' | 'read' | 'fingerprints'>
  name: string
  /** The arguments that select it on the command line: ` ./my-site`; empty for the ledger of the working directory. */
  words: string
  /** Whether it is the ledger of `hydrant dev` (false). */
  isDev?: boolean
}

/**
 * Returns the text that `hydrant errors` prints. Throws HYD_DIGEST_UNKNOWN.
 *
 * @param onMore Called with a sentence if JSON does not contain all failures that match.
 */
export async function describeErrors(
  request: ErrorsRequest,
  from: NamedLedger,
  view: View,
  onMore: (text: string) => void = () => {},
): Promise<string> {
  return request.kind === 'one' ? describeOne(request, from, view) : describeList(request, from, view, onMore)
}

type RequestOf<Kind extends ErrorsRequest['kind']> = Extract<ErrorsRequest, { kind: Kind }>

async function describeList(
  { query, limit, isJson }: RequestOf<'list'>,
  from: NamedLedger,
  view: View,
  onMore: (text: string) => void,
) {
  const { ledger, name, words } = from
  // One more than the list shows, to know whether there are more.
  const found = await ledger.list({ ...toListQuery(query, ''), limit: limit + 1 })
  const shown = found.slice(0, limit)
  const hasMore = found.length > limit
  if (isJson) {
    if (hasMore) onMore(`Only ${limit} failures are shown; --limit ${limit * 2} shows more.`)
    return toJson(shown.map(summaryJson))
  }
  if (shown.length === 0) {
    if (query.isNew) return `No failure is new in ${query.release}. Ledger: ${name}`
    const { sort: _sort, ...choosing } = query
    const isChosen = Object.keys(choosing).length > 0
    return `${isChosen ? 'No failure matches' : 'Nothing has failed yet'}. Ledger: ${name}`
  }
  const rest = hasMore ? `, ${ORDERS[query.sort ?? 'last']}; --limit ${limit * 2} shows more` : ''
  const isNew = query.isNew ? ` New in ${query.release}.` : ''
  return [
    ...formatFailures(shown, view),
    '',
    `${countOf(shown)}${query.since === undefined ? '' : ' in total'}${rest}.${isNew} Ledger: ${name}`,
    `Details of one: hydrant errors ${shown[0]?.fingerprint ?? ''}${words}`,
  ].join('\n')
}

async function describeOne({ digest, limit, isJson }: RequestOf<'one'>, from: NamedLedger, view: View) {
  const { ledger } = from
  const { fingerprint, occurrence } = digest
  const details = await readFailure(ledger, fingerprint, { limit, ...(occurrence === undefined ? {} : { occurrence }) })
  if (!details) throw unknownDigest(digest, from, await ledger.fingerprints())
  if (isJson) return toJson(failureJson(details))
  const meant = occurrence === undefined ? null : formatDigest(fingerprint, occurrence)
  return formatFailure(details, { digest: meant }, view).join('\n')
}

/** How the list is sorted. */
const ORDERS: Record<Sort, string> = {
  last: 'last seen first',
  first: 'newest first',
  count: 'most frequent first',
}

function unknownDigest({ fingerprint }: Digest, { name, words, isDev }: NamedLedger, fingerprints: readonly string[]) {
  const near = closestMatches(fingerprint, fingerprints, 3)
  const hint = near.length > 0 ? `; the nearest: ${near.join(', ')}` : ''
  const error = createHydrantError('HYD_DIGEST_UNKNOWN', [name, fingerprint, hint])
  if (isDev)
    error.fix = `Run "hydrant errors${words}" to list the failures that are still in the ledger of "hydrant dev".`
  return error
}

function countOf(failures: readonly FailureSummary[]): string {
  const times = failures.reduce((sum, { count }) => sum + count, 0)
  const what = failures.length === 1 ? '1 failure' : `${failures.length} failures`
  return `${what}, seen ${times === 1 ? 'once' : `${times} times`}`
}

function toJson(value: unknown): string {
  return escapeControlCharacters(JSON.stringify(value, null, 2))
}
