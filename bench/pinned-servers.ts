import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLI, ROOT } from './paths.ts'
import { type ServerProcess, startServer } from './server-process.ts'

/** Servers that share one core, while this process has another. */
export interface PinnedServers {
  /** The ledger of the site. */
  ledger: string
  /** Starts a program of Node.js, in the folder of the repository or another, that is ready when the path is answered. */
  start(
    name: string,
    path: string,
    words: readonly string[],
    options?: { env?: Record<string, string>; dir?: string },
  ): Promise<ServerProcess>
  /** Stops all of them. Allows this process all cores again. */
  stop(): Promise<void>
}

const [SERVER_CORE, CLIENT_CORE] = ['0', '1']

/** Moves this process to its core. */
export function pinServers(): PinnedServers {
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-bench-'))
  const ledger = join(folder, 'errors.db')
  const running: ServerProcess[] = []
  const release = moveToCore()
  return {
    ledger,
    async start(name, path, words, { env = {}, dir = ROOT } = {}) {
      const server = await startServer({
        words: ['taskset', '-c', SERVER_CORE, process.execPath, ...words],
        ...{ dir, path, log: join(folder, `${name}.log`), env: { HYDRANT_LEDGER: ledger, ...env } },
      })
      running.push(server)
      return server
    },
    async stop() {
      for (const server of running) await server.stop()
      release()
      rmSync(folder, { recursive: true })
    },
  }
}

export function buildSite(site: string) {
  execFileSync(process.execPath, [CLI, 'build', site], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Returns the number of occurrences of each failure in the ledger of a site. */
export function readOccurrences(site: string, ledger: string): number[] {
  const words = [CLI, 'errors', site, '--ledger', ledger, '--limit', '10000', '--json']
  const json = execFileSync(process.execPath, words, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  // The cast is safe because `hydrant errors --json` documents this format.
  return (JSON.parse(json) as { count: number }[]).map(({ count }) => count)
}

/** Moves this process to a core without servers. Returns a function that allows all cores again. */
function moveToCore(): () => void {
  const ofProcess = () => execFileSync('taskset', ['-p', String(process.pid)], { encoding: 'utf8' })
  const mask = /: ([\da-f,]+)$/m.exec(ofProcess())?.[1] ?? '3'
  execFileSync('taskset', ['-a', '-cp', CLIENT_CORE, String(process.pid)], { stdio: 'ignore' })
  return () => execFileSync('taskset', ['-a', '-p', mask, String(process.pid)], { stdio: 'ignore' })
}
