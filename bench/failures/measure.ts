import type { Plan } from '../arguments.ts'
import type { FailureFigures } from './figures.ts'
import { countFailures } from './ledger.ts'
import { startServers } from './server.ts'
import { measureByHand, measureShares } from './shares.ts'
import { measureStorm } from './storm.ts'

/** Measures the cost of failures, and the working pages next to a storm of them. */
export async function measureFailures(
  { turns, stormSeconds }: Plan,
  note: (text: string) => void,
  onProblem: (text: string) => void,
): Promise<FailureFigures> {
  const servers = await startServers()
  const { site, byHand } = servers
  try {
    note('by hand')
    const costs = await measureByHand(site, byHand, turns)
    await byHand.stop()
    const shares = await measureShares(site, turns, note)
    note('storm')
    const storm = await measureStorm(site, stormSeconds)
    await site.stop()
    const ledger = await countFailures(servers.ledger, site.log)
    if (ledger.occurrences !== ledger.logged) {
      onProblem(`the ledger has ${ledger.occurrences} failures, the log has ${ledger.logged}`)
    }
    return { shares, byHand: costs, storm, ledger }
  } finally {
    await servers.stop()
  }
}
