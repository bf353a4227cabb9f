import { type ActionContext, type LoadContext, redirect } from 'hydrant'
import { countHours, firstHour, noHours } from '../../content/hours.ts'

type Path = '/failures/[digest]'

export async function load({ app, params, reply }: LoadContext<Path>) {
  const now = Date.now()
  const found = await app.console.find(params.digest)
  if (found.kind === 'unknown') {
    reply.code(404)
    return { ...found, typed: params.digest.slice(0, 100) }
  }
  const { cause } = found.failure
  const counts = await app.console.hours(firstHour(now))
  const own = countHours(
    counts.filter((count) => count.cause === cause),
    now,
  )
  return { ...found, now, hours: own.get(cause) ?? noHours() }
}

export async function action({ app, form, params, url }: ActionContext<Path>) {
  const found = await app.console.find(params.digest)
  if (found.kind === 'found') await app.console.setSolved(found.failure.cause, form.get('intent') === 'solve')
  redirect(url.pathname)
}
