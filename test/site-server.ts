// The project's own site, started the way an operator starts it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

/** One line of the log, as far as tests look at it. */
export interface LogLine {
  /** 30 is info, 50 is error. */
  level: number
  msg: string
  pid?: number
  /** Of the site that is loaded. */
  release?: string
  /** The process that the primary tells of. */
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
  digest?: string
  cause?: LoggedError
  errors?: LoggedError[]
}

export const INFO = 30
export const ERROR = 50

export interface SiteServer {
  port: number
  pid: number
  /** Everything so far. */
  lines: readonly LogLine[]
  /** All lines about one request, in order. */
  linesOf(reqId: string): LogLine[]
  /** The next line that fits, or an earlier one. */
  waitForLine(fits: (line: LogLine) => boolean): Promise<LogLine>
  /** Resolves when the log tells of everything that has been answered before. */
  settleLog(): Promise<void>
  /** Resolves when the process has ended. */
  ended: Promise<unknown>
  /** Where its failures are kept, unless `env` says another place. */
  ledger: string
  /** Ends it, at once with SIGKILL (SIGTERM). */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface StartOptions {
  /** The site's folder ('site'). */
  dir?: string
  env?: Record<string, string>
  /** Options of Node itself. */
  nodeOptions?: readonly string[]
  /** Where another one was that has ended (any free one). */
  port?: number
}

const SHORT_DEADLINES = { HYDRANT_TIMEOUTS_LOAD_MS: '600', HYDRANT_TIMEOUTS_RENDER_MS: '1500' }

/** Starts a built site; it is stopped with the test. */
export async function startSite(
  t: Pick<Test, 'teardown'>,
  { dir = 'site', env = {}, nodeOptions = [], port: wanted = 0 }: StartOptions = {},
): Promise<SiteServer> {
  // What the test itself runs with must not decide what the server does.
  const own = Object.entries(process.env).filter(([name]) => !/^(HYDRANT_|PORT$|HOST$|LOG_LEVEL$)/.test(name))
  const ledgerFolder = mkdtempSync(join(tmpdir(), 'hydrant-ledger-'))
  const ledger = join(ledgerFolder, 'errors.db')
  const command = [process.execPath, ...nodeOptions, 'dist/scripts/cli.js', 'start', dir, '--port', String(wanted)]
  // It dies with the test, however that ends: whoever holds the outputs that they share is waited for.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    env: {
      ...Object.fromEntries(own),
      NODE_ENV: 'production',
      HYDRANT_TRUST_PROXY: '127.0.0.1',
      // Of the project's own site: nobody else's notes, and none that stay.
      NOTES_DB: ':memory:',
      // Nor failures beside those that are looked up by hand.
      HYDRANT_LEDGER: ledger,
      // Many servers run at once, and there is one default port.
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
    // The server's log is JSON, a line each.
    lines.push(JSON.parse(text) as LogLine)
    for (const check of waiting) check()
  })

  function waitForLine(fits: (line: LogLine) => boolean): Promise<LogLine> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const line = lines.find(fits)
        if (!line) return
        waiting.delete(check)
        resolve(line)
      }
      waiting.add(check)
      check()
      void ended.then(([code]) => reject(new Error(`The server ended with ${code} before it wrote that line.`)))
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
      // Lines come in the order in which they were written.
      const path = `/settled-${++count}`
      await fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.text())
      await waitForLine((line) => line.url === path)
    },
  }
}
