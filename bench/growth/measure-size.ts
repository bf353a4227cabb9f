import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Plan } from '../arguments.ts'
import { askPage } from '../http.ts'
import { CLI as COMMAND } from '../paths.ts'
import { readHeld } from '../process-tree.ts'
import { type Cost, runCommand } from '../run-command.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { median } from '../statistics.ts'
import { measureRequestBytes, measureStreamBytes } from './memory.ts'
import { createSite, pathOf } from './sources.ts'

/** The figures of one generated site. */
export interface SizeFigures {
  pages: number
  buildMs: number
  /** The most resident memory of the build's processes in MB. */
  buildMb: number
  /** The figures with one process and with two workers. */
  served: readonly ServedFigures[]
}

export interface ServedFigures {
  workers: number
  /** The time from the start of the process to the first page. */
  startMs: number
  /** Resident memory of all processes after the start, in MB. */
  idleMb: number
  /** The time to the first byte of a page that has been requested before. */
  firstByteMs: number
  /** The time to the first byte of a page that nobody has requested yet. */
  firstVisitMs: number
  documentBytes: number
  /** The size of the scripts of a page, each compressed with gzip. */
  clientBytes: number
  /** Memory that one request for a page allocates. */
  requestBytes: number
  /** Memory that an open stream holds after a garbage collection. */
  streamBytes: number
}

/** The command with the bundle of the published package. */
const CLI = ['--conditions=hydrant-bundle', COMMAND]
/** Only builds of small sites are repeated, because they are short. */
const REPEATED_PAGES = 1_000
const WARM_UP_REQUESTS = 500
const REQUESTS = 300
const VISITS = 7
const REST_MS = 500
/** The large young generation keeps collections out of the measurement of allocated memory. */
const MEMORY_FLAGS = ['--expose-gc', '--max-semi-space-size=64']
/** Streams stay open for the time of a measurement, also on a slow machine. */
const DEADLINE_MS = '120000'

const GZIP = { level: 9 }
/** A static import in code that a bundler has written. */
const IMPORTS = /\b(?:import|export)\b[^"'();]*?["']((?:\.{1,2})?\/[^"']+\.m?js)["']/g

export type GrowthPlan = Pick<Plan, 'sizes' | 'repeats' | 'share'>

/** Generates a site, builds it and measures it with one process and with two workers. */
export async function measureSize(
  dir: string,
  pages: number,
  plan: GrowthPlan,
  note: (text: string) => void,
): Promise<SizeFigures> {
  createSite(dir, pages)
  const builds: Cost[] = []
  do {
    note(`${pages} pages: build ${builds.length + 1}`)
    builds.push(await buildSite(dir))
  } while (pages <= REPEATED_PAGES && builds.length < plan.repeats)
  const served: ServedFigures[] = []
  for (const workers of [1, 2]) {
    note(`${pages} pages: ${workers === 1 ? 'one process' : `${workers} workers`}`)
    served.push(await measureServed(dir, pages, workers, plan))
  }
  const [buildMs, buildMb] = [median(builds.map(({ ms }) => ms)), median(builds.map(({ peakMb }) => peakMb))]
  return { pages, buildMs, buildMb, served }
}

export function buildSite(dir: string): Promise<Cost> {
  const env = { NODE_ENV: 'production' }
  return runCommand([process.execPath, ...CLI, 'build', dir], { dir, log: `${dir}.build.log`, env })
}

async function measureServed(
  dir: string,
  pages: number,
  workers: number,
  { repeats, share }: GrowthPlan,
): Promise<ServedFigures> {
  const starts: number[] = []
  const idle: number[] = []
  for (let start = 1; start < repeats; start++) {
    await withServer(dir, pages, workers, [], async ({ startMs, pid }) => {
      await wait(REST_MS)
      starts.push(startMs)
      idle.push(readHeld(pid).residentMb)
    })
  }
  const responses = await withServer(dir, pages, workers, [], async ({ startMs, pid, url }, agent) => {
    await wait(REST_MS)
    starts.push(startMs)
    idle.push(readHeld(pid).residentMb)
    return measureResponses(url, agent, pages, share)
  })
  const memory = await withServer(dir, pages, workers, MEMORY_FLAGS, async (server, agent) => ({
    requestBytes: await measureRequestBytes(server, agent, pathOf(middleOf(pages)), share),
    streamBytes: await measureStreamBytes(server, workers, share),
  }))
  return { workers, startMs: median(starts), idleMb: median(idle), ...responses, ...memory }
}

async function measureResponses(url: string, agent: Agent, pages: number, share: number) {
  const visits: number[] = []
  for (let visit = 0; visit < Math.min(VISITS, pages - 1); visit++) {
    const { firstByteMs } = await askPage(url + pathOf(Math.floor((visit / VISITS) * (pages - 1))), agent)
    visits.push(firstByteMs)
  }
  const page = url + pathOf(middleOf(pages))
  for (let request = 0; request < WARM_UP_REQUESTS * share; request++) await askPage(page, agent)
  const times: number[] = []
  for (let request = 0; request < REQUESTS * share; request++) times.push((await askPage(page, agent)).firstByteMs)
  const { body } = await askPage(page, agent)
  return {
    firstVisitMs: median(visits),
    firstByteMs: median(times),
    documentBytes: body.length,
    clientBytes: await sizeOfScripts(url, body.toString()),
  }
}

/** Starts a generated site, and stops it after the work. All requests of the agent use one connection. */
async function withServer<Result>(
  dir: string,
  pages: number,
  workers: number,
  flags: readonly string[],
  work: (server: ServerProcess, agent: Agent) => Promise<Result>,
): Promise<Result> {
  const server = await startServer({
    words: [process.execPath, ...flags, ...CLI, 'start', dir, '--workers', String(workers)],
    ...{ dir, path: pathOf(middleOf(pages)), log: `${dir}.log` },
    env: {
      HYDRANT_TIMEOUTS_LOAD_MS: DEADLINE_MS,
      HYDRANT_TIMEOUTS_RENDER_MS: DEADLINE_MS,
      HYDRANT_LEDGER: `${dir}.db`,
    },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    return await work(server, agent)
  } finally {
    agent.destroy()
    await server.stop()
  }
}

/** Returns the page that is requested often. */
function middleOf(pages: number): number {
  return Math.floor(pages / 2)
}

/** Returns the compressed size of the scripts that a document names and of the modules that they import. */
async function sizeOfScripts(url: string, html: string): Promise<number> {
  const tags = [...html.matchAll(/<(?:script|link)\b[^>]*>/gi)].map(([tag]) => tag)
  const queue = tags.flatMap((tag) => /\b(?:src|href)="([^"]+\.m?js)"/i.exec(tag)?.[1] ?? [])
  const seen = new Set<string>()
  let bytes = 0
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const script = new URL(path, url).href
    if (seen.has(script)) continue
    seen.add(script)
    const { body } = await askPage(script)
    bytes += gzipSync(body, GZIP).length
    for (const [, imported = ''] of body.toString().matchAll(IMPORTS)) queue.push(new URL(imported, script).href)
  }
  return bytes
}
