// The end of `hydrant dev`: real processes, real signals.

import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../until.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const HURRIED = new URL('hurried-dev.js', import.meta.url).pathname
/** A statement that blocks the event loop for a moment, and needs no time of a processor. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)'

/** Times of `runDev` that a test waits for. */
const SHORT = { blockedMs: 500, deadlineMs: 300, returnMs: 200 }

/** Starts the command, or with `times` what it runs. */
async function startDev(t: Test, files: Record<string, string>, times: typeof SHORT | null = null) {
  const dir = createSite(t, files)
  const dev = times
    ? startCli(t, ['dev', dir, JSON.stringify(times)], { cli: HURRIED })
    : startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  return { dev, url }
}

/** Returns the processes that a process has started; on systems without /proc, none. */
function childrenOf(pid: number): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  t.test(`${signal} ends it with open pages, idle connections, timers and requests that hang`, async (t) => {
    const { dev, url } = await startDev(t, {
      'pages/hangs.tsx': 'export default () => <p>hangs</p>\n',
      'pages/hangs.server.ts':
        "export const load = () => { console.log('load hangs'); return new Promise(() => {}) }\n",
      'server.ts': `export default async function server(app) {
  setInterval(() => {}, 1_000)
  app.server.on('upgrade', (request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\nConnection: Upgrade\\r\\n\\r\\n'))
}
`,
    })
    const children = childrenOf(dev.pid)
    if (process.platform === 'linux') t.ok(children.length > 0, 'the compiler runs')
    const events = await fetch(new URL('/_hydrant/dev', url))
    t.equal(events.status, 200)
    fetch(new URL('/hangs', url)).catch(() => {})
    await dev.waitFor(/^load hangs$/)
    const idle = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
    await once(idle, 'connect')
    const socket = request(url, { headers: { connection: 'Upgrade', upgrade: 'x' } })
      .on('error', () => {})
      .end()
    await once(socket, 'upgrade')
    t.equal(await dev.stop(signal), 0)
    t.notMatch(dev.lines.join('\n'), 'did not close', 'nothing has held it up')
    await until(() => !children.some(isRunning))
  })
}

const HANGS_ON_CLOSE = {
  'server.ts': `export default async function server(app) {
  app.addHook('onClose', () => { console.log('close hangs'); return new Promise(() => {}) })
}
`,
}

for (const [seconds, times] of [
  ['0.3', SHORT],
  ['2', null],
] as const) {
  t.test(`ends without an onClose hook that does not finish within ${seconds} s`, async (t) => {
    const { dev } = await startDev(t, HANGS_ON_CLOSE, times)
    const children = childrenOf(dev.pid)
    process.kill(dev.pid, 'SIGINT')
    // A package manager may pass Ctrl+C on, so that the process gets it twice at once.
    process.kill(dev.pid, 'SIGINT')
    const waiting = `^stopping: waiting up to ${seconds} s for the site to close; press Ctrl\\+C again to end now$`
    await dev.waitFor(new RegExp(waiting))
    await dev.waitFor(new RegExp(`^the site did not close within ${seconds} s: ending without it$`))
    t.equal(await dev.ended, 0)
    await until(() => !children.some(isRunning))
  })
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  t.test(`a second ${signal} ends it at once with ${code}`, async (t) => {
    const { dev } = await startDev(t, HANGS_ON_CLOSE, { ...SHORT, deadlineMs: 60_000 })
    const children = childrenOf(dev.pid)
    process.kill(dev.pid, signal)
    await dev.waitFor(/^stopping: waiting up to 60 s for the site to close; press Ctrl\+C again to end now$/)
    t.equal(await dev.stop(signal), code)
    // The last lines of the two outputs arrive in any order.
    t.ok(dev.lines.includes(`second ${signal}: ending now`), dev.lines.join('\n'))
    await until(() => !children.some(isRunning))
  })
}

t.test('ends while the first build runs, also one that never finishes', async (t) => {
  const plugin =
    "{ name: 'hangs', setup(build) { build.onStart(() => { console.log('build hangs'); return new Promise(() => {}) }) } }"
  const dir = createSite(t, {
    // In more than a second, esbuild asks whether the process still responds.
    'hydrant.config.ts': `const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
process.on('exit', wait)
export default { esbuild: { plugins: [${plugin}] } }
`,
  })
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  await dev.waitFor(/^build hangs$/)
  const children = childrenOf(dev.pid)
  t.equal(await dev.stop('SIGINT'), 0)
  await until(() => !children.some(isRunning))
  t.notMatch(dev.lines.join('\n'), 'goroutine', 'the compiler ends first')
})

/** What a busy machine has blocked before belongs to another turn of the event loop, with a warning of its own. */
const TURN = 'await new Promise(setImmediate)'
const LOOPS = [
  ['a loop', `while (process.env.HOME !== '') ${BLOCK}`, null],
  ['promises without an end', `while (process.env.HOME !== '') await ${BLOCK}`, SHORT],
  ['ticks without an end', `const next = () => { ${BLOCK}; process.nextTick(next) }; next()`, SHORT],
] as const
for (const [what, code, times] of LOOPS) {
  t.test(`names the code that blocks the event loop, and Ctrl+C ends it: ${what}`, async (t) => {
    const files = { 'pages/index.server.ts': `export const load = async () => { ${TURN}\n  ${code}\n}\n` }
    const { dev, url } = await startDev(t, files, times)
    const children = childrenOf(dev.pid)
    fetch(url).catch(() => {})
    const seconds = times ? '0\\.5' : '3'
    await dev.waitFor(
      new RegExp(`^Warning: code of the site has blocked the event loop for ${seconds} s; Ctrl\\+C ends the process$`),
    )
    await dev.waitFor(/^(load|next) \(pages\/index\.server\.ts:2:\d+\)$/)
    await dev.waitFor(/^ {2}> 2 \| {3}(while|const next) /)
    let isEnded = false
    dev.ended.then(() => (isEnded = true))
    // Code that calls the event loop's queues ends with the next check at the latest.
    await until(() => {
      void dev.stop('SIGINT')
      return isEnded
    })
    t.equal(await dev.ended, null, 'the signal has ended it')
    await until(() => !children.some(isRunning))
  })
}

for (const [what, first] of [
  ['a request', ''],
  ['a promise', 'await null\n    '],
] as const) {
  t.test(`a signal closes the site again when the code of ${what} no longer blocks the event loop`, async (t) => {
    const dir = t.testdir({})
    const [returns, ends] = [join(dir, 'returns'), join(dir, 'ends')]
    const server = `import { existsSync } from 'node:fs'
const blockUntil = (path) => { while (!existsSync(path)) ${BLOCK} }
export default async function server(app) {
  app.addHook('onClose', async () => console.log('closed'))
  // See TURN. A promise would call the handler from another queue.
  app.addHook('onRequest', (request, reply, done) => void setImmediate(done))
  app.get('/blocks', async (request, reply) => {
    console.log('blocks')
    ${first}blockUntil(${JSON.stringify(returns)})
    await null
    reply.hijack()
    reply.raw.end('done')
    // The event loop of a slow machine runs a moment later.
    blockUntil(${JSON.stringify(ends)})
  })
}
`
    // A busy machine may need long between the return and the signal.
    const times = { ...SHORT, deadlineMs: 60_000, returnMs: 60_000 }
    const { dev, url } = await startDev(t, { 'server.ts': server }, times)
    const response = fetch(new URL('/blocks', url))
    await dev.waitFor(/^blocks$/)
    await dev.waitFor(/has blocked the event loop/)
    writeFileSync(returns, '')
    t.equal(await (await response).text(), 'done')
    const stopped = dev.stop('SIGINT')
    writeFileSync(ends, '')
    t.equal(await stopped, 0)
    // The start of a busy machine may block as long.
    const lines = dev.lines.slice(dev.lines.indexOf('blocks'), dev.lines.indexOf('closed'))
    t.equal(lines.filter((line) => line.includes('has blocked')).length, 1)
    t.equal(dev.lines.filter((line) => line === 'closed').length, 1)
  })
}
