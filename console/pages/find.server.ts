import { type LoadContext, redirect } from 'hydrant'
import { href } from 'hydrant/react'

export async function load({ app, url, reply }: LoadContext<'/find'>) {
  const typed = url.searchParams.get('digest') ?? ''
  const result = await app.console.tryLedger((ledger) => ledger.find(typed))
  if (result.kind === 'unavailable') {
    reply.code(503)
    return result
  }
  const found = result.value
  if (found.kind === 'found') {
    const digest = found.digest ?? found.failure.fingerprint
    redirect(new URL(href('/failures/[digest]', { digest }), url).pathname)
  }
  reply.code(404)
  return found
}
