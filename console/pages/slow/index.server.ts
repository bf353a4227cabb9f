import type { LoadContext } from 'hydrant'

export async function load({ app, reply, url }: LoadContext<'/slow'>) {
  const result = await app.console.tryLedger((ledger) => ledger.slow(url.searchParams))
  if (result.kind === 'unavailable') {
    reply.code(503)
    return result
  }
  return { kind: 'list' as const, now: Date.now(), hasLedger: app.console.hasLedger, ...result.value }
}
