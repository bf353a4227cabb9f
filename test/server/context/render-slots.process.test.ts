// The maximum number of simultaneous renders, and requests beyond it.

import { connect } from 'node:net'
import t from 'tap'
import { createInstance } from '../../../src/server/create-server.ts'
import { createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { ERROR } from '../../site-server.ts'
import { until } from '../../until.ts'
import { GATES, gatesOfLast, load, navigationHeaders, waitAt } from '../lines.ts'
import { buildFiles, builtFiles, createLog, type Files, HTML, JSON_ONLY, serve } from '../served.ts'

const SLOTS = 3

const dir = await buildFiles(t.testdir({}), {
  'pages/loading.tsx': 'export default function Page({ data }) {\n  return <p>{data}</p>\n}\n',
  'pages/loading.server.ts': load(waitAt('load', "'loaded'")),
  'pages/stream.tsx':
    'import { Suspense, use } from \'react\'\nfunction Later({ promise }) { return <b>{use(promise)}</b> }\nexport default function Page({ data }) {\n  return <Suspense fallback="wait"><Later promise={data.later} /></Suspense>\n}\n',
  'pages/stream.server.ts': load(
    "  const gate = ctx.app.gate('stream')\n  gate.arrive()\n  return { later: gate.opened }",
  ),
  'pages/later.tsx': 'export default () => <p>later</p>\n',
  'pages/later.server.ts': load(
    "  const gate = ctx.app.gate('later')\n  gate.arrive()\n  return { later: gate.opened }",
  ),
  'pages/form.tsx': 'export default function Page() {\n  return <p>form</p>\n}\n',
  'pages/form.server.ts': `export const action = async (ctx) => {\n${waitAt('action', "'acted'")}\n}\n`,
  'pages/failing.tsx': 'export default function Page() {\n  throw new Error("no")\n}\n',
  'public/file.txt': 'a file',
  'server.ts': `export default async function server(app) {\n  ${GATES}\n  app.addHook('preHandler', async ({ url }) => app.count(url))\n  app.get('/route', async () => 'a route')\n}\n`,
})

const post = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }

t.test('page requests beyond the maximum number of renders are refused, and no others', async (t) => {
  const { app, log, get } = await serve(t, dir, { limits: { maxRenders: SLOTS } })
  const { gate } = gatesOfLast()
  const under = [
    get('/loading'),
    get('/stream'),
    app.inject({ method: 'POST', url: '/form', headers: post, payload: 'a=1' }),
  ]
  await Promise.all([gate('load').reached, gate('stream').reached, gate('action').reached])

  const refused = await Promise.all([
    get('/'),
    get('/', JSON_ONLY),
    get('/?_hydrant', navigationHeaders(dir)),
    get('/failing'),
    get('/no/such/page'),
    app.inject({ method: 'HEAD', url: '/', headers: HTML }),
    app.inject({ method: 'POST', url: '/form', headers: post, payload: 'a=1' }),
    app.inject({ method: 'POST', url: '/', headers: post, payload: 'a=1' }),
  ])
  for (const { statusCode, headers } of refused) {
    t.equal(statusCode, 503)
    t.match(headers, { 'retry-after': '1', 'cache-control': 'no-store', 'x-request-id': String })
  }
  t.match(refused[0]?.body, 'The server is busy. Try again in a moment.')
  t.match(refused[1]?.json(), { status: 503, detail: 'The server is busy. Try again in a moment.' })
  const lines = log.lines.filter(({ level }) => level > 30)
  t.match(lines, [{ level: 40, statusCode: 503, msg: /limits\.maxRenders/ }], 'one warning')
  t.equal(lines.length, 1)
  for (const path of ['/_hydrant/live', '/_hydrant/ready', '/file.txt', '/route'])
    t.equal((await get(path)).statusCode, 200, path)

  gate('load').open()
  t.equal((await under[0])?.statusCode, 200)
  t.equal((await get('/')).statusCode, 200, 'there is one again')
  gate('action').open()
  gate('stream').open('at last')
  for (const { statusCode } of await Promise.all(under)) t.equal(statusCode, 200)
})

t.test('a failed or aborted request releases its slot', async (t) => {
  const timeouts = { renderMs: 3_600_000 }
  const { app, log, get } = await serve(t, dir, { limits: { maxRenders: 1 }, timeouts })
  for (let count = 0; count < 3; count++) {
    t.equal((await get('/failing')).statusCode, 500)
    t.equal((await get('/no/such/page')).statusCode, 404)
    t.equal((await app.inject({ method: 'POST', url: '/', headers: post, payload: '' })).statusCode, 405)
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  const { gate } = gatesOfLast()
  for (const [path, name, accept] of [
    ['/stream', 'stream', 'text/html'],
    ['/later', 'later', 'application/json'],
    ['/loading', 'load', 'text/html'],
  ] as const) {
    const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
    const agent = HTML['user-agent']
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nUser-Agent: ${agent}\r\n\r\n`)
    await gate(name).reached
    t.equal((await get('/')).statusCode, 503, path)
    socket.destroy()
    if (name === 'load') gate(name).open()
    await until(async () => (await get('/')).statusCode === 200)
  }
  t.equal(log.lines.filter(({ level }) => level >= ERROR).length, 3, 'the three that failed')
})

t.test('a client that sends a form slowly takes no slot', async (t) => {
  const { app, get } = await serve(t, dir, { limits: { maxRenders: 1 } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  const form = 'POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n'
  const sockets = Array.from({ length: 5 }, () => {
    const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
    socket.write(`${form}Content-Length: 1000\r\n\r\n--x\r\n`)
    return socket
  })
  const { counts } = gatesOfLast()
  await until(() => counts['/form'] === sockets.length)
  t.equal((await get('/')).statusCode, 200)
  for (const socket of sockets) socket.destroy()
})

const HUNG = 100

/** `/a` and `/b` are pages of a layout whose load hangs. `/` is not. */
const HANGING: Files = {
  'server.ts': `export default async function server(app) {\n  ${GATES}\n}\n`,
  'pages/alone.tsx': 'export default function Page() {\n  return <p>alone</p>\n}\n',
  'pages/alone.server.ts': load(waitAt('alone', 'null')),
  'pages/(shared)/layout.tsx': 'export default ({ children }) => <main>{children}</main>\n',
  'pages/(shared)/layout.server.ts': load(waitAt('layout', 'null')),
  'pages/(shared)/a.tsx': 'export default () => <p>a</p>\n',
  'pages/(shared)/b.tsx': 'export default () => <p>b</p>\n',
}

t.test('a route that hangs does not take the renders of other routes', async (t) => {
  const hanging = await buildFiles(t.testdir({}), HANGING)
  const metrics = createRequestMetrics()
  const log = createLog()
  const options = resolveOptions({ config: { limits: { maxRenders: HUNG } } })
  const { app } = await createInstance({
    ...builtFiles(hanging),
    dir: hanging,
    options,
    logging: { logger: log.logger },
    metrics: metrics.recorder,
  })
  t.teardown(() => app.close())
  const get = (url: string) => app.inject({ url, headers: HTML })
  const ask = (path: string) => Array.from({ length: 2 * HUNG }, () => get(path))
  const statuses = async (paths: readonly string[]) => {
    const found: number[] = []
    for (const path of paths) found.push((await get(path)).statusCode)
    return found
  }
  const { gate } = gatesOfLast()
  const waiting = ask('/alone')
  await gate('alone').reached
  t.strictSame(await statuses(['/', '/', '/no/such/page', '/alone']), [200, 200, 404, 503])
  waiting.push(...ask('/a'), ...ask('/b'))
  await gate('layout').reached
  t.strictSame(await statuses(['/', '/a', '/b', '/alone']), [200, 503, 503, 503])
  t.equal(metrics.read().renders.max, HUNG)
  t.ok(metrics.read().renders.taken > 0.75 * HUNG, 'the slots that are taken are counted')
  const [warning, ...others] = log.lines.filter(({ level }) => level > 30)
  t.match(
    warning?.msg,
    /: 1 page request, because 75 of 100 renders are running for \/alone, and the others are kept for/,
  )
  t.strictSame(others, [], 'one line in a minute')
  gate('alone').open()
  gate('layout').open()
  const ended = await Promise.all(waiting)
  const refused = ended.filter(({ statusCode }) => statusCode === 503).length
  t.match(metrics.read().shed, { event_loop: 0, renders: 0, route: refused + 4 })
  t.strictSame(await statuses(['/', '/a', '/alone']), [200, 200, 200], 'all are free again')
  t.equal(metrics.read().renders.taken, 0)
})
