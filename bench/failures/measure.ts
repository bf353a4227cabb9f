import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Plan } from '../arguments.ts'
import { BROWSER, COMPRESSED, type Headers } from '../asker.ts'
import { CLI, ROOT } from '../paths.ts'
import { buildSite, pinServers, readOccurrences } from '../pinned-servers.ts'
import type { ServerProcess } from '../server-process.ts'
import { takeTurns } from '../turns.ts'
import { connect, measureStorm, type StormFigures, WARM_UP_MS, WORKING } from './storm.ts'

/** Rates are compared within a turn of a quarter of a second. */
export interface FailureFigures {
  /** The rate of a failing page as a share of the rate of the same page when it works, one item per turn. */
  shares: readonly { page: string; part: string; headers: string; ratios: readonly number[] }[]
  /** The cost of a failure by Hydrant and by hand, in working pages. */
  byHand: { own: readonly number[]; byHand: readonly number[] }
  storm: StormFigures
  /** The failures in the ledger and the lines in the log. */
  ledger: { failures: number; occurrences: number; logged: number }
}

const SITE = join(ROOT, 'bench/failing-site')
const BY_HAND = join(ROOT, 'dist/bench/failures/by-hand.js')

/** Measures the cost of failures, and the working pages next to a storm of them. */
export async function measureFailures(
  { turns, stormSeconds }: Plan,
  note: (text: string) => void,
  onProblem: (text: string) => void,
): Promise<FailureFigures> {
  buildSite(SITE)
  const servers = pinServers()
  try {
    const site = await servers.start('site', '/', [CLI, 'start', SITE])
    const byHand = await servers.start('by-hand', '/', [BY_HAND])
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

/** Compares the ledger with the log of a server that has stopped. */
async function countFailures(ledger: string, log: string): Promise<FailureFigures['ledger']> {
  const counts = readOccurrences(SITE, ledger)
  let logged = 0
  // The log is longer than the maximum string length.
  for await (const line of createInterface(createReadStream(log))) if (line.includes('"digest"')) logged++
  return { failures: counts.length, occurrences: counts.reduce((sum, count) => sum + count, 0), logged }
}

const NOTHING = 'part=none'
const LOAD = 'part=load'
const RENDER = 'part=render'
/** An almost empty page, a page with a small table, and a page with a large table; the first compressed too. */
const KINDS: readonly { page: string; headers: string; sent: Headers }[] = [
  { page: '/?', headers: 'browser', sent: BROWSER },
  { page: '/rows?count=10&', headers: 'browser', sent: BROWSER },
  { page: '/rows?count=100&', headers: 'browser', sent: BROWSER },
  { page: '/?', headers: 'browser, compressed', sent: COMPRESSED },
]

/** Compares each page that fails, in its load or in a component, with the same page that works. */
async function measureShares(
  server: ServerProcess,
  turns: number,
  note: (text: string) => void,
): Promise<FailureFigures['shares']> {
  const shares: FailureFigures['shares'][number][] = []
  for (const { page, headers, sent } of KINDS) {
    note(`${page}, headers: ${headers}`)
    const asker = await connect(server, sent)
    const rates = await takeTurns(
      [NOTHING, LOAD, RENDER].map((part) => ({ asker, path: page + part })),
      turns,
      WARM_UP_MS,
    )
    asker.close()
    for (const [index, part] of ['load', 'render'].entries()) {
      shares.push({ page, part, headers, ratios: rates.map((turn) => (turn[index + 1] ?? 0) / (turn[0] ?? 0)) })
    }
  }
  return shares
}

/** Compares a failing component with the same on a server that does only the necessary work, in working pages. */
async function measureByHand(
  site: ServerProcess,
  byHand: ServerProcess,
  turns: number,
): Promise<FailureFigures['byHand']> {
  const askers = [await connect(site), await connect(byHand)]
  const ways = askers.flatMap((asker) => [WORKING, `/?${RENDER}`].map((path) => ({ asker, path })))
  const rates = await takeTurns(ways, turns, WARM_UP_MS)
  for (const asker of askers) asker.close()
  const costs = rates.map(([page = 0, fails = 0, byHandPage = 0, byHandFails = 0]) => ({
    own: page / fails - 1,
    byHand: page / byHandFails - page / byHandPage,
  }))
  return { own: costs.map(({ own }) => own), byHand: costs.map(({ byHand }) => byHand) }
}
