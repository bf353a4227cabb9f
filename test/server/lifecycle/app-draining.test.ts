// A Fastify app with addDraining is told to stop while many clients send requests without a pause.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { addDraining } from '../../../src/server/lifecycle/drain-connections.ts'
import { LOADS, startLoad } from '../../connection-load.ts'
import { until } from '../../until.ts'

interface App {
  app: FastifyInstance
  port: number
  /** The number of requests that its handlers have started. */
  begun(): number
  stop(): Promise<void>
}

async function start(t: Test, add: (app: FastifyInstance) => void = () => {}): Promise<App> {
  const app = Fastify()
  let begun = 0
  app.addHook('onRequest', async () => void begun++)
  app.get('/', async () => 'x'.repeat(2_000))
  app.post('/pid', async () => ({ pid: process.pid }))
  add(app)
  const drain = addDraining(app)
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  t.teardown(() => app.close())
  const stop = async () => {
    await drain()
    await app.close()
  }
  return { app, port, begun: () => begun, stop }
}

for (const [name, load] of Object.entries(LOADS))
  t.test(`a busy app stops and loses no request: ${name}`, async (t) => {
    const { port, begun, stop } = await start(t)
    const asking = startLoad({ at: { port, host: '127.0.0.1' }, ...load })
    await asking.untilAnswered(4 * load.connections)
    await stop()
    await asking.stop()
    t.strictSame(asking.broken, [])
    t.strictSame(asking.refused, [])
    t.equal(begun(), asking.answered(), 'no handler has run whose answer was not sent')
  })

function read(t: Test, port: number, request: string): { socket: Socket; text(): string } {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (part: string) => {
    text += part
  })
  socket.write(request)
  return { socket, text: () => text }
}

t.test('a preClose hook ends event streams, and requests pipelined after them get a response', async (t) => {
  const ends = new Set<() => void>()
  const { port, stop } = await start(t, (app) => {
    app.get('/events', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream', connection: 'keep-alive' })
      reply.raw.write('data: 1\n\n')
      ends.add(() => reply.raw.end())
    })
    app.addHook('preClose', async () => {
      for (const end of ends) end()
    })
  })
  const one = 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const listener = read(t, port, one)
  const other = read(t, port, one)
  await until(() => listener.text().includes('data: 1') && other.text().includes('data: 1'))
  // This handler does not wait for a response that has begun.
  other.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const closed = Promise.all([once(listener.socket, 'close'), once(other.socket, 'close')])
  await stop()
  await closed
  t.match(listener.text(), /\r\n0\r\n\r\n$/, 'whole, to its last chunk')
  t.match(other.text(), /connection: close\r\n(?:.|\r\n)*x{2000}$/i)
})

t.test('a handler that keeps its connection open lets the next request get a response', async (t) => {
  const { port, stop } = await start(t, (app) => {
    app.get('/keep', async (_request, reply) => {
      reply.header('connection', 'keep-alive')
      return 'kept'
    })
  })
  const { socket, text } = read(t, port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until(() => text().endsWith('xxx'))
  const stopped = stop()
  socket.write('GET /keep HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until(() => text().endsWith('kept'))
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'close')
  await stopped
  t.match(text(), /kept(?:.|\r\n)*connection: close\r\n(?:.|\r\n)*x{2000}$/i)
})

t.test('an app without requests, or one that does not listen, stops at once', async (t) => {
  const { stop } = await start(t)
  await stop()
  const app = Fastify()
  const drain = addDraining(app)
  await app.ready()
  await drain()
  await app.close()
})
