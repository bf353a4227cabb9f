// Clients that stop reading and disconnect, and servers that are told to stop, over a real socket.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { runCli, startCli } from '../../scripts/run-cli.ts'
import { ERROR, LONG_DEADLINES, type LogLine, startSite } from '../../site-server.ts'
import { buildFiles, type Files } from '../served.ts'

const page = (body: string) =>
  `import { Suspense, use } from 'react'\nfunction Later({ promise }) { return <b>{use(promise)}</b> }\nexport default function Page({ data }) {\n  return ${body}\n}\n`
const deferred = page('<><p>shell</p><Suspense fallback={<i>wait</i>}><Later promise={data.later} /></Suspense></>')

// The load's signal writes one of the log's lines to standard output.
const tell =
  "ctx.signal.addEventListener('abort', () => ctx.request.log.info({ aborted: String(ctx.signal.reason) }, 'told to stop'))"

const site: Files = {
  'pages/big.tsx': page(
    '<><p>{"漢".repeat(4_000_000)}</p><Suspense fallback={<i>wait</i>}><Later promise={data.later} /></Suspense></>',
  ),
  'pages/big.server.ts': `export const load = (ctx) => {\n  ${tell}\n  return { later: new Promise(() => {}) }\n}\n`,
  'pages/loading.tsx': page('<p>never</p>'),
  'pages/loading.server.ts': `export const load = (ctx) => {\n  ${tell}\n  ctx.request.log.info('load has begun')\n  return new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))\n}\n`,
  'pages/form/layout.tsx': 'export default ({ children }) => <main>{children}</main>\n',
  'pages/form/layout.server.ts': `export const load = (ctx) => {\n  ctx.request.log.info('load has begun')\n  return new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))\n}\n`,
  'pages/form/index.tsx': page('<p>form</p>'),
  'pages/form/index.server.ts': "export const action = () => {\n  throw new Error('the action is broken')\n}\n",
  'pages/pay.tsx': page('<p>never</p>'),
  'pages/pay.server.ts': `const left = ({ raw }) => new Promise((resolve) => raw.socket.once('close', () => setImmediate(resolve)))
export const load = async ({ request }) => {
  request.log.info('load has begun')
  await left(request)
  throw new Error('the load is broken')
}
export const action = async ({ request, form, signal }) => {
  request.log.info('action has begun')
  await left(request)
  throw form.has('stops') ? signal.reason : new Error('paid halfway')
}
`,
  'pages/gated.tsx': deferred,
  'pages/gated.server.ts': 'export const load = ({ app }) => ({ later: app.gate.opened })\n',
  'server.ts':
    "export default async function server(app) {\n  const gate = {}\n  gate.opened = new Promise((resolve) => { gate.open = () => resolve('opened at last') })\n  app.decorate('gate', gate)\n  process.once('SIGCONT', gate.open)\n" +
    // The load takes longer than its client stays.
    "  app.addHook('onRequest', async ({ log, query, raw }) => {\n    if (!('hooked' in query)) return\n    log.info('hook has begun')\n    await new Promise((resolve) => raw.socket.once('close', () => setImmediate(resolve)))\n  })\n}\n",
}

const dir = await buildFiles(t.testdir({}), site)
/** Serves the tests in which only clients disconnect. */
const server = await startSite(t, { dir, env: LONG_DEADLINES })

/** Returns a function that waits for a line which the server writes from now on. */
function watchLines() {
  const before = server.lines.length
  return (fits: (line: LogLine) => boolean) =>
    server.waitForLine((line) => server.lines.indexOf(line) >= before && fits(line))
}

function ask(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n`)
  return socket
}

/** Resolves when nothing listens at the port, so new clients go elsewhere. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const outcome = await new Promise((resolve) =>
      socket.once('close', resolve).once('connect', resolve).on('error', resolve),
    )
    socket.destroy()
    if (outcome instanceof Error && 'code' in outcome && outcome.code === 'ECONNREFUSED') return
  }
}

t.test('a client that stops reading and disconnects is reported once', async (t) => {
  const waitForLine = watchLines()
  const socket = ask(server.port, '/big')
  await once(socket, 'data')
  socket.pause()
  socket.destroy()
  const told = await waitForLine(({ msg }) => msg === 'told to stop')
  t.match(told, { aborted: /AbortError/ })
  await waitForLine(({ msg, reqId }) => reqId === told.reqId && /client disconnected/.test(msg))
  await server.settleLog()
  const lines = server.linesOf(String(told.reqId))
  t.strictSame(lines.filter(({ msg }) => /client disconnected/.test(msg)).length, 1, 'one line')
  t.strictSame(
    lines.filter(({ level }) => level >= ERROR),
    [],
    'and no error',
  )
  t.notOk(lines.some(({ digest }) => digest !== undefined))
})

t.test('a client that disconnects while the load runs stops the load', async (t) => {
  const waitForLine = watchLines()
  const socket = ask(server.port, '/loading')
  const begun = await waitForLine(({ msg }) => msg === 'load has begun')
  socket.destroy()
  await waitForLine(({ msg }) => msg === 'told to stop')
  await server.settleLog()
  const lines = server.linesOf(String(begun.reqId))
  t.strictSame(
    lines.filter(({ level }) => level >= ERROR).map(({ msg }) => msg),
    [],
  )
  t.equal(lines.filter(({ msg }) => /client disconnected/.test(msg)).length, 1)
})

t.test('a client that disconnects while an error page is loaded adds no failure', async (t) => {
  const waitForLine = watchLines()
  const socket = connect(server.port, '127.0.0.1')
  const head = 'POST /form HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n'
  socket.write(`${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=b`)
  const { reqId } = await waitForLine(({ msg }) => msg === 'load has begun')
  socket.destroy()
  await waitForLine((line) => line.reqId === reqId && line.level >= ERROR)
  await server.settleLog()
  const failures = server.linesOf(String(reqId)).filter(({ level }) => level >= ERROR)
  t.strictSame(
    failures.map(({ err }) => err?.message),
    ['the action is broken'],
  )
})

t.test('an action or a load that fails after the client has disconnected has failed', async (t) => {
  const failuresAfter = async (begun: string, head: string, body: string) => {
    const waitForLine = watchLines()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`${head} /pay HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n${body}`)
    await waitForLine(({ msg }) => msg === begun)
    socket.destroy()
    const { reqId } = await waitForLine(({ msg }) => /client disconnected/.test(msg))
    await server.settleLog()
    return server.linesOf(String(reqId)).filter(({ level }) => level >= ERROR)
  }
  const form = (text: string) =>
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  const failed = await failuresAfter('action has begun', 'POST', form('a=b'))
  t.match(failed, [{ phase: 'action', digest: String, err: { message: 'paid halfway' } }])
  t.equal(failed.length, 1)
  t.strictSame(await failuresAfter('action has begun', 'POST', form('stops=1')), [], 'stopped by its signal')
  const broken = await failuresAfter('load has begun', 'GET', '\r\n')
  t.match(broken, [{ phase: 'load', err: { message: 'the load is broken' } }])
  t.equal(broken.length, 1)
  t.ok([...failed, ...broken].every(({ statusSent }) => statusSent === undefined))
})

t.test('if a client disconnects while a hook of server.ts runs, no load runs', async (t) => {
  const waitForLine = watchLines()
  const socket = ask(server.port, '/loading?hooked')
  const { reqId } = await waitForLine(({ msg }) => msg === 'hook has begun')
  socket.destroy()
  await waitForLine((line) => line.reqId === reqId && /client disconnected/.test(line.msg))
  await server.settleLog()
  t.notOk(server.linesOf(String(reqId)).some(({ msg }) => msg === 'load has begun'))
})

t.test('a server that is told to stop finishes the requests that it has begun', async (t) => {
  const child = startCli(t, ['start', dir, '--port', '0'], { env: LONG_DEADLINES })
  const [, port] = await child.waitFor(/Server listening at http:\/\/127\.0\.0\.1:(\d+)/)
  const socket = ask(Number(port), '/gated').setEncoding('utf8')
  let text = ''
  const closed = once(socket, 'close')
  await new Promise<void>((resolve) => {
    socket.on('data', (part: string) => {
      text += part
      if (text.includes('<i>wait</i>')) resolve()
    })
  })
  const stopped = child.stop('SIGTERM')
  await child.waitFor(/stopping: waiting for the requests in flight/)
  await untilRefused(Number(port))
  // Opens the gate at which the page waits.
  void child.stop('SIGCONT')
  await closed
  t.match(text, 'opened at last')
  t.match(text, /<\/body><\/html>\r\n0\r\n\r\n$/, 'whole, to its last chunk')
  t.equal(await stopped, 0)
})

t.test('an idle server stops at once', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const child = startCli(t, ['start', dir, '--port', '0'])
    const [, port] = await child.waitFor(/Server listening at http:\/\/127\.0\.0\.1:(\d+)/)
    // A kept connection is not a request in flight.
    const socket = ask(Number(port), '/')
    await once(socket, 'data')
    t.equal(await child.stop(signal), 0, signal)
    t.match(child.lines.at(-1), /"stopped: all requests are finished"/, 'and says so')
    socket.destroy()
  }
})

t.test('a port in use ends the start with a fix', async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { code, stderr } = await runCli(['start', dir, '--port', String(port)])
  t.equal(code, 1)
  t.match(stderr, `Error [HYD_PORT_IN_USE] port ${port} on 127.0.0.1 is in use by node (process `)
  t.match(stderr, /^Try: .+\.$/m)
  const { code: wrongHost, stderr: why } = await runCli(['start', dir, '--port', '0', '--host', '192.0.2.1'])
  t.equal(wrongHost, 1)
  t.match(why, /Error \[HYD_LISTEN_FAILED\] .*\n+Try: /)
})
