import { type ActionContext, type LoadContext, redirect } from 'hydrant'
import { countHours, firstHour, noHours } from '../../lib/hours.ts'

export const live = ({ app }: LoadContext<'/failures/[digest]'>) => app.console.failureTopics()

export async function load({ app, params, reply, request }: LoadContext<'/failures/[digest]'>) {
  const now = Date.now()
  const result = await app.console.tryLedger(async (ledger) => ({
    found: await ledger.find(params.digest),
    counts: await ledger.hours(firstHour(now)),
  }))
  if (result.kind === 'unavailable') {
    reply.code(503)
    return result
  }
  const { found, counts } = result.value
  if (found.kind === 'unknown') {
    reply.code(404)
    return found
  }
  const { fingerprint } = found.failure
  const hoursOf = countHours(
    counts.filter((count) => count.fingerprint === fingerprint),
    now,
  )
  const mayChange = app.console.auth.mayChange(request.headers)
  return { ...found, now, mayChange, hours: hoursOf.get(fingerprint) ?? noHours() }
}

export async function action({ app, form, params, reply, url }: ActionContext<'/failures/[digest]'>) {
  const result = await app.console.tryLedger(async (ledger) => {
    const found = await ledger.find(params.digest)
    if (found.kind === 'found') await ledger.setSolved(found.failure.fingerprint, form.get('intent') === 'solve')
  })
  if (result.kind === 'done') redirect(url.pathname)
  reply.code(503)
  return { problem: result.problem }
}
