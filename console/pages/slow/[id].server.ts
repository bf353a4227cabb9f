import type { LoadContext } from 'hydrant'

export async function load({ app, params, reply }: LoadContext<'/slow/[id]'>) {
  const result = await app.console.tryLedger((ledger) => ledger.slowRequest(params.id))
  if (result.kind === 'unavailable') {
    reply.code(503)
    return result
  }
  if (result.value.kind === 'unknown') reply.code(404)
  return { now: Date.now(), ...result.value }
}
