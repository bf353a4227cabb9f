import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { moveToCore, SERVER_CORE } from '../cores.ts'
import { askPage } from '../http.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

export interface CacheServers {
  site: ServerProcess
  /** Null next to workers. */
  bare: ServerProcess | null
  stop(): Promise<void>
}

const ROOT = resolve(import.meta.dirname, '../../..')
const SITE = join(ROOT, 'bench/cached-site')
const CLI = join(ROOT, 'dist/scripts/cli.js')
const BARE = join(ROOT, 'dist/bench/cache/bare.js')

/** Builds and starts the site on one core, for one process next to a bare Fastify. Moves this process to another core. */
export async function startServers(workers: number): Promise<CacheServers> {
  execFileSync(process.execPath, [CLI, 'build', SITE], { stdio: ['ignore', 'ignore', 'inherit'] })
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-cache-'))
  const start = (name: string, path: string, words: readonly string[], env: Record<string, string>) =>
    startServer({
      words: ['taskset', '-c', SERVER_CORE, process.execPath, ...words],
      ...{ dir: ROOT, path, log: join(folder, `${name}.log`), env },
    })
  const words = [CLI, 'start', SITE, '--workers', String(workers)]
  const site = await start('site', '/stored', words, { HYDRANT_LEDGER: join(folder, 'errors.db') })
  await checkRoutes(site.url)
  const bare = workers === 1 ? await start('bare', '/', [BARE], { READY_URL: `${site.url}/stored` }) : null
  const release = moveToCore()
  return {
    ...{ site, bare },
    async stop() {
      await site.stop()
      await bare?.stop()
      release()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Throws unless the routes send the text of the stored page. */
async function checkRoutes(url: string) {
  const { body } = await askPage(`${url}/stored`)
  for (const path of ['/route', '/short-route'])
    if (!(await askPage(url + path)).body.equals(body)) throw new Error(`${path} does not send the stored page`)
}
