import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { moveToCore, SERVER_CORE } from '../cores.ts'
import { startServer } from '../server-process.ts'

export interface FailingServer {
  url: string
  pid: number
  log: string
  stop(): Promise<void>
}

export interface FailingServers {
  site: FailingServer
  byHand: FailingServer
  /** The ledger of the site. */
  ledger: string
  stop(): Promise<void>
}

const ROOT = resolve(import.meta.dirname, '../../..')
export const SITE = join(ROOT, 'bench/failing-site')
export const CLI = join(ROOT, 'dist/scripts/cli.js')
const BY_HAND = join(ROOT, 'dist/bench/failures/by-hand.js')

/** Builds and starts the failing site and the server by hand on one core, and moves this process to another. */
export async function startServers(): Promise<FailingServers> {
  execFileSync(process.execPath, [CLI, 'build', SITE], { stdio: ['ignore', 'ignore', 'inherit'] })
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-failures-'))
  const ledger = join(folder, 'errors.db')
  const release = moveToCore()
  const start = async (name: string, words: readonly string[]) => {
    const log = join(folder, `${name}.log`)
    const env = { HYDRANT_LEDGER: ledger }
    const pinned = ['taskset', '-c', SERVER_CORE, process.execPath, ...words]
    return { ...(await startServer({ words: pinned, dir: ROOT, path: '/', log, env })), log }
  }
  const site = await start('site', [CLI, 'start', SITE])
  const byHand = await start('by-hand', [BY_HAND])
  return {
    ...{ site, byHand, ledger },
    async stop() {
      await site.stop()
      await byHand.stop()
      release()
      rmSync(folder, { recursive: true })
    },
  }
}
