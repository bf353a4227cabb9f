import { join } from 'node:path'
import { Asker, BROWSER, type Headers, type Path } from '../asker.ts'
import { askPage } from '../http.ts'
import { CLI, ROOT } from '../paths.ts'
import { buildSite, type PinnedServers, pinServers } from '../pinned-servers.ts'
import { readProcessorSeconds } from '../process-tree.ts'
import type { ServerProcess } from '../server-process.ts'
import { CONNECTIONS, TURN_MS, takeTurns, type Way } from '../turns.ts'
import { compareFirstBytes, type FirstBytes } from './first-byte.ts'

/** The responses that are compared, in the order in which they take turns. */
export const RESPONSES = ['stored', 'stale', 'missed', 'uncached', 'route', 'short route', 'bare'] as const
export type ResponseName = (typeof RESPONSES)[number]

export const ENCODINGS = ['none', 'br', 'gzip'] as const
export type EncodingName = (typeof ENCODINGS)[number]

export interface CacheFigures {
  runs: readonly CacheRun[]
  /** The first byte of a stored page, and as a multiple of it that of a stored shell. Earlier records have none. */
  firstBytes?: Readonly<Partial<Record<EncodingName, FirstBytes>>>
}

/** Requests per second of processor time for each response, one item per turn. */
export interface CacheRun {
  workers: number
  encoding: EncodingName
  /** The bare Fastify has no workers. */
  rates: Readonly<Partial<Record<ResponseName, readonly number[]>>>
}

const SITE = join(ROOT, 'bench/cached-site')
const BARE = join(ROOT, 'dist/bench/cache/bare.js')
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
    buildSite(SITE)
    const pinned = pinServers()
    try {
      const servers = await startServers(pinned, workers)
      for (const encoding of ENCODINGS) {
        note(`${workers === 1 ? 'one process' : `${workers} workers`}, encoding: ${encoding}`)
        // A shell is compressed once with gzip only.
        if (workers === 1 && encoding !== 'br')
          firstBytes[encoding] = await compareFirstBytes(servers.site.url, PAGES, HEADERS[encoding], turns)
        runs.push({ workers, encoding, rates: await measureRates(servers, HEADERS[encoding], turns) })
      }
    } finally {
      await pinned.stop()
    }
  }
  return { runs, firstBytes }
}

interface CacheServers {
  site: ServerProcess
  /** Null next to workers. */
  bare: ServerProcess | null
}

/** Starts the site on one core, for one process next to a bare Fastify. */
async function startServers({ start }: PinnedServers, workers: number): Promise<CacheServers> {
  const site = await start('site', '/stored', [CLI, 'start', SITE, '--workers', String(workers)])
  const { body } = await askPage(`${site.url}/stored`)
  for (const path of ['/route', '/short-route'])
    if (!(await askPage(site.url + path)).body.equals(body)) throw new Error(`${path} does not send the stored page`)
  const env = { READY_URL: `${site.url}/stored` }
  return { site, bare: workers === 1 ? await start('bare', '/', [BARE], { env }) : null }
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
