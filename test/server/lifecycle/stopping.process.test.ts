// Servers that are told to stop while many clients send requests without a pause, over real sockets.

import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { LOADS, type LoadOptions, repeatIfLate, startLoad } from '../../connection-load.ts'
import { startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles } from '../served.ts'
import { LONG, workerSite } from '../start/worker-site.ts'

const dir = await buildFiles(join(t.testdir({}), 'site'), {
  ...workerSite(),
  'pages/waits.tsx': 'export default function Page() {\n  return <p>opened at last</p>\n}\n',
  'pages/waits.server.ts': `export async function load({ app, request }) {
  request.log.info('load has begun')
  await app.gate.opened
}
`,
  'public/robots.txt': 'User-agent: *\n',
  'pages/redirect.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  'pages/redirect.server.ts': "import { redirect } from 'hydrant'\nexport const load = () => redirect('/')\n",
})

async function stopUnder(t: Test, load: Omit<LoadOptions, 'at'>, env: Record<string, string>) {
  const [asking] = await repeatIfLate(async () => {
    const server = await startSite(t, { dir, env: { ...LONG, ...env } })
    const asking = startLoad({ at: { port: server.port, host: '127.0.0.1' }, ...load })
    await asking.untilAnswered(4 * load.connections)
    process.kill(server.pid, 'SIGTERM')
    t.strictSame(await server.ended, [0, null])
    await asking.stop()
    return [asking]
  })
  t.strictSame(asking?.broken, [])
  t.strictSame(asking?.refused, [])
}

for (const [name, load] of Object.entries(LOADS))
  t.test(`a busy server stops when told to, and loses no request: ${name}`, (t) => stopUnder(t, load, {}))

// With a sum that `setTimeout` does not accept.
t.test('loses no request while it still accepts them, and then for as long as an option can say', (t) =>
  stopUnder(t, { connections: 64 }, { HYDRANT_TIMEOUTS_STOP_DELAY_MS: '300', HYDRANT_TIMEOUTS_DRAIN_MS: '2147483647' }),
)

t.test('a server whose event loop never rests stops before its deadline', async (t) => {
  const busy = await buildFiles(join(t.testdir({}), 'busy'), {
    'server.ts': `function work() {
  const end = performance.now() + 20
  while (performance.now() < end);
  setImmediate(work).unref()
}
export default async function server() { work() }
`,
  })
  const server = await startSite(t, { dir: busy, env: { HYDRANT_TIMEOUTS_DRAIN_MS: '60000' } })
  process.kill(server.pid, 'SIGTERM')
  t.strictSame(await server.ended, [0, null])
})

t.test('a signal that a package manager passes on, after all processes have got it, is no second one', async (t) => {
  const twice = await buildFiles(join(t.testdir({}), 'twice'), {
    'server.ts': `export default async function server() {
  process.prependOnceListener('SIGTERM', () => process.emit('SIGTERM', 'SIGTERM'))
}
`,
  })
  const server = await startSite(t, { dir: twice })
  process.kill(server.pid, 'SIGTERM')
  t.strictSame(await server.ended, [0, null])
  t.match(server.lines.at(-1), { msg: 'stopped: all requests are finished' })
})

for (const workers of ['1', '2'])
  t.test(`a crash ends the process at once, with its signal: ${workers} processes`, async (t) => {
    const server = await startSite(t, { dir, env: { HYDRANT_WORKERS: workers } })
    process.kill(server.pid, 'SIGSEGV')
    t.strictSame(await server.ended, [null, 'SIGSEGV'])
  })

for (const workers of ['1', '2'])
  t.test(`a diagnostic report of Node.js does not stop the server: ${workers} processes`, async (t) => {
    const reports = t.testdir({})
    const server = await startSite(t, {
      dir,
      env: { HYDRANT_WORKERS: workers, NODE_OPTIONS: `--report-on-signal --report-directory=${reports}` },
    })
    process.kill(server.pid, 'SIGUSR2')
    await until(() => readdirSync(reports).length > 0)
    process.kill(server.pid, 'SIGTERM')
    t.strictSame(await server.ended, [0, null])
    t.match(
      server.lines.filter(({ msg }) => msg.startsWith('stopping: ')),
      [{ signal: 'SIGTERM' }],
    )
  })

t.test('loses no request at the second address of a host name', async (t) => {
  const addresses = await lookup('localhost', { all: true })
  const loads = await repeatIfLate(async () => {
    const server = await startSite(t, { dir, env: { ...LONG, HOST: 'localhost' } })
    const asking = addresses.map(({ address }) =>
      startLoad({ at: { port: server.port, host: address }, connections: 32 }),
    )
    await Promise.all(asking.map(({ untilAnswered }) => untilAnswered(100)))
    process.kill(server.pid, 'SIGTERM')
    t.strictSame(await server.ended, [0, null])
    for (const { stop } of asking) await stop()
    return asking
  })
  t.strictSame(
    loads.map(({ broken }) => broken),
    addresses.map(() => []),
  )
})

const head = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nUser-Agent: bot\r\n${more}\r\n`

/** Returns everything that arrives on a connection until the server ends it. */
async function read(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket.on('data', (part: string) => {
    text += part
  })
  socket.write(request)
  await once(socket, 'end')
  return text
}

t.test('from the signal on every response says that its connection ends, and it does', async (t) => {
  const server = await startSite(t, { dir, env: { ...LONG, HYDRANT_TIMEOUTS_STOP_DELAY_MS: '600000' } })
  const { port } = server
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text()
  const [asset = ''] = /\/_hydrant\/[^"]+\.js/.exec(page) ?? []
  const etag = String((await fetch(`http://127.0.0.1:${port}/robots.txt`)).headers.get('etag'))
  const late = read(port, head('/waits'))
  await server.waitForLine(({ msg }) => msg === 'load has begun')
  process.kill(server.pid, 'SIGTERM')
  await until(async () => (await fetch(`http://127.0.0.1:${port}/_hydrant/ready`)).status === 503)
  const answers: [string, string, number][] = [
    ['a page', head('/'), 200],
    ['a script', head(asset), 200],
    ['a public file', head('/robots.txt'), 200],
    ['a file that has not changed', head('/robots.txt', `If-None-Match: ${etag}\r\n`), 304],
    ['a redirect', head('/redirect'), 302],
    ['nothing', head('/nothing'), 404],
    ['a route of server.ts', head('/pid'), 200],
    ['a route that fails', head('/fail'), 500],
    ['a probe', head('/_hydrant/live'), 200],
    ['a method without a page', 'OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n', 404],
    ['an address that is not well formed', head('/%'), 400],
    ['a visitor of HTTP/1.0', 'GET / HTTP/1.0\r\nHost: localhost\r\n\r\n', 200],
  ]
  for (const [name, request, status] of answers) {
    const answer = await read(port, request)
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), name)
    t.match(answer, /^connection: close\r$/im, name)
  }
  process.kill(server.pid, 'SIGCONT')
  t.match(await late, /^connection: close\r$/im, 'one that was asked before')
  await server.stop('SIGKILL')
})

t.test('requests read together get responses in order, and the last one ends the connection', async (t) => {
  const server = await startSite(t, { dir, env: LONG })
  const socket = connect(server.port, '127.0.0.1').setEncoding('latin1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (part: string) => {
    text += part
  })
  const ended = once(socket, 'end')
  socket.write(head('/waits') + head('/_hydrant/live') + head('/pid'))
  await server.waitForLine(({ msg }) => msg === 'load has begun')
  process.kill(server.pid, 'SIGTERM')
  await server.waitForLine(({ msg }) => msg.startsWith('stopping:'))
  // This request gets no response, and it does not affect the responses before it.
  socket.write(head('/pid').repeat(200))
  process.kill(server.pid, 'SIGCONT')
  await ended
  socket.end()
  const answers = text.split(/(?=HTTP\/1\.1 )/)
  t.equal(answers.length, 3)
  t.match(answers[0], 'opened at last')
  t.match(answers[1], /live\n$/)
  t.match(answers[2], '"version":"one"')
  t.strictSame(
    answers.map((answer) => /^connection: close\r$/im.test(answer)),
    [false, false, true],
  )
  t.strictSame(await server.ended, [0, null])
})
