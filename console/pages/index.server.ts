import { type ActionContext, type LoadContext, redirect } from 'hydrant'
import { countHours, firstHour, noHours } from '../lib/hours.ts'

const LIMIT = 100

export async function load({ app, reply, request, url }: LoadContext) {
  const now = Date.now()
  const { query, problem } = app.console.readQuery(filtersOf(url.searchParams))
  const { hasLedger } = app.console
  const asked = await app.console.ask(async (ledger) => {
    const [page, counts, releases] = await Promise.all([
      query === null ? { failures: [], next: null } : ledger.page(query, LIMIT),
      ledger.hours(firstHour(now)),
      ledger.releases(),
    ])
    const isFound = page.failures.length > 0 || problem !== null
    return { ...page, counts, releases, isEmpty: !isFound && (await ledger.page({}, 1)).failures.length === 0 }
  })
  if (asked.kind === 'away') {
    reply.code(503)
    return asked
  }
  const { failures, counts, next, releases, isEmpty } = asked.value
  const hours = countHours(counts, now)
  return {
    kind: 'list' as const,
    now,
    problem,
    hasLedger,
    releases,
    mayChange: app.console.door.mayChange(request.headers),
    failures: failures.map((failure) => ({ ...failure, hours: hours.get(failure.fingerprint) ?? noHours() })),
    /** The position at which the next page begins; null on the last page. */
    next,
    /** Whether the ledger has no failures at all. */
    isEmpty,
  }
}

/** Marks the selected failures as solved, or reopens them. */
export async function action({ app, form, reply, url }: ActionContext) {
  const fingerprints = form.getAll('fingerprint').map(String)
  const isSolved = form.get('intent') === 'solve'
  const asked = await app.console.ask(async (ledger) => {
    for (const fingerprint of fingerprints) await ledger.setSolved(fingerprint, isSolved)
  })
  if (asked.kind === 'answered') redirect(url.pathname + url.search)
  reply.code(503)
  return { problem: asked.problem }
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
