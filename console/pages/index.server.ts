import { type ActionContext, type LoadContext, redirect } from 'hydrant'
import { countHours, firstHour, noHours } from '../lib/hours.ts'

const LIMIT = 100

export const live = ({ app }: LoadContext<'/'>) => app.console.failureTopics()

export async function load({ app, reply, request, url }: LoadContext<'/'>) {
  const now = Date.now()
  const { query: valid, problems } = app.console.readQuery(filtersOf(url.searchParams))
  const query = problems.solved === undefined ? valid : { ...valid, isSolved: false }
  const { hasLedger } = app.console
  const result = await app.console.tryLedger(async (ledger) => {
    const [page, counts, releases] = await Promise.all([
      ledger.page(query, LIMIT),
      ledger.hours(firstHour(now)),
      ledger.releases(),
    ])
    const isEmpty = page.failures.length === 0 && (await ledger.page({}, 1)).failures.length === 0
    return { ...page, counts, releases, isEmpty }
  })
  if (result.kind === 'unavailable') {
    reply.code(503)
    return result
  }
  const { failures, counts, next, releases, isEmpty } = result.value
  const hours = countHours(counts, now)
  return {
    kind: 'list' as const,
    now,
    /** Descriptions of invalid filters, which are ignored, by their names. */
    problems,
    hasLedger,
    releases,
    mayChange: app.console.auth.mayChange(request.headers),
    failures: failures.map((failure) => ({ ...failure, hours: hours.get(failure.fingerprint) ?? noHours() })),
    /** The position at which the next page begins; null on the last page. */
    next,
    /** Whether the ledger has no failures at all. */
    isEmpty,
  }
}

/** Marks the selected failures as solved, or reopens them. */
export async function action({ app, form, reply, url }: ActionContext<'/'>) {
  const fingerprints = form.getAll('fingerprint').map(String)
  const isSolved = form.get('intent') === 'solve'
  const result = await app.console.tryLedger(async (ledger) => {
    for (const fingerprint of fingerprints) await ledger.setSolved(fingerprint, isSolved)
  })
  if (result.kind === 'done') redirect(url.pathname + url.search)
  reply.code(503)
  return { problem: result.problem }
}

// Only open failures are listed by default.
function filtersOf(typed: URLSearchParams): URLSearchParams {
  const filters = new URLSearchParams(typed)
  filters.delete('limit')
  const solved = filters.get('solved') ?? ''
  if (solved === '') filters.set('solved', 'false')
  if (solved === 'all') filters.delete('solved')
  return filters
}
