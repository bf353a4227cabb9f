// The log line and the metrics of each request, over real connections, which a visitor can close early.

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Suspense, use } from 'react'
import t from 'tap'
import { createInstance } from '../../../src/server/create-server.ts'
import type { LoadContext } from '../../../src/server/index.ts'
import { createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { navigationHeaders, writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { builtFiles, createLog, HTML } from '../served.ts'

const Later = ({ later }: { later: Promise<string> }) => <b>{use(later)}</b>

const site = {
  '/': {},
  '/products/[id]': {
    Component: ({ data }: { data: { later: Promise<string> } }) => (
      <main>
        {'x'.repeat(2000)}
        <Suspense fallback={<i>wait</i>}>
          <Later {...data} />
        </Suspense>
      </main>
    ),
    load: () => ({ later: new Promise((resolve) => setImmediate(resolve, 'late')) }),
    action: () => ({ done: true }),
  },
  '/fail/[id]': {
    load() {
      throw new Error('fail')
    },
  },
  '/slow': {
    load: ({ signal }: LoadContext) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  },
}

async function server(app: FastifyInstance) {
  app.get<{ Params: { id: string } }>('/api/:id', async ({ params }) => ({ id: params.id }))
  app.get('/parts', (_request, reply) => reply.send(Readable.from(['ä', 'b'.repeat(1000), Buffer.from('c')])))
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (headers['x-refuse']) return reply.code(403).send('refused')
  })
}

const publicFiles = { 'robots.txt': 'User-agent: *\n' }
const dir = writeTestSite(join(t.testdir({}), 'site'), site, { server, publicFiles })

const NAVIGATION = navigationHeaders()
const log = createLog()
const { recorder, read } = createRequestMetrics()
const options = resolveOptions({
  config: { ledger: false, logRequests: true, timeouts: { loadMs: 2_147_483_647 } },
  scope: 'server',
})
const { app } = await createInstance({ dir, ...builtFiles(dir), options, logging: log, metrics: recorder })
t.teardown(() => app.close())
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

const lineOf = (id: string | undefined) =>
  until(() => log.lines.find(({ reqId, msg }) => reqId === id && /^request (completed|aborted)$/.test(msg)))
const routeOf = (name: string) => read().routes.find(({ route }) => route === name)

/** Sends a request on its own connection. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const outgoing = request({ port, path, method, headers: { ...HTML, host: `shop.example:${port}`, ...headers } })
  outgoing.end()
  // The response arrives with an event of the request.
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) bytes += chunk.length
  const line = await lineOf(String(incoming.headers['x-request-id']))
  return { status: incoming.statusCode, headers: incoming.headers, bytes, line }
}

t.test('a line has route, host and bytes of the body, however the body was sent', async (t) => {
  for (const [path, route, headers] of [
    ['/', '/', {}],
    ['/products/7?a=1', '/products/[id]', {}],
    ['/products/7', '/products/[id]', { 'accept-encoding': 'gzip' }],
    ['/products/7', '/products/[id]', { accept: 'application/json' }],
    ['/products/7?_hydrant', '/products/[id]', NAVIGATION],
    ['/api/7', '/api/:id', {}],
    ['/parts', '/parts', {}],
    ['/robots.txt', 'public/*', {}],
    ['/nowhere/7', '*', {}],
    ['/products/7', '/products/[id]', { 'x-refuse': '1' }],
  ] as const) {
    const { status, bytes, line } = await ask(path, headers)
    // A navigation is logged under the route of its page.
    const url = path.replace('?_hydrant', '')
    const expected = { msg: 'request completed', method: 'GET', url, statusCode: status, route, bytes }
    t.match(line, { ...expected, host: 'shop.example', responseTimeMs: Number }, path)
    t.notOk('digest' in line || 'traceId' in line, 'nothing else')
  }
  const { line } = await ask('/products/7', {}, 'HEAD')
  t.match(line, { method: 'HEAD', bytes: 0, route: '/products/[id]' })
  const { etag = '' } = (await ask('/')).headers
  t.match((await ask('/', { 'if-none-match': etag })).line, { statusCode: 304, bytes: 0 })
})

t.test('a line has the digest of the failure and the trace', async (t) => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { status, headers, line } = await ask('/fail/7', { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  t.equal(status, 500)
  t.match(line, { digest: headers['x-error-digest'], traceId, route: '/fail/[id]', level: 30 })
})

t.test('the request of a visitor who leaves has a line, and is in flight until then', async (t) => {
  const before = log.lines.length
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /slow HTTP/1.1\r\nHost: shop.example\r\n\r\n`)
  await until(() => read().inFlight === 1)
  t.ok(read().connections >= 1)
  socket.destroy()
  await until(() => read().inFlight === 0)
  const line = await until(() => log.lines.slice(before).find(({ msg }) => msg === 'request aborted'))
  t.match(line, { level: 30, method: 'GET', url: '/slow', route: '/slow', bytes: 0, responseTimeMs: Number })
  t.notOk('statusCode' in line, 'none was sent')
  t.match(routeOf('/slow'), { aborted: 1, requests: [], durations: [] })
})

t.test('a visitor who leaves ends all requests that wait on the connection', async (t) => {
  const before = log.lines.length
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const tooLong = `GET /${'x'.repeat(8_200)} HTTP/1.1\r\nHost: shop.example\r\n\r\n`
  socket.write(`${'GET /slow HTTP/1.1\r\nHost: shop.example\r\n\r\n'.repeat(20)}${tooLong}`)
  await until(() => read().inFlight === 21)
  socket.destroy()
  await until(() => read().inFlight === 0)
  const aborted = log.lines.slice(before).filter(({ msg }) => msg === 'request aborted')
  t.equal(aborted.length, 21)
  t.match(routeOf('/slow'), { aborted: 21, requests: [] })
})

t.test('requests are counted by route, a navigation once, and none stays in flight', async (t) => {
  const countOf = (route: string) => (routeOf(route)?.requests ?? []).reduce((sum, { count }) => sum + count, 0)
  const loadsOf = () => routeOf('/products/[id]')?.loads?.counts.reduce((sum, count) => sum + count, 0) ?? 0
  const [counted, loaded] = [countOf('/products/[id]'), loadsOf()]
  await ask('/products/7?_hydrant', NAVIGATION)
  await ask('/products/7', { accept: 'application/json', origin: `http://shop.example:${port}` }, 'POST')
  await ask('/products/7')
  t.equal(countOf('/products/[id]'), counted + 3)
  t.ok(loadsOf() > loaded)
  t.match(routeOf('/products/[id]'), {
    actions: { sumMs: Number },
    durations: [{ statusClass: 2 }, { statusClass: 4 }],
  })
  t.match(routeOf('/fail/[id]'), { durations: [{ statusClass: 5 }] })
  const socket = connect(port, '127.0.0.1')
  socket.end('GET /%zz HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n')
  await once(socket.resume(), 'close')
  await until(() => read().inFlight === 0)
  t.strictSame(
    read()
      .routes.map(({ route }) => route)
      .sort(),
    ['*', '/', '/api/:id', '/fail/[id]', '/parts', '/products/[id]', '/slow', 'public/*'],
    'nothing that a visitor has sent',
  )
})
