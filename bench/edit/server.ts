import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { findPort } from '../free-port.ts'
import { type Held, readHeld } from '../process-tree.ts'
import type { Subject } from './subjects.ts'

const START_MS = 120_000
const ANSWER_MS = 30_000
const POLL_MS = 10
/** A server is at rest when it has used no processor for this time. */
const REST_MS = 120
const SETTLE_MS = 10_000
const STOP_MS = 10_000

export interface RunningServer {
  url: string
  /** The time from the start of the process to the first page that was answered with 200. */
  readyMs: number
  /** The time at which the process was started, by `performance.now()`. */
  startedAt: number
  /** Waits until the server and its processes use no processor, ten seconds at most. */
  settle(): Promise<Held>
  /** Throws if the process has ended. */
  check(): void
  stop(): Promise<void>
}

/** Starts a development server. It ends with this process at the latest. */
export async function startServer(subject: Subject): Promise<RunningServer> {
  const port = await findPort()
  const log = `${subject.dir}.log`
  const output = openSync(log, 'w')
  const own = Object.entries(process.env).filter(([name]) => !/^(HYDRANT_|NODE_ENV$|PORT$|HOST$|LOG_LEVEL$)/.test(name))
  const startedAt = performance.now()
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, ...subject.command(port)], {
    cwd: subject.dir,
    // Vite ends when its input does.
    stdio: ['pipe', output, output],
    env: { ...Object.fromEntries(own), NODE_ENV: 'development', HYDRANT_ADMIN: 'false' },
  })
  closeSync(output)
  const ended = once(child, 'close')
  const { pid = 0 } = child
  const url = `http://127.0.0.1:${port}`

  function check() {
    if (child.exitCode === null && child.signalCode === null) return
    throw new Error(`${subject.name} has ended:\n${readFileSync(log, 'utf8').slice(-4_000)}`)
  }

  async function stop() {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(timer)
  }

  while (!(await isAnswered(url))) {
    check()
    if (performance.now() - startedAt > START_MS) {
      await stop()
      throw new Error(`${subject.name} answers no page:\n${readFileSync(log, 'utf8').slice(-4_000)}`)
    }
    await wait(POLL_MS)
  }
  return { url, startedAt, readyMs: performance.now() - startedAt, settle: () => settle(pid), check, stop }
}

async function settle(pid: number): Promise<Held> {
  const end = performance.now() + SETTLE_MS
  for (let before = readHeld(pid); ; ) {
    await wait(REST_MS)
    const now = readHeld(pid)
    if (now.processorTicks === before.processorTicks || performance.now() > end) return now
    before = now
  }
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    const headers = { accept: 'text/html', connection: 'close' }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
    await response.text()
    return response.status === 200
  } catch {
    // The server does not listen yet.
    return false
  }
}
