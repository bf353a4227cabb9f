import { type LoadContext, redirect } from 'hydrant'
import { href } from 'hydrant/react'

export async function load({ app, url, reply }: LoadContext<'/find'>) {
  const typed = url.searchParams.get('digest') ?? ''
  const result = await app.console.tryLedger(async (ledger) => {
    const found = await ledger.find(typed)
    // The id of a request may look like a digest.
    return { found, slow: found.kind === 'unknown' ? await ledger.slowRequest(typed) : null }
  })
  if (result.kind === 'unavailable') {
    reply.code(503)
    return result
  }
  const { found, slow } = result.value
  if (found.kind === 'found') {
    const digest = found.digest ?? found.failure.fingerprint
    redirect(new URL(href('/failures/[digest]', { digest }), url).pathname)
  }
  if (slow?.kind === 'found') redirect(new URL(href('/slow/[id]', { id: slow.request.id }), url).pathname)
  reply.code(404)
  return found
}
