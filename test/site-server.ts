// The project's own site, started the way an operator starts it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { COMMAND_OPTIONS } from './command-options.ts'
import { endLater } from './runner/kept.ts'
import { PATIENCE_MS } from './until.ts'

/** A line of the log, with the fields that tests read. */
export interface LogLine {
  /** 30 is info, 50 is error. */
  level: number
  msg: string
  pid?: number
  /** The release of the loaded site. */
  release?: string
  /** The process id of the worker that a line of the primary is about. */
  worker?: number
  reqId?: string
  digest?: string
  side?: string
  phase?: string
  route?: string
  method?: string
  url?: string
  host?: string
  statusCode?: number
  statusSent?: number
  pending?: string[]
  isRecovered?: true
  err?: LoggedError
}

export interface LoggedError {
  type: string
  message: string
  stack: string
  code?: string
  digest?: string
  cause?: LoggedError
  errors?: LoggedError[]
}

export const INFO = 30
export const ERROR = 50

export interface SiteServer {
  port: number
  pid: number
  /** All lines so far. */
  lines: readonly LogLine[]
  /** Returns all lines about one request, in order. */
  linesOf(reqId: string): LogLine[]
  /**
   * Resolves with the first line that fits, which may have been written before the call. Rejects after two minutes, and
   * when the server ends.
   */
  waitForLine(fits: (line: LogLine) => boolean): Promise<LogLine>
  /** Resolves when the log contains the lines of all requests that were answered before the call. */
  settleLog(): Promise<void>
  /** Resolves when the process has ended. */
  ended: Promise<unknown>
  /** The path of the ledger, unless `env` sets another. */
  ledger: string
  /** Stops the server with a signal (SIGTERM). */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface StartOptions {
  /** The site's folder ('site'). */
  dir?: string
  env?: Record<string, string>
  /** Options of Node itself (those of the test). */
  nodeOptions?: readonly string[]
  /** The port to listen on (any free port). */
  port?: number
}

/** For tests in which a busy machine may need longer than the deadlines that `startSite` sets. */
export const LONG_DEADLINES = { HYDRANT_TIMEOUTS_LOAD_MS: '60000', HYDRANT_TIMEOUTS_RENDER_MS: '60000' }

const SHORT_DEADLINES = { HYDRANT_TIMEOUTS_LOAD_MS: '600', HYDRANT_TIMEOUTS_RENDER_MS: '1500' }

let shared: Promise<SiteServer> | null = null

/**
 * Starts the project's own site, unless another test of this process has started it. The test must not stop it, and
 * must look only at the lines of its own requests.
 */
export function shareSite(t: Pick<Test, 'teardown'>): Promise<SiteServer> {
  const teardown = (stop: () => Promise<unknown>) =>
    endLater(t, () => {
      shared = null
      return stop()
    })
  shared ??= startSite({ teardown })
  return shared
}

/** Starts a built site. The server stops at the end of the test. */
export async function startSite(
  t: { teardown(stop: () => Promise<unknown>): void },
  { dir = 'site', env = {}, nodeOptions = COMMAND_OPTIONS, port: wanted = 0 }: StartOptions = {},
): Promise<SiteServer> {
  // The test's own environment must not configure the server.
  const own = Object.entries(process.env).filter(([name]) => !/^(HYDRANT_|PORT$|HOST$|LOG_LEVEL$)/.test(name))
  const ledgerFolder = mkdtempSync(join(tmpdir(), 'hydrant-ledger-'))
  const ledger = join(ledgerFolder, 'errors.db')
  const command = [process.execPath, ...nodeOptions, 'dist/scripts/cli.js', 'start', dir, '--port', String(wanted)]
  // The server dies with the test, however the test ends: the runner waits for processes that hold the shared outputs.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    env: {
      ...Object.fromEntries(own),
      NODE_ENV: 'production',
      HYDRANT_TRUST_PROXY: '127.0.0.1',
      // The project's own site starts without notes, and keeps none.
      NOTES_DB: ':memory:',
      // The failures of tests stay out of the ledger that developers use.
      HYDRANT_LEDGER: ledger,
      // A busy machine may take longer than the default.
      HYDRANT_TIMEOUTS_START_MS: '60000',
      // Many servers run at once, and the admin console has one default port.
      HYDRANT_ADMIN: 'false',
      ...SHORT_DEADLINES,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  async function stop(signal?: NodeJS.Signals) {
    child.kill(signal)
    await ended
  }
  t.teardown(async () => {
    await stop()
    rmSync(ledgerFolder, { recursive: true, force: true })
  })

  const lines: LogLine[] = []
  const waiting = new Set<() => void>()
  createInterface(child.stdout).on('line', (text) => {
    // The server logs a JSON object per line.
    lines.push(JSON.parse(text) as LogLine)
    for (const check of waiting) check()
  })

  function waitForLine(fits: (line: LogLine) => boolean): Promise<LogLine> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const line = lines.find(fits)
        if (!line) return
        waiting.delete(check)
        clearTimeout(timer)
        resolve(line)
      }
      const fail = (why: string) => reject(new Error(`${why}: no line for ${fits}; the last one: ${lines.at(-1)?.msg}`))
      const timer = setTimeout(fail, PATIENCE_MS, `not within ${PATIENCE_MS / 1000} s`).unref()
      waiting.add(check)
      check()
      void ended.then(([code]) => fail(`the server ended with ${code}`))
    })
  }

  const { msg } = await waitForLine((line) => line.msg.startsWith('Server listening'))
  const port = Number(/:(\d+)$/.exec(msg)?.[1])

  let count = 0
  return {
    ...{ port, pid: Number(child.pid), ended, ledger, lines, stop },
    linesOf: (reqId) => lines.filter((line) => line.reqId === reqId),
    waitForLine,
    async settleLog() {
      // The server writes lines in the order of the events.
      const path = `/settled-${++count}`
      await fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.text())
      await waitForLine((line) => line.url === path)
    },
  }
}
