import { createReadStream, mkdirSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { CLI, ROOT } from '../paths.ts'
import { buildSite, readOccurrences } from '../pinned-servers.ts'
import { startServer } from '../server-process.ts'
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

export const SITE = join(ROOT, 'bench/soak-site')
/** The deadline of loads and documents. It is long enough that other work on the machine does not cause a timeout. */
const DEADLINE_MS = '5000'
const CLOSE_MS = 100

export async function startSoakServer(): Promise<SoakServer> {
  buildSite(SITE)
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-soak-'))
  const [log, ledger, temporary] = [join(folder, 'log'), join(folder, 'errors.db'), join(folder, 'temporary')]
  mkdirSync(temporary)
  const { url, pid, stop } = await startServer({
    words: [process.execPath, '--expose-gc', CLI, 'start', SITE],
    ...{ dir: ROOT, path: '/', log },
    env: {
      ...{ TMPDIR: temporary, HYDRANT_LEDGER: ledger, HYDRANT_ADMIN: '0' },
      ...{ HYDRANT_TIMEOUTS_LOAD_MS: DEADLINE_MS, HYDRANT_TIMEOUTS_RENDER_MS: DEADLINE_MS },
    },
  })
  return {
    ...{ port: Number(new URL(url).port), folder, log, ledger, stop },
    async look(what) {
      const query = what === 'objects' ? '?objects' : ''
      const response = await fetch(`${url}/soak/state${query}`, { headers: { connection: 'close' } })
      // The cast is safe because the soak site's `server.ts` sends a `State`.
      const state = (await response.json()) as State
      // Do not count the connection of this request, which closes after the response.
      await wait(CLOSE_MS)
      const descriptors = countDescriptors(`/proc/${pid}/fd`)
      return { ...state, descriptors, temporaryFolders: readdirSync(temporary).length }
    },
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

export interface KeptFailures {
  /** Failure lines in the log. */
  logged: number
  /** Failures in the ledger. */
  kept: number
  /** The first log lines of level `warn` or above that no request of the load explains. */
  strange: string[]
}

interface Line {
  level: number
  digest?: string
  err?: { message: string }
}

const WARN = 40
const MAX_STRANGE = 10
/** Matches the soak site's own errors, and the deadlines that some requests exceed on purpose. */
const EXPECTED = /^soak: |^the loads did not finish within|^the document was not complete within/
/** Matches Node's warnings about the APIs that the soak site uses. */
const EXPECTED_TEXT = /ExperimentalWarning: v8\.queryObjects|--trace-warnings/

export async function readKeptFailures({ log, ledger }: SoakServer): Promise<KeptFailures> {
  let logged = 0
  const strange: string[] = []
  for await (const text of createInterface(createReadStream(log))) {
    const line = readLine(text)
    if (line?.digest !== undefined) logged++
    const isExpected = line ? line.level < WARN || EXPECTED.test(line.err?.message ?? '') : EXPECTED_TEXT.test(text)
    if (!isExpected && strange.length < MAX_STRANGE) strange.push(text)
  }
  const kept = readOccurrences(SITE, ledger).reduce((sum, count) => sum + count, 0)
  return { logged, kept, strange }
}

function readLine(text: string): Line | null {
  try {
    // The cast is safe because each line of the server's log is JSON.
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}
