import { Asker, type Path } from '../asker.ts'
import { BROWSER, type Headers } from '../failures/headers.ts'
import { readProcessorSeconds } from '../process-tree.ts'
import { CONNECTIONS, TURN_MS, takeTurns, type Way } from '../turns.ts'
import {
  type CacheFigures,
  type CacheRun,
  ENCODINGS,
  type EncodingName,
  type FirstBytes,
  type ResponseName,
} from './figures.ts'
import { compareFirstBytes } from './first-byte.ts'
import { type CacheServers, startServers } from './servers.ts'

const WARM_UP_MS = 2_000

const PAGES = ['/stored', '/parts'] as const

const HEADERS: Readonly<Record<EncodingName, Headers>> = {
  none: BROWSER,
  br: { ...BROWSER, 'Accept-Encoding': 'br' },
  gzip: { ...BROWSER, 'Accept-Encoding': 'gzip' },
}

/** Compares stored responses with rendered ones, and with routes of Fastify that send the same text. */
export async function measureCache(turns: number, note: (text: string) => void): Promise<CacheFigures> {
  const runs: CacheRun[] = []
  const firstBytes: Partial<Record<EncodingName, FirstBytes>> = {}
  for (const workers of [1, 2]) {
    const servers = await startServers(workers)
    try {
      for (const encoding of ENCODINGS) {
        note(`${workers === 1 ? 'one process' : `${workers} workers`}, encoding: ${encoding}`)
        // A shell is compressed once with gzip only.
        if (workers === 1 && encoding !== 'br')
          firstBytes[encoding] = await compareFirstBytes(servers.site.url, PAGES, HEADERS[encoding], turns)
        runs.push({ workers, encoding, rates: await measureRates(servers, HEADERS[encoding], turns) })
      }
    } finally {
      await servers.stop()
    }
  }
  return { runs, firstBytes }
}

async function measureRates({ site, bare }: CacheServers, headers: Headers, turns: number): Promise<CacheRun['rates']> {
  const asker = await Asker.connect(site.url, CONNECTIONS, headers)
  const bareAsker = bare && (await Asker.connect(bare.url, CONNECTIONS, headers))
  let count = 0
  const paths: readonly (readonly [name: ResponseName, path: Path])[] = [
    ['stored', '/stored'],
    ['stale', '/stale'],
    // Each request has a key of its own.
    ['missed', () => `/missed?count=${++count}`],
    ['uncached', '/uncached'],
    ['route', '/route'],
    ['short route', '/short-route'],
  ]
  const ways = [
    ...paths.map(([name, path]) => ({ name, path, asker, pid: site.pid })),
    ...(bareAsker ? [{ name: 'bare' as const, path: '/', asker: bareAsker, pid: bare.pid }] : []),
  ]
  const rates = await takeTurns(ways, turns, WARM_UP_MS, ratePerProcessorSecond)
  asker.close()
  bareAsker?.close()
  return Object.fromEntries(ways.map(({ name }, index) => [name, rates.map((turn) => Math.round(turn[index] ?? 0))]))
}

// With one core for all processes of a server, this is its rate per second, but for other work on the machine.
async function ratePerProcessorSecond({ asker, path, pid }: Way & { pid: number }): Promise<number> {
  const before = readProcessorSeconds(pid)
  await asker.saturate(path, TURN_MS)
  return asker.answered / (readProcessorSeconds(pid) - before)
}
