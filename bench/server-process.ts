import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { findPort } from '../test/find-port.ts'
import { ask } from './http.ts'

export interface ServerProcess {
  url: string
  pid: number
  /** The file with the server's output. */
  log: string
  /** The time from the start of the process to the first response 200. */
  startMs: number
  /** Throws, with the end of its output, if the server has ended. */
  check(): void
  /** Sends SIGTERM, as a supervisor does. Resolves with the exit code. */
  stop(): Promise<number | null>
}

interface Command {
  /** The program and its arguments. The server reads `HOST` and `PORT`. */
  words: readonly string[]
  dir: string
  /** A path that is answered with 200 when the server is ready. */
  path: string
  /** The file for the server's output. */
  log: string
  env?: Readonly<Record<string, string>>
}

const START_MS = 300_000
const POLL_MS = 3
const STOP_MS = 10_000
const HOST = '127.0.0.1'

/** Starts a server with its processes in a group of their own. They end with this process at the latest. */
export async function startServer({ words, dir, path, log, env = {} }: Command): Promise<ServerProcess> {
  const port = await findPort()
  const output = openSync(log, 'w')
  const begin = performance.now()
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...words], {
    cwd: dir,
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      ...{ HOME: process.env.HOME, PATH: process.env.PATH, NODE_ENV: 'production', HYDRANT_ADMIN: 'false' },
      ...{ HOST, PORT: String(port), ...env },
    },
  })
  closeSync(output)
  const ended = once(child, 'close')
  const { pid = 0 } = child
  const endGroup = () => signal(pid, 'SIGKILL')
  process.once('exit', endGroup)

  function check(isLate = false) {
    if (!isLate && child.exitCode === null && child.signalCode === null) return
    throw new Error(`${words.join(' ')} in ${dir} serves no page:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
  }

  async function stop(): Promise<number | null> {
    signal(pid, 'SIGTERM')
    const timer = setTimeout(endGroup, STOP_MS)
    await ended
    clearTimeout(timer)
    // A process of the group may outlive the first one.
    endGroup()
    process.off('exit', endGroup)
    return child.exitCode
  }

  const url = `http://${HOST}:${port}`
  try {
    while ((await ask(url + path).catch(() => null))?.status !== 200) {
      check(performance.now() - begin > START_MS)
      await wait(POLL_MS)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { url, pid, log, startMs: performance.now() - begin, check: () => check(), stop }
}

function signal(group: number, name: 'SIGTERM' | 'SIGKILL') {
  try {
    process.kill(-group, name)
  } catch {
    // The group has ended.
  }
}
