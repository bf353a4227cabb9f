import { Asker } from '../asker.ts'
import { CONNECTIONS, takeTurns } from '../turns.ts'
import type { FailureFigures } from './figures.ts'
import { BROWSER, COMPRESSED, type Headers } from './headers.ts'
import type { FailingServer } from './server.ts'

export const WARM_UP_MS = 4_000

const NOTHING = 'part=none'
const LOAD = 'part=load'
const RENDER = 'part=render'
export const WORKING = `/?${NOTHING}`
export const FAILING = `/?${LOAD}`

/** An almost empty page, a page with a small table, and a page with a large table; the first compressed too. */
const KINDS: readonly { page: string; headers: string; sent: Headers }[] = [
  { page: '/?', headers: 'browser', sent: BROWSER },
  { page: '/rows?count=10&', headers: 'browser', sent: BROWSER },
  { page: '/rows?count=100&', headers: 'browser', sent: BROWSER },
  { page: '/?', headers: 'browser, compressed', sent: COMPRESSED },
]

/** Compares each page that fails, in its load or in a component, with the same page that works. */
export async function measureShares(
  server: FailingServer,
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
export async function measureByHand(
  site: FailingServer,
  byHand: FailingServer,
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

export function connect({ url }: FailingServer, headers = BROWSER): Promise<Asker> {
  return Asker.connect(url, CONNECTIONS, headers)
}
