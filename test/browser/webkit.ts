// WebKit, driven by WebKitWebDriver on a display that nobody sees.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findPort } from '../find-port.ts'
import { WEBKIT_DRIVER, XVFB } from '../tools.ts'
import { until } from '../until.ts'
import { type DrivenPage, drivePage, type PageLoad } from './driven-page.ts'

/** Launches WebKit with one page. It closes at the end of the test. */
export async function launchWebkit(t: Pick<Test, 'teardown'>, load: PageLoad = 'normal'): Promise<DrivenPage> {
  const home = mkdtempSync(join(tmpdir(), 'webkit-'))
  const started: ChildProcess[] = []
  t.teardown(async () => {
    for (const child of started.reverse()) await stop(child)
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const display = await startDisplay(started)
  const origin = await startDriver(started, {
    ...process.env,
    DISPLAY: `:${display}`,
    GDK_BACKEND: 'x11',
    // Without a graphics card, compositing takes most of the time.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    // There is no bus of a desktop session.
    NO_AT_BRIDGE: '1',
    GSETTINGS_BACKEND: 'memory',
    HOME: home,
    XDG_RUNTIME_DIR: home,
  })
  const capabilities = { alwaysMatch: { pageLoadStrategy: load } }
  const { sessionId } = (await send(origin, 'POST', '/session', { capabilities })) as { sessionId: string }
  const session = `/session/${sessionId}`
  t.teardown(() => send(origin, 'DELETE', session))
  const post = (path: string, parameters: object) => send(origin, 'POST', session + path, parameters)
  return drivePage({
    goto: (url) => post('/url', { url }),
    run: (script) => post('/execute/sync', { script, args: [] }),
    find: (selector) => post('/element', { using: 'css selector', value: selector }),
    click: (id) => post(`/element/${id}/click`, {}),
    type: (id, text) => post(`/element/${id}/value`, { text }),
  })
}

/** Starts a program that dies with the test, however the test ends. */
function start(program: string, words: readonly string[], options: { env?: NodeJS.ProcessEnv; pipe?: boolean } = {}) {
  return spawn('setpriv', ['--pdeathsig', 'KILL', program, ...words], {
    stdio: ['ignore', 'ignore', 'ignore', options.pipe ? 'pipe' : 'ignore'],
    env: options.env ?? process.env,
  })
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

/** Starts a display. Resolves with its number, which Xvfb writes when it is ready. */
async function startDisplay(started: ChildProcess[]): Promise<string> {
  const child = start(XVFB, ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], { pipe: true })
  started.push(child)
  const pipe = child.stdio[3]
  if (!pipe) throw new Error('there is a pipe')
  const [number] = await once(pipe, 'data')
  return String(number).trim()
}

/** Starts the driver on a free port, which it cannot choose itself. Resolves with its origin. */
async function startDriver(started: ChildProcess[], env: NodeJS.ProcessEnv): Promise<string> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await findPort()
    const child = start(WEBKIT_DRIVER, [`--port=${port}`], { env })
    started.push(child)
    const origin = `http://127.0.0.1:${port}`
    const state = await until(async () => {
      if (child.exitCode !== null) return 'ended'
      return send(origin, 'GET', '/status').then(
        () => 'ready',
        () => null,
      )
    })
    if (state === 'ready') return origin
  }
  throw new Error(`${WEBKIT_DRIVER} does not start`)
}

async function send(origin: string, method: string, path: string, parameters?: object): Promise<unknown> {
  const body = parameters && JSON.stringify(parameters)
  const response = await fetch(origin + path, { method, ...(body !== undefined && { body }) })
  const { value } = (await response.json()) as { value: { message?: string } | null }
  if (!response.ok) throw new Error(`${path}: ${value?.message}`)
  return value
}
