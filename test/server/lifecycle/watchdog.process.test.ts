// Code that blocks the event loop: in the code of a site, and where nothing can stop it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { COMMAND_OPTIONS } from '../../command-options.ts'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { startCli } from '../../scripts/run-cli.ts'
import { runHere } from '../../scripts/run-here.ts'
import type { LogLine } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles } from '../served.ts'

const PROGRAM = new URL('native-block.js', import.meta.url).pathname
/** Blocks the event loop for a moment, and needs no time of a processor. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)'
const PAGE = 'export default function Page() {\n  return <p>page</p>\n}\n'
const BROWSER = { 'user-agent': 'Mozilla/5.0 Chrome/156.0.0.0 Safari/537.36' }

const dir = await buildFiles(join(t.testdir({}), 'site'), {
  'pages/index.tsx': PAGE,
  'pages/loop.tsx': PAGE,
  'pages/loop.server.ts': `
function add(number: number): number {
  let sum = 0
  while (number > 0) sum += number
  return sum
}
export const load = () => add(3)
`,
  'pages/search.tsx': `
function Found() {
  const text = 'a'.repeat(60)
  return <p>{/^(a+)+$/.exec(text + '!')?.length}</p>
}
export default function Page() {
  return <main><Found /></main>
}
`,
  'pages/chain.tsx': PAGE,
  'pages/chain.server.ts': `
function next() {
  return Promise.resolve(${BLOCK}).then(next)
}
export const load = () => next()
`,
  'pages/waits.tsx': PAGE,
  'pages/waits.server.ts': `export function load() {\n  while (true) ${BLOCK}\n}\n`,
  'pages/busy.tsx': PAGE,
  'pages/busy.server.ts': `
export function load() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
}
`,
  'pages/slow.tsx': `import { Suspense, use } from 'react'
function Late({ late }) { return <p>{use(late)}</p> }
export default function Page({ data }) {
  return <Suspense fallback={<p>waits</p>}><Late late={data.late} /></Suspense>
}
`,
  'pages/slow.server.ts': `
export const load = ({ app }) => ({ late: app.stopping })
`,
  'server.ts': `
export default async function server(app) {
  let open
  app.decorate('stopping', new Promise((resolve) => (open = resolve)))
  app.addHook('preClose', async () => open('came while the server stopped'))
  app.get('/pid', async () => ({ pid: process.pid }))
}
`,
})

const SHORT = { HYDRANT_TIMEOUTS_HANG_MS: '1500', HYDRANT_TIMEOUTS_LOAD_MS: '500', HYDRANT_TIMEOUTS_DRAIN_MS: '2000' }
/** The first render of a page may block a busy machine for seconds. */
const PATIENT = { HYDRANT_TIMEOUTS_HANG_MS: '4000' }

async function start(t: Test, env: Record<string, string> = {}, more: readonly string[] = []) {
  const ledger = join(t.testdir({}), 'errors.db')
  const server = startCli(t, ['start', dir, '--port', '0'], {
    env: { ...SHORT, HYDRANT_LEDGER: ledger, ...env },
    node: [...COMMAND_OPTIONS, ...more],
  })
  const [, url = ''] = await server.waitFor(/istening at (http:[^"]+)/)
  return {
    ...server,
    ask: async (path: string) => (await fetch(url + path, { headers: { ...BROWSER, connection: 'close' } })).text(),
    /** Requests a page that blocks the process. Resolves with the status; null if there is no response. */
    hang: (path: string) =>
      fetch(url + path, { headers: BROWSER }).then(
        ({ status }) => status,
        () => null,
      ),
    // A debugger writes lines of its own.
    fatal: () =>
      server.lines
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as LogLine)
        .filter(({ level }) => level === 60),
    lookUp: async (digest: string) =>
      JSON.parse((await runHere(['errors', digest, dir, '--json'], { HYDRANT_LEDGER: ledger })).stdout),
  }
}

const PLACES: readonly [string, string, { file: string; line: number; function: string }][] = [
  ['a loop without an end', '/loop', { file: 'pages/loop.server.ts', line: 4, function: 'add' }],
  ['an expression that tries everything', '/search', { file: 'pages/search.tsx', line: 4, function: 'Found' }],
  ['promises without an end', '/chain', { file: 'pages/chain.server.ts', line: 3, function: 'next' }],
]
for (const [what, path, source] of PLACES) {
  t.test(`${what} is interrupted, and its digest leads to its line`, async (t) => {
    const { ask, hang, ended, fatal, lookUp } = await start(t, PATIENT)
    t.match(await ask('/'), /page/)
    void hang(path)
    t.equal(await ended, 1)
    const [line, ...others] = fatal()
    t.strictSame(others, [])
    t.match(line, { digest: DIGEST_PATTERN, phase: 'process', err: { type: 'HydrantError' } })
    t.match(line?.err?.message, 'the event loop was blocked for 4 s')
    const { file, line: number, function: name } = source
    t.match(line?.err?.stack, new RegExp(`at ${name} \\(${file}:${number}:\\d+\\)`))
    t.notMatch(line?.err?.stack, /node:|eval|dist\/src\/server\/hang/)
    const failure = await lookUp(String(line?.digest))
    t.match(failure, { side: 'server', count: 1, source })
  })
}

t.test('earlier requests are finished, and the hanging one exceeds its deadline', async (t) => {
  const { ask, hang, waitFor, ended } = await start(t, { HYDRANT_TIMEOUTS_DRAIN_MS: '30000' })
  const slow = ask('/slow')
  await ask('/')
  const hanging = hang('/waits')
  await waitFor(/was blocked/)
  t.match(await slow, /came while the server stopped(?:.|\n)*<\/html>\s*$/)
  t.equal(await hanging, 504)
  t.ok(await waitFor(/did not finish within 500 ms.*at load \(pages\/waits\.server\.ts:\d+:\d+\)/))
  t.equal(await ended, 1)
})

t.test('with workers another worker starts, and the others serve meanwhile', async (t) => {
  const { ask, hang, waitFor, lookUp } = await start(t, { ...PATIENT, HYDRANT_WORKERS: '2' })
  const pids = async () => {
    const found = new Set<number>()
    await until(async () => {
      found.add(JSON.parse(await ask('/pid')).pid)
      return found.size === 2
    })
    return [...found]
  }
  const before = await pids()
  void hang('/waits')
  const [, digest = ''] = await waitFor(/"digest":"([^"]+)".*was blocked/)
  await waitFor(/is shutting down; a replacement starts in 100 ms/)
  const after = await until(async () => {
    const now = await pids()
    return now.some((pid) => !before.includes(pid)) ? now : null
  })
  t.equal(after.filter((pid) => before.includes(pid)).length, 1)
  await until(async () => (await lookUp(digest).catch(() => null))?.count === 1)
})

t.test('code that V8 cannot stop ends the process at once, with a log line', async (t) => {
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  const output = await child.stdout.setEncoding('utf8').reduce((text, part: string) => text + part, '')
  t.strictSame(await ended, [null, 'SIGKILL'])
  t.match(JSON.parse(output), {
    level: 60,
    pid: child.pid,
    msg: 'the event loop is blocked by code that cannot be interrupted: killing the process',
  })
})

t.test('nothing is interrupted if the code ends in time, with a debugger, or with the watchdog off', async (t) => {
  const ways: readonly [string, Record<string, string>, readonly string[]][] = [
    ['in time', { HYDRANT_TIMEOUTS_HANG_MS: '30000' }, []],
    ['with a debugger', { HYDRANT_TIMEOUTS_HANG_MS: '500' }, ['--inspect=0']],
    ['where nobody looks', { HYDRANT_TIMEOUTS_HANG_MS: '0' }, []],
  ]
  for (const [how, env, node] of ways) {
    const { ask, fatal, stop } = await start(t, { HYDRANT_TIMEOUTS_LOAD_MS: '60000', ...env }, node)
    t.match(await ask('/busy'), /page/, how)
    t.strictSame(fatal(), [])
    t.equal(await stop('SIGTERM'), 0)
  }
})
