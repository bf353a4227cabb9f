import type { LoadContext } from 'hydrant'

export async function load({ app, params, reply }: LoadContext<'/slow/[id]'>) {
  const result = await app.console.tryLedger((ledger) => ledger.slowRequest(params.id))
  if (result.kind === 'unavailable') {
    reply.code(503)
    return result
  }
  if (result.value === null) {
    reply.code(404)
    return { kind: 'unknown' as const }
  }
  return { kind: 'found' as const, now: Date.now(), request: result.value }
}
