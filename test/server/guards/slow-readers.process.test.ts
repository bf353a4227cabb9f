// Over real sockets: clients that request much and read nothing, or read slowly.

import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { ERROR } from '../../site-server.ts'
import { until } from '../../until.ts'
import { navigationHeaders } from '../lines.ts'
import { buildFiles, HTML, serve } from '../served.ts'

// More than the system's buffers hold for a client that does not read.
const BYTES = 24_000_000
const SEND_MS = 300

const page = (body: string) =>
  `import { Suspense, use } from 'react'\nfunction Later({ promise }) { return <b>{use(promise)}</b> }\nexport default function Page({ data }) {\n  return ${body}\n}\n`

const dir = await buildFiles(t.testdir({}), {
  'pages/data.tsx': page('<p>{data.text.length}</p>'),
  'pages/data.server.ts': `export const load = ({ app }) => {\n  app.loads.count++\n  return { text: 'x'.repeat(${BYTES}) }\n}\n`,
  'pages/whole.tsx': page(`<p>{'x'.repeat(${BYTES})}</p>`),
  'pages/whole.server.ts': 'export const load = ({ app }) => void app.loads.count++\n',
  'pages/stream.tsx': page(
    `<><p>{'x'.repeat(${BYTES})}</p><Suspense fallback="wait"><Later promise={data.later} /></Suspense></>`,
  ),
  'pages/stream.server.ts': `export const load = ({ app, signal }) => {\n  signal.addEventListener('abort', () => app.loads.reasons.push(String(signal.reason)))\n  return { later: new Promise(() => {}) }\n}\n`,
  'public/large.bin': Buffer.alloc(BYTES),
  'server.ts': `export default async function server(app) {
  app.decorate('loads', globalThis.hydrantLoads)
  app.get('/events', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\\n\\n')
    globalThis.hydrantLoads.sendEvent = () => reply.raw.end('data: second\\n\\n')
  })
}
`,
})

interface Loads {
  count: number
  reasons: string[]
  sendEvent(): void
}

const loads: Loads = { count: 0, reasons: [], sendEvent: () => {} }
Object.assign(globalThis, { hydrantLoads: loads })

setFlagsFromString('--expose-gc')
// The flag `--expose-gc` adds it.
const collectGarbage = runInNewContext('gc') as () => void

const heldBytes = () => {
  collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

interface Visitor {
  socket: Socket
  isEnded: boolean
}

async function listen(t: Test, sendMs = SEND_MS) {
  const { app, log } = await serve(t, dir, { timeouts: { sendMs, renderMs: 60_000, loadMs: 60_000 } })
  const connections: Socket[] = []
  app.server.on('connection', (socket) => connections.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  const port = Number(new URL(app.listeningOrigin).port)

  function ask(path: string, headers: Record<string, string> = HTML, times = 1): Visitor {
    const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
    const socket = connect(port, '127.0.0.1')
    const visitor: Visitor = { socket, isEnded: false }
    socket.on('error', () => {}).on('close', () => Object.assign(visitor, { isEnded: true }))
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`.repeat(times))
    return visitor
  }
  return { log, connections, ask }
}

t.test('a client that reads nothing has at most one response waiting, for a limited time', async (t) => {
  const { log, connections, ask } = await listen(t)
  const before = heldBytes()
  const events = ask('/events')
  let text = ''
  events.socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  events.socket.resume()
  loads.count = 0
  // The last client sends twenty requests on one connection.
  const asked = [
    ask('/stream'),
    ask('/data', { accept: 'application/json' }),
    ask('/data?_hydrant', navigationHeaders(dir)),
    ask('/large.bin'),
    ask('/whole', HTML, 20),
  ]
  await until(() => connections.filter(({ destroyed }) => destroyed).length === asked.length)
  for (const { bytesWritten } of connections.filter(({ destroyed }) => destroyed))
    t.ok(bytesWritten < BYTES + 100_000, `${bytesWritten} bytes`)
  t.equal(loads.count, 3, 'only the first of the twenty requests is handled')
  t.match(loads.reasons, ['AbortError: The client disconnected.'], 'the render is aborted')
  await until(() => heldBytes() < before + BYTES / 2)
  t.pass('nothing is held anymore')
  t.strictSame(
    log.lines.filter(({ level }) => level >= ERROR),
    [],
  )
  t.equal(
    log.lines.filter(({ msg }) => msg.startsWith('the client disconnected')).length,
    2,
    'the responses were not complete',
  )
  const told = log.lines.filter(({ msg }) => msg.startsWith('closed '))
  t.match(told, [{ level: 30, ended: 1, remoteAddress: '127.0.0.1' }], 'in one line')
  t.equal(told.length, 1)

  t.notOk(events.isEnded, 'a connection without waiting data stays open')
  loads.sendEvent()
  await until(() => text.includes('second'))
})

t.test('a client that reads slowly gets the complete response', async (t) => {
  const sendMs = 1_000
  const { log, ask } = await listen(t, sendMs)
  const { socket } = ask('/whole', { ...HTML, connection: 'close' })
  let bytes = 0
  let pauses = 0
  await new Promise<void>((resolve) => {
    socket.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes < (pauses + 1) * (BYTES / 6)) return
      pauses++
      socket.pause()
      setTimeout(() => socket.resume(), sendMs * 0.4)
    })
    socket.on('close', resolve)
    socket.resume()
  })
  t.ok(bytes > BYTES)
  t.notOk(log.lines.some(({ msg }) => msg.startsWith('closed ')))
})

t.test('a connection on which too many requests wait is closed', async (t) => {
  const { log, connections, ask } = await listen(t)
  const events = ask('/events', HTML, 1)
  await until(() => connections.length === 1)
  events.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1_500))
  await until(() => connections[0]?.destroyed)
  const told = log.lines.filter(({ msg }) => msg.startsWith('closed '))
  t.match(told, [{ level: 30, closed: 1, msg: /more than 100 waiting requests/ }])
  t.equal(told.length, 1)
})

t.test('pipelined requests are handled one after another', async (t) => {
  const { ask } = await listen(t)
  const { socket } = ask('/events?', HTML)
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
    if (text.includes('first')) loads.sendEvent()
  })
  socket.resume()
  await until(() => text.includes('<p>page</p>'))
  t.ok(text.indexOf('second') < text.indexOf('HTTP/1.1 200 OK', 1), 'in their order')
})
