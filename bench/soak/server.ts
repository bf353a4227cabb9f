import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { State } from './state.ts'

export interface Held extends State {
  /** Open descriptors of the process, counted by what they stand for: sockets, pipes, a file. */
  descriptors: Record<string, number>
  /** Folders for files of forms, in the temporary one. */
  temporaryFolders: number
}

export interface SoakServer {
  port: number
  /** Removed by who has started it. */
  folder: string
  log: string
  ledger: string
  /** What it holds, behind a collection of garbage; objects are counted where they are asked for. */
  look(what: 'memory' | 'objects'): Promise<Held>
  /** Tells it to stop, as a supervisor does; resolves with its exit code. */
  stop(): Promise<number | null>
}

export const ROOT = resolve(import.meta.dirname, '../../..')
export const CLI = join(ROOT, 'dist/scripts/cli.js')
export const SITE = join(ROOT, 'bench/soak-site')
/** Of loads and of documents: a machine that is busy with other things as well holds up nothing for so long. */
const DEADLINE_MS = '5000'

const CLOSE_MS = 100

export async function startSoakServer(): Promise<SoakServer> {
  execFileSync(process.execPath, [CLI, 'build', SITE], { stdio: ['ignore', 'ignore', 'inherit'] })
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-soak-'))
  const [log, ledger, temporary] = [join(folder, 'log'), join(folder, 'errors.db'), join(folder, 'temporary')]
  mkdirSync(temporary)
  const output = openSync(log, 'w')
  const child = spawn(process.execPath, ['--expose-gc', CLI, 'start', SITE], {
    stdio: ['ignore', output, output],
    env: {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production', TMPDIR: temporary, PORT: '0' },
      ...{ HYDRANT_LEDGER: ledger, HYDRANT_ADMIN: '0' },
      ...{ HYDRANT_TIMEOUTS_LOAD_MS: DEADLINE_MS, HYDRANT_TIMEOUTS_RENDER_MS: DEADLINE_MS },
    },
  })
  const ended = once(child, 'exit')
  // Whatever happens here, nothing goes on behind it.
  process.once('exit', () => child.kill('SIGKILL'))
  const port = await readPort(log, () => child.exitCode)
  return {
    ...{ port, folder, log, ledger },
    async look(what) {
      const query = what === 'objects' ? '?objects' : ''
      const headers = { connection: 'close' }
      const response = await fetch(`http://127.0.0.1:${port}/soak/state${query}`, { headers })
      // What the soak site's `server.ts` answers.
      const state = (await response.json()) as State
      // The connection that has asked is none that is left, and closes behind the answer.
      await wait(CLOSE_MS)
      const descriptors = countDescriptors(`/proc/${child.pid}/fd`)
      return { ...state, descriptors, temporaryFolders: readdirSync(temporary).length }
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

async function readPort(log: string, exitCode: () => number | null): Promise<number> {
  for (;;) {
    const text = readFileSync(log, 'utf8')
    // The site says it first, and then the admin listener.
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]
    if (port !== undefined) return Number(port)
    if (exitCode() !== null) throw new Error(`the server did not start:\n${text}`)
    await wait(50)
  }
}

function countDescriptors(folder: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of readdirSync(folder)) {
    const kind = targetOf(join(folder, name)).replace(/:\[\d+\]$/, '')
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return 'closed meanwhile'
  }
}
