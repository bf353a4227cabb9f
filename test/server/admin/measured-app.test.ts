// Metrics in an app, over real connections, because clients that disconnect have one.

import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import t from 'tap'
import { hydrant, type LoadContext } from '../../../src/server/index.ts'
import { navigationHeaders, writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { HTML } from '../served.ts'

const dir = writeTestSite(
  t.testdir({}),
  {
    '/products/[id]': { load: () => ({}), action: () => ({}) },
    '/slow': {
      load: ({ signal }: LoadContext) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
  },
  { publicFiles: { 'robots.txt': 'User-agent: *\n' } },
)

t.test('the metrics of an app contain those of a server, by route', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-refuse']) return reply.code(403).send('refused')
  })
  app.get('/own', async () => 'own')
  await app.register(hydrant, { dir, ledger: false, timeouts: { loadMs: 2_147_483_647 } })
  // A second site of the same app, with the same connections.
  await app.register(hydrant, { dir, ledger: false, base: '/second', timeouts: { loadMs: 5 } })
  await app.register(hydrant.admin, { prefix: '/ops', auth: 'none', only: 'metrics' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  // Uses `inject`, which has no connection.
  const metrics = async () => (await app.inject('/ops/metrics')).body

  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.write('GET /slow HTTP/1.1\r\nHost: shop.example\r\n\r\n')
  await until(async () => /^hydrant_requests_in_flight 1$/m.test(await metrics()))
  t.match(await metrics(), /^hydrant_connections 1$/m)
  socket.destroy()
  await until(async () => /^hydrant_requests_in_flight 0$/m.test(await metrics()))
  t.match(await metrics(), 'hydrant_requests_aborted_total{route="/slow"} 1')

  await app.inject({ url: '/products/1?_hydrant', headers: navigationHeaders() })
  await app.inject({ url: '/products/2', headers: HTML })
  await app.inject({ url: '/products/3', headers: { ...HTML, 'x-refuse': '1' } })
  await app.inject({ url: '/products/4', method: 'POST', headers: { ...HTML, origin: 'http://localhost:80' } })
  for (const url of ['/robots.txt', '/own', '/nowhere/1', '/second/slow']) await app.inject({ url, headers: HTML })
  const counted = await metrics()
  for (const line of [
    'hydrant_requests_total{method="GET",status="200",route="/products/[id]"} 2',
    'hydrant_requests_total{method="GET",status="403",route="/products/[id]"} 1',
    'hydrant_requests_total{method="POST",status="200",route="/products/[id]"} 1',
    'hydrant_requests_total{method="GET",status="200",route="public/*"} 1',
    'hydrant_requests_total{method="GET",status="404",route="*"} 1',
    'hydrant_load_duration_seconds_count{route="/products/[id]"} 3',
    'hydrant_action_duration_seconds_count{route="/products/[id]"} 1',
    'hydrant_timeouts_total{phase="load",route="/slow"} 1',
    'hydrant_requests_in_flight 0',
  ]) {
    t.ok(counted.includes(`\n${line}\n`), line)
  }
  t.notMatch(counted, '/own', 'the app’s own routes are its own business')
  t.match(counted, /^hydrant_build_info\{[^}]*\} 1$/m)
})

t.test('several consoles of an app count each request once', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const addSite = (base: string, ledger: string | false) => app.register(hydrant, { dir, base, ledger })
  const addConsole = (prefix: string, site?: string) =>
    app.register(hydrant.admin, { prefix, auth: 'none', ...(site && { site }) })
  await addSite('/none', false)
  await addConsole('/of-none')
  await addSite('/one', 'one.db')
  await addSite('/other', 'one.db')
  await addConsole('/of-one', '/one')
  await addConsole('/of-these')
  await addConsole('/again')
  await addSite('/late', 'late.db')
  await addConsole('/of-late', '/late')
  for (const base of ['/none', '/one', '/other', '/late'])
    await app.inject({ url: `${base}/products/1`, headers: HTML })
  const expected = { '/none/products/[id]': 1, '/one/products/[id]': 1, '/other/products/[id]': 1 }
  const cases: [string, Record<string, number>][] = [
    ['/of-none', {}],
    ['/of-these', expected],
    ['/again', expected],
    ['/of-these', expected],
    ['/of-late', { '/late/products/[id]': 1 }],
  ]
  for (const [prefix, expected] of cases) {
    const { routes } = (await app.inject(`${prefix}/api/slow`)).json<{ routes: { route: string; count: number }[] }>()
    // A busy computer blocks the event loop.
    const ofSites = routes.filter(({ route }) => route !== '')
    t.strictSame(Object.fromEntries(ofSites.map(({ route, count }) => [route, count])), expected, prefix)
  }
})
