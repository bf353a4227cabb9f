import { type LoadContext, redirect } from 'hydrant'
import { href } from 'hydrant/react'

export async function load({ app, url, reply }: LoadContext) {
  const typed = url.searchParams.get('digest') ?? ''
  const asked = await app.console.ask((ledger) => ledger.find(typed))
  if (asked.kind === 'away') {
    reply.code(503)
    return asked
  }
  const found = asked.value
  if (found.kind === 'found') {
    const digest = found.digest ?? found.failure.fingerprint
    redirect(new URL(href('/failures/[digest]', { digest }), url).pathname)
  }
  reply.code(404)
  return { ...found, typed: typed.slice(0, 100) }
}
