import type { LoadContext } from 'hydrant'
import { countHours, firstHour, noHours } from '../content/hours.ts'

const LIMIT = 100

export async function load({ app, url }: LoadContext) {
  const now = Date.now()
  const { query, problem } = app.console.readQuery(filtersOf(url.searchParams))
  const { hasLedger } = app.console
  if (problem !== null) return { now, problem, hasLedger, failures: [], isCut: false, isEmpty: false }
  const [causes, counts] = await Promise.all([
    app.console.list({ ...query, limit: LIMIT + 1 }),
    app.console.hours(firstHour(now)),
  ])
  const hours = countHours(counts, now)
  return {
    now,
    problem: null,
    hasLedger,
    failures: causes.slice(0, LIMIT).map((cause) => ({ ...cause, hours: hours.get(cause.cause) ?? noHours() })),
    isCut: causes.length > LIMIT,
    /** Has nothing failed at all? */
    isEmpty: causes.length === 0 && (await app.console.list({ limit: 1 })).length === 0,
  }
}

// What nobody has looked into is what one comes for.
function filtersOf(typed: URLSearchParams): URLSearchParams {
  const filters = new URLSearchParams(typed)
  filters.delete('limit')
  const solved = filters.get('solved') ?? ''
  if (solved === '') filters.set('solved', 'false')
  if (solved === 'all') filters.delete('solved')
  return filters
}
