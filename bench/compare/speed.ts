import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from '../arguments.ts'
import type { Workspace } from './workspace.ts'

/** The pages that every server has. */
const PAGES = ['hello', 'data', 'spiral', 'stream'] as const
export type PageName = (typeof PAGES)[number]

export interface SpeedFigures {
  servers: Readonly<Record<string, ServerFigures>>
}

export interface ServerFigures {
  versions: Readonly<Record<string, string>>
  /** Each page's load, one item per round. */
  load: Readonly<Partial<Record<PageName, readonly Round[]>>>
  /** The sizes of the documents. */
  documentBytes: Readonly<Partial<Record<PageName, number>>>
  /** The time to the first byte of the streamed page on an idle server. */
  firstByteMs: number | null
  /** The compressed scripts of the small page. */
  scriptBytes: number | null
  coldMs: number | null
  idleMb: number | null
  buildMs: number | null
  /** The number of installed packages, without those for development. */
  packages: number | null
}

/** One server under load for some seconds. */
export interface Round {
  perSecond: number
  /** Requests per second of the server's processor time. Other work on the machine hardly changes it. */
  perCpuSecond: number
}

const CONNECTIONS = 50
const COLD_STARTS = 5
const WARM_UP_SLICE_SECONDS = 2

/** The results of the peers' runner that the benchmark uses. */
interface Results {
  peers: Record<string, PeerResults>
  load: Partial<Record<PageName, Record<string, (RoundResults | null)[]>>>
}

interface PeerResults {
  versions: Record<string, string>
  /** Whether its streamed page has an early shell. */
  streams: boolean
  bytes?: Partial<Record<PageName, number>>
  stream?: { firstByte: number }
  client?: { gzip: number }
  coldMs?: { median: number }
  rssStart?: number
  runtimePackages?: number
  failed?: string
}

interface RoundResults {
  rps: number
  perCpuSecond: number
}

/** Measures all servers side by side with the peers' own runner. */
export async function measureSpeed(
  { dir, peers, buildMs }: Workspace,
  { rounds, seconds, warmupSeconds }: Plan,
  onProblem: (text: string) => void,
): Promise<SpeedFigures> {
  const results = join(dir, 'results')
  rmSync(`${results}.json`, { force: true })
  const options = {
    ...{ peers: peers.map(({ name }) => name).join(','), rounds, seconds, connections: CONNECTIONS },
    ...{ warmup: Math.min(WARM_UP_SLICE_SECONDS, warmupSeconds), 'max-warmup': warmupSeconds },
    ...{ colds: COLD_STARTS, out: results },
  }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(process.execPath, ['bench.mjs', ...words], { cwd: dir, stdio: ['ignore', 2, 2] })
  try {
    await once(child, 'exit')
  } finally {
    endProcessesIn(dir)
  }
  if (!existsSync(`${results}.json`)) throw new Error('the runner of the peers has written no results')
  // The cast is safe because the runner documents these results.
  const read = JSON.parse(readFileSync(`${results}.json`, 'utf8')) as Results
  for (const [name, { failed }] of Object.entries(read.peers)) if (failed) onProblem(`${name}: ${failed}`)
  return { servers: toServers(read, buildMs) }
}

function toServers({ peers, load }: Results, buildMs: ReadonlyMap<string, number>): Record<string, ServerFigures> {
  const servers: Record<string, ServerFigures> = {}
  for (const [name, peer] of Object.entries(peers)) {
    const rounds = PAGES.flatMap((page) => {
      const measured = load[page]?.[name]?.flatMap((round) => (round ? [toRound(round)] : [])) ?? []
      return measured.length > 0 ? [[page, measured] as const] : []
    })
    servers[name] = {
      versions: peer.versions,
      load: Object.fromEntries(rounds),
      documentBytes: peer.bytes ?? {},
      firstByteMs: (peer.streams && peer.stream?.firstByte) || null,
      scriptBytes: peer.client?.gzip ?? null,
      coldMs: peer.coldMs?.median ?? null,
      idleMb: peer.rssStart ?? null,
      buildMs: buildMs.get(name) ?? null,
      packages: peer.runtimePackages ?? null,
    }
  }
  return servers
}

function toRound({ rps, perCpuSecond }: RoundResults): Round {
  return { perSecond: rps, perCpuSecond }
}

/** Ends the processes whose working directory is in a folder, each by its id. */
export function endProcessesIn(folder: string) {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    try {
      if (`${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${folder}/`)) process.kill(Number(name), 'SIGKILL')
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
}
