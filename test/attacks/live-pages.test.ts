// Attacks on live pages: hearing of what one may not see, making the pages of others work, and holding what others need
// (CWE-200, CWE-285, CWE-352, CWE-770, CWE-942).

import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { type GuardContext, HttpError, type LoadContext, redirect } from '../../src/server/index.ts'
import { findFailing } from '../find-failing.ts'
import { marked } from '../server/lines.ts'
import { countRefreshes, EVENTS, openStream, positionIn } from '../server/live/streams.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, type SiteModules, type TestSiteOptions, testSite } from '../test-site.ts'
import { until } from '../until.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'

const SECRET = 'orders-of-the-crown'
const NAVIGATION = navigationHeaders()
const STREAM = { ...EVENTS, ...NAVIGATION }
const lines = (headers: Record<string, string>) => Object.entries(headers).map((pair) => pair.join(': '))

/** The visitors who are signed in. */
const sessions = new Set(['ada'])
const userOf = ({ request }: Pick<GuardContext, 'request'>) => request.headers.authorization ?? ''
const site: SiteModules = {
  '/': {},
  '/sign-in': {},
  '/board': { live: () => ['board'], action: () => ({ ok: true }) },
  '/orders/layout': {
    guard(context: GuardContext) {
      if (!sessions.has(userOf(context))) redirect('/sign-in')
      return { user: userOf(context) }
    },
    live: () => [SECRET],
  },
  '/orders/index': {},
  '/orders/[user]': {
    guard({ params, request }: Omit<GuardContext, 'params'> & { params: { user: string } }) {
      if (params.user !== userOf({ request })) throw new HttpError(403, 'Not yours.')
    },
    load: () => 'orders',
    live: ({ params }: Omit<LoadContext, 'params'> & { params: { user: string } }) => [`${SECRET}-${params.user}`],
  },
}

async function start(t: Test, options: TestSiteOptions = {}) {
  const served = await testSite(t, site, { ledger: false, ...options })
  const raw = await listenRaw(t, served.app)
  const origin = `http://127.0.0.1:${raw.port}`
  const open = (path: string, headers: Record<string, string> = {}) =>
    openStream(origin + path, { ...NAVIGATION, ...headers })
  /** Asks for a stream with a connection of its own. */
  function hold(path = '/board', text = rawRequestOf(path)): Socket {
    const socket = connect(raw.port, '127.0.0.1').on('error', () => {})
    t.teardown(() => socket.destroy())
    socket.write(text)
    return socket
  }
  return { ...served, ...raw, origin, open, hold }
}

const rawRequestOf = (path: string) =>
  `GET ${marked(path)} HTTP/1.1\r\n${lines(STREAM).join('\r\n')}\r\nHost: a\r\n\r\n`

t.test('nobody hears of the changes of a page that they may not see', async (t) => {
  const { open, app } = await start(t)
  const attempts: [string, Record<string, string>?][] = [
    ['/orders'],
    ['/orders/ada'],
    ['/orders/ada', { authorization: 'eve' }],
    ['/orders/eve', { authorization: 'ada' }],
    ['/Orders/ada', { authorization: 'ada' }],
    ['//orders/ada'],
    ['/orders/ada/'],
    ['/orders/%61da'],
    ['/board/../orders/ada'],
    ['/orders/ada?_hydrant=1&topics=board'],
    ['/orders/ada', { 'last-event-id': 'AAAAAAAA.1', 'hydrant-layouts': '/orders' }],
    ['/orders/ada', { 'x-original-url': '/board', 'x-forwarded-uri': '/board' }],
    ['/board', { 'x-original-url': '/orders/ada' }],
  ]
  const heard = await findFailing(attempts, async ([path, headers]) => {
    const { response, text, leave } = await open(path, headers)
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) await until(text)
    await app.live.publish(SECRET, `${SECRET}-ada`, `${SECRET}-eve`)
    // A page that may be seen hears of the publication: what came before it has arrived by then.
    const board = await open('/board')
    await until(board.text)
    await app.live.publish('board')
    await board.refreshed(1)
    board.leave()
    leave()
    const told = countRefreshes(text()) - (path === '/board' ? 1 : 0)
    return told > 0 || text().includes(SECRET) ? text() : undefined
  })
  t.strictSame(heard, [])
  const { response, refreshed } = await open('/orders/ada', { authorization: 'ada' })
  t.equal(response.status, 200)
  await app.live.publish(`${SECRET}-ada`)
  await refreshed(1)
})

t.test('no response contains a topic', async (t) => {
  const { app, open, get } = await start(t)
  const authorization = 'ada'
  const { text, refreshed } = await open('/orders/ada', { authorization })
  await app.live.publish(SECRET)
  await refreshed(1)
  t.notMatch(text(), SECRET)
  t.match(text().replaceAll(/retry: \d+\n|id: [\w-]{8}\.\d+\n|data: refresh\n|\n/g, ''), /^$/)
  const forms = [
    ['/orders/ada', HTML],
    ['/orders/ada', JSON_ONLY],
    [marked('/orders/ada'), { ...HTML, ...NAVIGATION }],
  ] as const
  for (const [path, headers] of forms) {
    const response = await get(path, { ...headers, authorization })
    t.equal(response.statusCode, 200)
    t.notMatch(response.body + JSON.stringify(response.headers), SECRET)
  }
})

t.test('when a session has ended, there is no further stream', async (t) => {
  const { open, app } = await start(t)
  const headers = { authorization: 'ada' }
  t.teardown(() => sessions.add('ada'))
  const { text, leave, ended } = await open('/orders/ada', headers)
  await until(text)
  leave()
  await ended
  sessions.delete('ada')
  const again = await open('/orders/ada', { ...headers, 'last-event-id': String(positionIn(text())) })
  t.notMatch(again.response.headers.get('content-type'), 'event-stream')
  await app.live.publish(SECRET, `${SECRET}-ada`)
  t.notMatch(await again.ended, 'refresh')
})

t.test('a position of any kind gives a refresh, and no more', async (t) => {
  const { open, send, app, log } = await start(t)
  await app.live.publish('other')
  const forged = [
    '',
    ' ',
    '0x10.1',
    'AAAAAAAA.99999999999999999999999',
    'AAAAAAAA.-1',
    'AAAAAAAA.1e999',
    'AAAAAAAA.1\tdata: x',
    '__proto__.1',
    'constructor.name',
    '../../etc/passwd',
    '%0d%0aset-cookie:a=b',
    'x'.repeat(12_000),
    '.'.repeat(12_000),
    `AAAAAAAA.${'9'.repeat(12_000)}`,
  ]
  const failing = await findFailing(forged, async (position) => {
    const { response, text, refreshed, leave } = await open('/board', { 'last-event-id': position })
    if (response.status !== 200) return response.status
    await refreshed(1)
    leave()
    return /retry: 2000\n\nid: [\w-]{8}\.\d+\ndata: refresh\n\n/.test(text()) ? undefined : text()
  })
  t.strictSame(failing, [])
  const repeated = `GET ${marked('/board')} HTTP/1.1\r\n${lines(STREAM).join('\r\n')}\r\nHost: a\r\nLast-Event-ID: a.1\r\nLast-Event-ID: b.2\r\n`
  const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  socket.write(`${repeated}\r\n`)
  await until(() => countRefreshes(text.replaceAll(/\r\n\w+\r\n/g, '')))
  const tooLarge = await send(
    rawRequest(`GET ${marked('/board')} HTTP/1.1`, [
      ...lines(STREAM),
      'Host: a',
      `Last-Event-ID: ${'x'.repeat(40_000)}`,
    ]),
  )
  t.equal(parseRaw(tooLarge).status, 431)
  t.strictSame(log.errors(), [])
})

t.test('one address cannot take the streams of all others', async (t) => {
  const limits = { maxLiveStreams: 20, maxLiveStreamsPerAddress: 5 }
  const { open, app, get, log } = await start(t, { limits, trustProxy: '127.0.0.1' })
  const from = (address: string, headers = {}) => open('/board', { 'x-forwarded-for': address, ...headers })
  const statuses = async (addresses: string[]) =>
    (await Promise.all(addresses.map((address) => from(address)))).map(({ response }) => response.status)
  const attack = await statuses(Array<string>(60).fill('203.0.113.9'))
  t.equal(attack.filter((status) => status === 200).length, 5)
  t.equal(attack.filter((status) => status === 503).length, 55)
  // What a client claims in front of its own address does not count.
  t.strictSame(await statuses(['10.0.0.1, 203.0.113.9', '127.0.0.2, 203.0.113.9']), [503, 503])
  const visitor = await from('198.51.100.7')
  await until(visitor.text)
  await app.live.publish('board')
  await visitor.refreshed(1)
  t.equal((await get('/board')).statusCode, 200)
  // One client usually has all addresses of its IPv6 network.
  const network = Array.from({ length: 6 }, (_, index) => `2001:db8::${index}:1`)
  t.equal((await statuses(network)).filter((status) => status === 200).length, 5)
  // Refusals do not fill the log.
  t.ok(log.lines.filter(({ msg }) => msg.includes('of live pages')).length <= 3)
  t.strictSame(log.errors(), [])
})

t.test('a client that never reads holds little, and is dropped', async (t) => {
  const { hold, open, app, log } = await start(t, { logRequests: true, limits: { maxLiveStreams: 2 } })
  const bodies: { writableLength: number }[] = []
  app.server.on('connection', (socket) => bodies.push(socket))
  hold().pause()
  await until(() => bodies.length === 1)
  const reader = await open('/board')
  await until(reader.text)
  let published = 0
  const ends = () => log.lines.filter(({ msg }) => msg === 'stream ended').length
  await until(async () => {
    for (let n = 0; n < 2_000; n++, published++) await app.live.publish('board')
    return ends() > 0 || published >= 60_000
  })
  await reader.refreshed(1)
  t.ok(Number(bodies[0]?.writableLength) < 100_000, 'beyond the buffers of the system')
  t.strictSame(log.errors(), [])
})

t.test('clients that leave in any way leave no stream', async (t) => {
  const { hold, open, log } = await start(t, { logRequests: true, limits: { maxLiveStreams: 4 } })
  const ends = () => log.lines.filter(({ msg }) => msg === 'stream ended').length
  const ways: ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.resetAndDestroy(),
    // Half-open: the client says that it sends no more, and stays.
    (socket) => socket.end(),
    (socket) => socket.write('not a request\r\n\r\n'),
  ]
  for (let round = 1; round <= 5; round++) {
    const sockets = ways.map(() => hold())
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
    t.equal((await open('/board')).response.status, 503, 'all are taken')
    for (const [index, leave] of ways.entries()) leave(sockets[index] as Socket)
    await until(() => ends() >= ways.length * round)
    for (const socket of sockets) socket.destroy()
  }
  t.equal((await open('/board')).response.status, 200)
  t.strictSame(
    log.lines.filter(({ level }) => level > 40),
    [],
  )
})

t.test('requests behind a stream, on its connection, wait and do no harm', async (t) => {
  const { hold, app, log, get } = await start(t)
  const socket = hold('/board', rawRequestOf('/board').repeat(50))
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  await until(() => text.includes('retry'))
  await app.live.publish('board')
  await until(() => text.includes('refresh'))
  t.equal(text.split('HTTP/1.1 ').length - 1, 1)
  t.equal((await get('/board')).statusCode, 200)
  t.strictSame(log.errors(), [])
})

t.test('headers that never end open no stream', async (t) => {
  const { hold, open } = await start(t, { limits: { maxLiveStreams: 1 } })
  for (let n = 0; n < 20; n++) hold('/board', rawRequestOf('/board').slice(0, -2))
  const { response } = await open('/board')
  t.equal(response.status, 200)
})

t.test('nothing that a client sends makes the pages of others refresh', async (t) => {
  const { open, origin, app } = await start(t)
  const { text, refreshed } = await open('/board')
  await until(text)
  const paths = ['/board', '/_hydrant/changes', '/_hydrant/live', '/_hydrant/publish', '/_hydrant/report', '/live']
  const urls = paths.flatMap((path) => [path, marked(path), `${path}?topic=board`, `${path}?publish=board&tags=board`])
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const
  const requests = methods.flatMap((method) => urls.map((url) => ({ method, url })))
  for (const { method, url } of requests) {
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const { statusCode } = await app.inject({
      method,
      url,
      headers: { ...HTML, ...NAVIGATION, host: new URL(origin).host, 'content-type': 'application/json' },
      ...(hasBody && { payload: '{"topics":["board"],"tags":["board"],"path":"/board","data":"refresh"}' }),
    })
    if (statusCode === 500) t.fail(`${method} ${url}`)
  }
  t.equal(countRefreshes(text()), 0)
  await app.live.publish('board')
  await refreshed(1)
  t.equal(countRefreshes(text()), 1)
})

t.test('a foreign page cannot read a stream, and cannot hold one with a visitor’s cookies', async (t) => {
  const { origin, app } = await start(t)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' }
  // What scripts of other origins can send without a preflight: `EventSource`, `fetch` with `no-cors`, and elements.
  const simple: Record<string, string>[] = [
    { ...foreign, accept: 'text/event-stream', 'sec-fetch-mode': 'cors', 'cache-control': 'no-cache' },
    { ...foreign, accept: 'text/event-stream', 'sec-fetch-mode': 'no-cors' },
    { ...foreign, accept: '*/*', 'last-event-id': '0' },
  ]
  const read = await findFailing(simple, async (headers) => {
    const response = await fetch(origin + marked('/board'), { headers, redirect: 'manual' })
    await response.text()
    const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
    const type = String(response.headers.get('content-type'))
    return names.length > 0 || type.startsWith('text/event-stream') ? { names, type } : undefined
  })
  t.strictSame(read, [])
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: marked('/board'),
    headers: { ...foreign, 'access-control-request-method': 'GET', 'access-control-request-headers': 'hydrant-build' },
  })
  t.notOk(Object.keys(preflight.headers).some((name) => name.startsWith('access-control-')))
  const { response, leave } = await openStream(`${origin}/board`, { ...NAVIGATION, ...foreign })
  t.notOk([...response.headers.keys()].some((name) => name.startsWith('access-control-')))
  leave()
})

t.test('no cache may store a stream, whatever the site’s hooks say', async (t) => {
  const server = async (app: FastifyInstance) => {
    app.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=3600, s-maxage=3600').header('cdn-cache-control', 'max-age=3600')
      reply.header('surrogate-control', 'max-age=3600').header('expires', new Date(Date.now() + 1e7).toUTCString())
    })
  }
  const { open } = await start(t, { server, limits: { maxLiveStreams: 1 } })
  const responses = [await open('/board'), await open('/'), await open('/board'), await open('/orders')]
  t.strictSame(
    responses.map(({ response }) => response.status),
    [200, 204, 503, 200],
  )
  for (const { response } of responses) {
    t.match(response.headers.get('cache-control'), /^(?:private, )?no-store$/)
    for (const name of ['cdn-cache-control', 'surrogate-control']) t.equal(response.headers.get(name), 'no-store')
    for (const name of ['expires', 'etag', 'last-modified']) t.notOk(response.headers.has(name), name)
  }
})
