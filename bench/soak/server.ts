import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { State } from './state.ts'

export interface Held extends State {
  /** The numbers of open file descriptors of the process, by target: sockets, pipes, a file. */
  descriptors: Record<string, number>
  /** The number of folders for uploaded files in the temporary folder. */
  temporaryFolders: number
}

export interface SoakServer {
  port: number
  /** The folder of the log and the ledger. The caller removes it. */
  folder: string
  log: string
  ledger: string
  /** Returns the server's resources after a garbage collection. Objects are counted only for `'objects'`. */
  look(what: 'memory' | 'objects'): Promise<Held>
  /** Sends SIGTERM, as a supervisor does. Resolves with the exit code. */
  stop(): Promise<number | null>
}

export const ROOT = resolve(import.meta.dirname, '../../..')
export const CLI = join(ROOT, 'dist/scripts/cli.js')
export const SITE = join(ROOT, 'bench/soak-site')
/** The deadline of loads and documents. It is long enough that other work on the machine does not cause a timeout. */
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
  // The server must not outlive this process.
  process.once('exit', () => child.kill('SIGKILL'))
  const port = await readPort(log, () => child.exitCode)
  return {
    ...{ port, folder, log, ledger },
    async look(what) {
      const query = what === 'objects' ? '?objects' : ''
      const headers = { connection: 'close' }
      const response = await fetch(`http://127.0.0.1:${port}/soak/state${query}`, { headers })
      // The cast is safe because the soak site's `server.ts` sends a `State`.
      const state = (await response.json()) as State
      // Do not count the connection of this request, which closes after the response.
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
    // The first URL in the log is the site's, the second is the admin listener's.
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
