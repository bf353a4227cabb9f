// Connections that a browser opens ahead, in an app that closes.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { addDraining, hydrant } from '../../../src/server/index.ts'
import { writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'

const dir = writeTestSite(join(t.testdir({}), 'site'), {
  '/': () => <p>home</p>,
  // The app decorates itself.
  '/slow': { Component: () => <p>slow</p>, load: ({ app }: { app: { opened?: unknown } }) => app.opened },
})

interface Listening {
  app: FastifyInstance
  open: () => void
  /** Opens a connection and waits until the app has it. The app may close it at once. */
  connect(): Promise<{ socket: Socket; closed: Promise<unknown> }>
}

async function listen(t: Test, add: (app: FastifyInstance) => void = () => {}): Promise<Listening> {
  const app = Fastify({ return503OnClosing: false })
  let open = () => {}
  app.decorate('opened', new Promise<void>((resolve) => (open = resolve)))
  await app.register(hydrant, { dir, ledger: false })
  add(app)
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  let accepted = 0
  app.server.on('connection', () => accepted++)
  return {
    app,
    open,
    async connect() {
      const before = accepted
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      const closed = once(socket, 'close')
      t.teardown(() => socket.destroy())
      await until(() => accepted > before)
      return { socket, closed }
    },
  }
}

const requestFor = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nUser-Agent: bot\r\nConnection: close\r\n\r\n`

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const part of socket) text += part
  return text
}

t.test('an app with the plugin closes although a connection has carried no request', async (t) => {
  const { app, connect } = await listen(t)
  const ahead = await connect()
  await app.close()
  await ahead.closed
})

t.test('also one that comes while later hooks still run', async (t) => {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  let go = () => {}
  const gone = new Promise<void>((resolve) => (go = resolve))
  const { app, connect } = await listen(t, (app) => {
    // Fastify runs the hooks of plugins in the order of their registration.
    app.register(async (later) => {
      later.addHook('preClose', async () => {
        begin()
        await gone
      })
    })
  })
  const closed = app.close()
  await begun
  const late = await connect()
  go()
  await Promise.all([closed, late.closed])
})

t.test('a response in progress is finished', async (t) => {
  const { app, open, connect } = await listen(t)
  const { socket: asked } = await connect()
  const answer = readAll(asked)
  const begun = once(app.server, 'request')
  asked.write(requestFor('/slow'))
  await begun
  const closed = app.close()
  // Longer than the pause between two looks at the connections.
  await wait(150)
  open()
  t.match(await answer, /^HTTP\/1\.1 200 (?:.|\r\n)*<p>slow<\/p>/)
  await closed
})

t.test('an app with addDraining still answers the first request on such a connection', async (t) => {
  const { app, connect } = await listen(t, addDraining)
  const { socket: ahead } = await connect()
  const answer = readAll(ahead)
  const closed = app.close()
  await wait(100)
  ahead.write(requestFor('/'))
  t.match(await answer, /^HTTP\/1\.1 200 (?:.|\r\n)*<p>home<\/p>/)
  await closed
})
