// The streams of live pages, over sockets: who gets one, and what it is.

import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { z } from 'zod'
import {
  addDraining,
  type GuardContext,
  hydrant,
  type LoadContext,
  notFound,
  redirect,
} from '../../../src/server/index.ts'
import { BUILD_HEADER, NO_POSITION, REFRESH_HEADER } from '../../../src/shared/wire/navigation-protocol.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, type SiteModules, type TestSiteOptions, testSite, writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { createMemoryBackends, createStore } from '../cache/shared/stores.ts'
import { linesOf, linesOfResponse, listen, marked, navigationHeaders as ofBuild, pick } from '../lines.ts'
import { buildForBrowser, HTML, JSON_ONLY, serve } from '../served.ts'
import { countRefreshes, EVENTS, openStream, positionIn, withoutBeats } from './streams.ts'

type Values = Record<string, unknown>
type Context = Omit<LoadContext, 'params' | 'search' | 'context'> & Record<'params' | 'search' | 'context', Values>

const NAVIGATION = navigationHeaders()
const USER = { ...NAVIGATION, authorization: 'Bearer let-me-in' }

/** Serves a site on a port. */
async function start(t: Test, site: SiteModules, options: TestSiteOptions = {}) {
  const served = await testSite(t, site, options)
  const origin = await listen(t, served.app)
  const { live } = served.app
  const open = (path: string, headers: Record<string, string> = {}) =>
    openStream(`${origin}${path}`, { ...NAVIGATION, ...headers })
  return { ...served, origin, open, publish: live.publish, navigate: ask(served.app) }
}

const ask =
  (app: FastifyInstance) =>
  (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url: marked(url), headers: { ...HTML, ...NAVIGATION, ...headers } })

/** The position in a document or in the lines of a navigation. */
const positionOf = ({ body }: { body: string }) => /"live":"([^"]*)"/.exec(body)?.[1]

const board: SiteModules = { '/': { live: () => ['board'], load: () => 1 }, '/other': {} }

t.test('the stream of a page', async (t) => {
  const { open, publish } = await start(t, board)
  const { response, refreshed, text } = await open('/', { 'accept-encoding': 'gzip, br' })
  t.equal(response.status, 200)
  t.match(Object.fromEntries(response.headers), {
    'content-type': /^text\/event-stream(?:;|$)/,
    'cache-control': /\bno-store\b/,
    'x-accel-buffering': 'no',
    [BUILD_HEADER]: NAVIGATION[BUILD_HEADER],
    'x-content-type-options': 'nosniff',
  })
  for (const name of ['content-encoding', 'content-length', 'etag', 'set-cookie', 'access-control-allow-origin'])
    t.notOk(response.headers.has(name), name)
  await until(text)
  t.match(withoutBeats(text()), /^retry: 2000\nid: [\w-]{8}\.0\n\n$/)
  await publish('board')
  await refreshed(1)
  await publish('other')
  await publish('board')
  await refreshed(2)
  t.match(
    withoutBeats(text()),
    /^retry: 2000\nid: \S+\.0\n\nid: \S+\.1\ndata: refresh\n\nid: \S+\.3\ndata: refresh\n\n$/,
  )
})

t.test('a page without topics has no stream, and no position', async (t) => {
  const { open, get, navigate } = await start(t, board)
  const { response, ended } = await open('/other')
  t.equal(response.status, 204)
  t.match(response.headers.get('cache-control'), 'no-store')
  t.notOk(response.headers.has('content-type'))
  t.equal(response.headers.get(BUILD_HEADER), NAVIGATION[BUILD_HEADER])
  t.equal(await ended, '')
  t.equal(positionOf(await get('/other')), undefined)
  t.equal(positionOf(await navigate('/other')), undefined)
})

t.test('a site without live pages has no streams', async (t) => {
  const { open, app } = await start(t, { '/': {} })
  t.equal((await open('/')).response.status, 204)
  t.strictSame(await app.live.publish('board'), { isRecorded: true })
})

t.test('the position is that before the loads run, in the document and in the lines of a navigation', async (t) => {
  let publishing: (() => Promise<unknown>) | null = null
  const { get, navigate, publish, open } = await start(t, {
    '/': { live: () => ['board'], load: () => publishing?.() },
  })
  const first = String(positionOf(await get('/')))
  t.match(first, /\.0$/)
  await publish('board')
  t.equal(positionOf(await get('/')), first.replace('.0', '.1'))
  const [start1] = pick(linesOfResponse(await navigate('/')), 'start')
  t.match(start1?.[1], { live: first.replace('.0', '.1') })
  publishing = () => publish('board')
  const rendered = positionOf(await get('/'))
  publishing = null
  t.equal(rendered, first.replace('.0', '.1'))
  const { refreshed } = await open('/', { 'last-event-id': String(rendered) })
  await refreshed(1)
  const again = await open('/', { 'last-event-id': String(positionOf(await navigate('/'))) })
  await until(again.text)
  t.equal(countRefreshes(again.text()), 0)
})

t.test('the JSON and the error pages of a live page have no position', async (t) => {
  const { get, app } = await start(t, {
    '/': {
      live: () => ['board'],
      load: ({ url }: LoadContext) => {
        if (url.search === '?fail') throw new Error('no board')
        if (url.search === '?nothing') notFound()
      },
    },
    '/error': () => 'failed',
  })
  t.match(positionOf(await get('/')), /\.0$/)
  for (const path of ['/?fail', '/?nothing', '/nowhere']) {
    const response = await get(path)
    t.ok(response.statusCode >= 400)
    t.equal(positionOf(response), undefined, path)
  }
  t.notMatch((await app.inject({ url: '/', headers: JSON_ONLY })).body, 'live')
})

t.test('only a GET request of an open page for events gets a stream', async (t) => {
  const { app, origin } = await start(t, { '/': { live: () => ['board'], action: () => ({ ok: true }) } })
  const kind = (type: unknown) => String(type).split(';')[0]
  const withMark = marked('/')
  // A visitor who opens a stream's address, or a site that embeds it, gets the page.
  const requests = [
    ['GET', '/', { ...EVENTS, ...NAVIGATION }],
    ['GET', withMark, EVENTS],
    ['GET', '/', EVENTS],
    ['GET', withMark, { ...NAVIGATION, accept: 'text/html' }],
    ['GET', withMark, { ...NAVIGATION, accept: 'text/event-stream, text/html' }],
    ['GET', withMark, { ...NAVIGATION, accept: '*/*' }],
    ['GET', withMark, { ...HTML, accept: 'text/event-stream;q=0.9' }],
    ['HEAD', withMark, { ...EVENTS, ...NAVIGATION }],
    ['POST', withMark, { ...EVENTS, ...NAVIGATION, origin, 'content-type': 'application/x-www-form-urlencoded' }],
  ] as const
  const streams = await findFailing(requests, async ([method, url, headers]) => {
    const controller = new AbortController()
    const response = await fetch(origin + url, { method, headers, redirect: 'manual', signal: controller.signal })
    const type = kind(response.headers.get('content-type'))
    if (type === EVENTS.accept || response.status >= 500) return { status: response.status, type }
    await response.text()
    return undefined
  })
  t.strictSame(streams, [])
  t.equal((await app.inject({ url: '/', headers: HTML })).statusCode, 200)
})

t.test('guards decide about a stream as about the page, and nothing else runs', async (t) => {
  const ran: string[] = []
  const note = (what: string) => () => void ran.push(what)
  const { open, navigate, log, app, origin } = await start(t, {
    '/layout': { load: note('load of the layout') },
    '/sign-in': {},
    '/club/layout': {
      guard: ({ request }: GuardContext) => {
        if (request.headers.authorization === undefined) redirect('/sign-in')
        return { user: 'Ada' }
      },
    },
    '/club/[room]': {
      guard: ({ params }: Context) => {
        if (params.room === 'none') notFound()
        if (params.room === 'broken') throw new Error('the database is away')
      },
      live: ({ context }: Context) => {
        ran.push('live')
        return [`of ${context.user}`]
      },
      load: note('load'),
    },
  })
  const outcomes: [string, Record<string, string>, number][] = [
    ['/club/7', {}, 200],
    ['/club/none', USER, 404],
    ['/club/broken', USER, 500],
    ['/nowhere', USER, 200],
  ]
  const { host } = new URL(origin)
  for (const [path, headers, status] of outcomes) {
    ran.length = 0
    const { response, ended } = await open(path, headers)
    const text = await ended
    t.equal(response.status, status, path)
    t.match(response.headers.get('content-type'), 'application/x-ndjson')
    t.match(response.headers.get('cache-control'), 'no-store')
    if (status < 500) t.strictSame(linesOf(text), linesOfResponse(await navigate(path, { ...headers, host })))
    t.notOk(ran.includes('live'), path)
    t.notOk(text.includes('refresh'))
  }
  t.equal(log.errors().length, 1)
  ran.length = 0
  const { response, refreshed } = await open('/club/7', USER)
  t.equal(response.status, 200)
  t.strictSame(ran, ['live'])
  await app.live.publish('of Ada')
  await refreshed(1)
  t.strictSame(ran, ['live'])
})

t.test('a guard that sends a response itself is the last word', async (t) => {
  const { open } = await start(t, {
    '/': { guard: ({ reply }: GuardContext) => void reply.code(418).send('a teapot'), live: () => ['board'] },
  })
  const { response, ended } = await open('/')
  t.notMatch(response.headers.get('content-type'), 'event-stream')
  t.notMatch(await ended, 'retry')
})

t.test('a page and its layouts name the topics, with what their loads get', async (t) => {
  const given: Record<string, unknown>[] = []
  const { open, publish } = await start(t, {
    '/layout': { live: () => ['everybody'] },
    '/shops/[shop]/layout': {
      live: async ({ params }: Context) => {
        await null
        return [`shop:${params.shop}`]
      },
      guard: () => ({ role: 'guest' }),
    },
    '/shops/[shop]/[id]': {
      params: z.object({ shop: z.string(), id: z.coerce.number() }),
      search: z.object({ page: z.coerce.number().default(1) }),
      live: ({ params, search, context, request, url, app, signal, log }: Context) => {
        given.push({ params, search, context, path: url.pathname, host: request.headers.host })
        log.info('live')
        return [
          typeof app.live.publish,
          signal.aborted,
          `product:${Number(params.id) + 0.5}`,
          `page:${search.page}`,
        ].map(String)
      },
    },
  })
  const { refreshed, text, response } = await open('/shops/north/7?page=3')
  t.equal(response.status, 200)
  t.match(given, [
    { params: { shop: 'north', id: 7 }, search: { page: 3 }, context: { role: 'guest' }, path: '/shops/north/7' },
  ])
  const topics = ['everybody', 'shop:north', 'product:7.5', 'page:3', 'function', 'false']
  for (const [index, topic] of topics.entries()) {
    await publish(topic)
    await refreshed(index + 1)
  }
  await publish('shop:south', 'product:7', 'page:1', 'Everybody')
  await publish('everybody', 'shop:north')
  await refreshed(topics.length + 1)
  t.equal(countRefreshes(text()), topics.length + 1)
  const refused = await open('/shops/north/x')
  t.equal(refused.response.status, 404, 'the schema has no such page')
  t.equal(given.length, 1)
})

t.test('topics of any characters', async (t) => {
  const topics = ['ä ö', 'a,b', '\n', 'x'.repeat(5_000), '\ud800', '__proto__', 'constructor', 'path:/x', '%2C', '💧']
  const { open, publish } = await start(t, { '/': { live: () => topics } })
  const { refreshed, text } = await open('/')
  for (const [index, topic] of topics.entries()) {
    await publish(topic)
    await refreshed(index + 1)
  }
  t.equal(countRefreshes(text()), topics.length)
  t.match(positionIn(text()), /^[\w-]{8}\.10$/)
})

const many = (count: number, name = 'topic') => Array.from({ length: count }, (_, index) => `${name}-${index}`)

t.test('what is no list of topics is a failure, and the page is shown all the same', async (t) => {
  const cases: Record<string, () => unknown> = {
    nothing: () => undefined,
    text: () => 'board',
    number: () => 7,
    set: () => new Set(['board']),
    empty: () => [''],
    mixed: () => ['board', 7],
    object: () => ({ length: 1, 0: 'board' }),
    many: () => many(101),
    later: async () => [null],
    throws: () => {
      throw new Error('no topics today')
    },
    rejects: async () => {
      throw new Error('no topics today')
    },
    throwsNothing: () => {
      throw undefined
    },
  }
  const { open, get, log, app } = await start(t, {
    '/[name]': { live: ({ params }: Context) => cases[String(params.name)]?.() },
  })
  const failing = await findFailing(Object.keys(cases), async (name) => {
    log.lines.length = 0
    t.equal((await get(`/${name}`)).statusCode, 200)
    t.strictSame(log.errors(), [])
    const { response, ended } = await open(`/${name}`)
    const text = await ended
    const [line, ...others] = log.errors()
    const isOwn = !name.startsWith('throws') && name !== 'rejects'
    if (isOwn && line?.err?.code !== 'HYD_LIVE_TOPICS') return line
    if (others.length > 0 || line?.digest !== response.headers.get('x-error-digest')) return log.errors()
    if (response.status !== 500 || /today|HYD_|retry/.test(text)) return { status: response.status, text }
    return undefined
  })
  t.strictSame(failing, [])
  const { response } = await app.inject({ url: '/', headers: HTML }).then(async () => open('/number'))
  t.match(response.headers.get('content-type'), 'application/x-ndjson')
  t.match(log.errors().at(-1), {
    phase: 'load',
    route: '/[name]',
    err: { message: /"live" of pages\/\[name\]\.server\.ts must return a list of at most 100 topics.*got 7/ },
  })
})

t.test('a page and its layouts have at most 100 topics, none of which counts twice', async (t) => {
  const { open, publish } = await start(t, {
    '/layout': { live: () => many(60) },
    '/same': { live: () => many(60) },
    '/full': { live: () => many(40, 'other') },
    '/over': { live: () => many(41, 'other') },
    '/none': { live: () => [] },
  })
  const statuses = ['/same', '/full', '/over', '/none'].map(async (path) => (await open(path)).response.status)
  t.strictSame(await Promise.all(statuses), [200, 200, 500, 200])
  const { refreshed } = await open('/full')
  await publish('other-39')
  await refreshed(1)
})

t.test('a function that hangs ends with the time of a load', async (t) => {
  let opening = () => {}
  const hanging = new Promise<string[]>((resolve) => {
    opening = () => resolve(['board'])
  })
  const { open, log, app } = await start(t, { '/': { live: () => hanging } }, { timeouts: { loadMs: 50 } })
  const { response, ended } = await open('/')
  t.equal(response.status, 504)
  await ended
  t.match(log.errors(), [{ phase: 'load', err: { code: 'HYD_LOAD_TIMEOUT' } }])
  opening()
  await app.live.publish('board')
  t.equal(log.errors().length, 1)
})

const ENDS = {
  'returns topics': () => ['board'],
  'throws the reason of the abort': ({ reason }: AbortSignal) => {
    throw reason
  },
}

for (const [way, end] of Object.entries(ENDS)) {
  t.test(`a client that leaves before its topics are known leaves nothing if the function ${way}`, async (t) => {
    let reached = () => {}
    let go = () => {}
    const waiting = new Promise<void>((resolve) => {
      reached = resolve
    })
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const site: SiteModules = {
      '/': {
        live: async ({ url, signal }: LoadContext) => {
          if (url.search !== '') return ['board']
          reached()
          await gate
          return end(signal)
        },
      },
    }
    const { origin, open, log } = await start(t, site, { logRequests: true, limits: { maxLiveStreams: 1 } })
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const headers = Object.entries({ host: 'localhost', ...EVENTS, ...NAVIGATION }).map((pair) => pair.join(': '))
    socket.write(`GET ${marked('/')} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    await waiting
    socket.destroy()
    await until(() => log.lines.some(({ msg }) => msg === 'request aborted'))
    go()
    const { response } = await open('/?other')
    t.equal(response.status, 200, 'it holds no place')
    t.strictSame(log.errors(), [])
  })
}

t.test('a stream holds no render, and counts where it ends', async (t) => {
  const { open, get, log, publish } = await start(t, board, { logRequests: true, limits: { maxRenders: 1 } })
  const streams = await Promise.all([1, 2, 3].map(() => open('/')))
  t.equal((await get('/')).statusCode, 200)
  await publish('board')
  for (const { refreshed, leave, ended } of streams) {
    await refreshed(1)
    leave()
    await ended
  }
  const ends = () => log.lines.filter(({ msg }) => msg === 'stream ended')
  await until(() => ends().length === 3)
  t.match(ends()[0], { statusCode: 200, method: 'GET', url: '/' })
  t.strictSame(
    log.lines.filter(({ msg, level }) => level > 30 || /abort|premature/.test(msg)),
    [],
  )
})

t.test('above a limit, the response is a 503 that says when to come again', async (t) => {
  const { open, get, log } = await start(t, board, { logRequests: true, limits: { maxLiveStreams: 2 } })
  const [first, second] = [await open('/'), await open('/')]
  const refused = await open('/')
  t.equal(refused.response.status, 503)
  t.equal(refused.response.headers.get('retry-after'), '60')
  t.match(refused.response.headers.get('cache-control'), 'no-store')
  t.equal(refused.response.headers.get(BUILD_HEADER), NAVIGATION[BUILD_HEADER], 'it is no other build')
  await refused.ended
  await until(() => log.lines.some(({ msg, statusCode }) => msg === 'request completed' && statusCode === 503))
  t.notOk(log.lines.some(({ msg }) => msg === 'stream ended'))
  t.equal((await get('/')).statusCode, 200, 'pages are served')
  await until(() => log.lines.some(({ msg }) => msg.startsWith('refused with 503')))
  const { msg, level } = log.lines.find((line) => line.msg.startsWith('refused with 503')) ?? { msg: '', level: 0 }
  t.equal(level, 40)
  t.match(msg, '1 stream of live pages, because 2 are open in this process (raise "limits.maxLiveStreams")')
  first.leave()
  await first.ended
  await until(async () => (await open('/')).response.status === 200)
  second.leave()
})

t.test('the hooks of server.ts run for a stream, and see no mark', async (t) => {
  const seen: string[] = []
  const server = async (app: FastifyInstance) => {
    app.addHook('onRequest', async (request, reply) => {
      seen.push(`onRequest ${request.method} ${request.url}`)
      if (request.headers['x-refuse']) return reply.code(401).send('who are you')
    })
    app.addHook('preHandler', async ({ url }) => void seen.push(`preHandler ${url}`))
    app.addHook('onSend', async (_request, reply, payload) => {
      reply.header('x-site', 'yes').header('cache-control', 'public, max-age=60')
      return payload
    })
  }
  const { open } = await start(t, board, { server })
  const { response } = await open('/?a=1')
  t.equal(response.headers.get('x-site'), 'yes')
  t.match(response.headers.get('cache-control'), 'no-store')
  t.notMatch(response.headers.get('cache-control'), 'public')
  t.strictSame(seen, ['onRequest GET /?a=1', 'preHandler /?a=1'])
  const refused = await open('/', { 'x-refuse': '1' })
  t.equal(refused.response.status, 401)
  t.notMatch(await refused.ended, 'retry')
})

t.test('a hook that fails while it sends a stream leaves nothing behind', async (t) => {
  const server = async (app: FastifyInstance) => {
    app.addHook('onSend', async ({ headers }) => {
      if (headers['x-fail']) throw new Error('no sending')
    })
  }
  const { open, log } = await start(t, board, { server, limits: { maxLiveStreams: 1 } })
  const failed = await open('/', { 'x-fail': '1' })
  t.equal(failed.response.status, 500)
  await failed.ended
  t.equal(log.errors().length, 1)
  t.equal((await open('/')).response.status, 200, 'the place is free')
})

t.test('publish() takes topics, and nothing else', async (t) => {
  const { app, open } = await start(t, board)
  const { text } = await open('/')
  await until(text)
  const publish = app.live.publish as (...topics: unknown[]) => Promise<unknown>
  const wrong = [[], [''], [7], [null], [undefined], [['board']], ['board', ''], ['board', {}], [Symbol('board')]]
  const taken = await findFailing(
    wrong,
    (topics) =>
      publish(...topics).then(
        () => 'published',
        ({ code }) => code,
      ),
    () => 'HYD_LIVE_TOPIC',
  )
  t.strictSame(taken, [])
  t.equal(countRefreshes(text()), 0, 'not even the right one among them')
  t.strictSame(await app.live.publish('board'), { isRecorded: true })
})

t.test('an invalidation is the same as a publication', async (t) => {
  const { app, open } = await start(t, { '/[id]': { live: () => ['board'] }, '/': { live: () => ['board'] } })
  const [one, index] = [await open('/7?q=1'), await open('/')]
  await app.pageCache.invalidate({ tags: ['board'] })
  await one.refreshed(1)
  await index.refreshed(1)
  await app.pageCache.invalidate({ path: '/7' })
  await one.refreshed(2)
  await app.pageCache.clear()
  await one.refreshed(3)
  await index.refreshed(2)
  t.equal(countRefreshes(index.text()), 2)
})

t.test('an action that publishes has the later position in its own response', async (t) => {
  const { app, get, open } = await start(t, {
    '/': {
      live: () => ['board'],
      load: () => 1,
      action: async ({ app }: LoadContext) => {
        await app.live.publish('board')
        return { ok: true }
      },
    },
  })
  const before = String(positionOf(await get('/')))
  const send = (url: string, headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' },
      payload: 'text=hello',
    })
  const [line] = pick(linesOfResponse(await send(marked('/'), NAVIGATION)), 'start')
  const after = String(line?.[1].live)
  t.equal(after, before.replace('.0', '.1'))
  const stream = await open('/', { 'last-event-id': after })
  await until(stream.text)
  t.equal(countRefreshes(stream.text()), 0, 'so its page does not refresh again')
  await (await open('/', { 'last-event-id': before })).refreshed(1)
  t.equal(positionOf(await send('/', HTML)), before.replace('.0', '.2'), 'also without scripts')
})

t.test('a page that is stored is live', async (t) => {
  let loads = 0
  const { get, navigate, open, publish, app } = await start(
    t,
    {
      '/tagged': { live: () => ['board'], cache: { maxAgeS: 600, tags: ['board'] }, load: () => ++loads },
      '/shell': {
        live: () => ['board'],
        cache: { maxAgeS: 600, tags: ['board'] },
        load: () => 1,
        loadVisitor: ({ request }: LoadContext) => request.headers['x-user'],
      },
    },
    { pageCache: { header: true } },
  )
  for (const path of ['/tagged', '/shell']) {
    const first = await get(path)
    t.equal((await get(path)).headers['hydrant-cache'], 'hit')
    t.equal(positionOf(await get(path)), positionOf(first), path)
    const stream = await open(path, { 'last-event-id': String(positionOf(first)) })
    t.match(stream.response.headers.get('content-type'), 'text/event-stream')
    t.match(stream.response.headers.get('cache-control'), 'no-store')
    await until(stream.text)
    t.equal(countRefreshes(stream.text()), 0)
    await publish('board')
    await stream.refreshed(1)
    const again = await navigate(path)
    t.equal(again.headers['hydrant-cache'], 'miss', 'what was published is not served again')
    t.equal(positionOf(again), positionIn(stream.text()), path)
    t.equal(positionOf(await get(path)), positionOf(again))
    stream.leave()
  }
  t.equal(loads, 3)
  const before = positionOf(await get('/tagged'))
  await app.pageCache.invalidate({ path: '/tagged' })
  await (await open('/tagged', { 'last-event-id': String(before) })).refreshed(1)
})

const stored: SiteModules = {
  '/page': { live: () => ['board'], cache: { maxAgeS: 600, tags: ['board'] }, load: () => 1 },
  '/shell': { live: () => ['board'], cache: { maxAgeS: 600, tags: ['board'] }, load: () => 1, loadVisitor: () => 1 },
  '/now': { live: () => ['board'] },
}

t.test('a refresh takes no stored response that is older than what its page was told of', async (t) => {
  const { get, navigate, app } = await start(t, stored, { pageCache: { header: true } })
  const [first, other] = [positionOf(await navigate('/page')), positionOf(await navigate('/shell'))]
  t.equal(first, other)
  const at = (number: number) => String(first).replace('.0', `.${number}`)
  const refresh = async (told: string, path = '/page') => {
    const response = await navigate(path, { [REFRESH_HEADER]: told })
    return [response.headers['hydrant-cache'], positionOf(response)]
  }
  // The counter of the site grows, and nothing has changed for these pages.
  await app.pageCache.invalidate({ tags: ['else'] })
  for (const told of [at(0), NO_POSITION, 'other.1', '', '.', 'x'.repeat(1_000)])
    t.strictSame(await refresh(told), ['hit', at(0)], told)
  t.strictSame(await refresh(at(1)), ['miss', at(1)])
  t.strictSame(await refresh(at(1)), ['hit', at(1)])
  t.strictSame(await refresh(at(99)), ['hit', at(1)], 'no response could be newer')
  await app.pageCache.invalidate({ tags: ['else'] })
  t.strictSame(await refresh(at(99)), ['miss', at(2)])
  t.strictSame(await refresh(at(0), '/shell'), ['hit', at(0)])
  t.strictSame(await refresh(at(2), '/shell'), ['miss', at(2)])
  const document = await get('/page', { ...HTML, [REFRESH_HEADER]: at(2) })
  const again = await get('/page', { ...HTML, [REFRESH_HEADER]: at(99) })
  t.equal(again.headers['hydrant-cache'], 'hit')
  t.equal(positionOf(again), positionOf(document))
})

t.test('nor does it take one of another process', async (t) => {
  const createBackend = createMemoryBackends(1_000_000)
  const openCacheStore = () => createStore(t, { backend: createBackend() })
  const options = { pageCache: { header: true }, openCacheStore }
  const one = await start(t, stored, options)
  const other = await start(t, stored, options)
  const first = positionOf(await one.navigate('/page'))
  await one.app.pageCache.invalidate({ tags: ['else'] })
  const told = await until(async () => {
    const position = positionOf(await other.get('/now'))
    return position === first ? null : position
  })
  const refreshed = await other.navigate('/page', { [REFRESH_HEADER]: String(told) })
  t.equal(refreshed.headers['hydrant-cache'], 'miss')
  t.equal(positionOf(refreshed), told)
})

t.test('a page that was rendered in the background is live', async (t) => {
  const { get, navigate, open, publish } = await start(t, {
    '/': { live: () => ['board'], cache: { maxAgeS: 0, staleS: 600 }, load: () => 1 },
  })
  for (const ask of [get, navigate]) {
    const stale = positionOf(await ask('/'))
    await publish('board')
    const position = await until(async () => {
      const found = positionOf(await ask('/'))
      return found === stale ? null : String(found)
    })
    const { text, leave } = await open('/', { 'last-event-id': position })
    await until(text)
    t.equal(positionIn(text()), position)
    t.equal(countRefreshes(text()), 0)
    leave()
  }
})

t.test('a page that the build has rendered is not live, also in a live layout', async (t) => {
  const dir = await buildForBrowser(t.testdir({}), {
    'pages/layout.tsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
    'pages/layout.server.ts': "export const live = () => ['board']\n",
    'pages/index.tsx': 'export default () => <p>live</p>\n',
    'pages/about.tsx': 'export const prerender = true\nexport default () => <p>of the build</p>\n',
  })
  const { app, get } = await serve(t, dir, { pageCache: { header: true } })
  const origin = await listen(t, app)
  t.match(positionOf(await get('/')), /\.0$/)
  const about = await get('/about')
  t.equal(about.headers['hydrant-cache'], 'hit')
  t.equal(positionOf(about), undefined)
  const { response } = await openStream(`${origin}/about`, { ...NAVIGATION, ...ofBuild(dir) })
  t.equal(response.status, 204)
})

t.test('an app of one’s own that drains ends its streams', async (t) => {
  const app = Fastify()
  await app.register(hydrant, { dir: writeTestSite(t.testdir({}), board), ledger: false })
  const drain = addDraining(app)
  const origin = await listen(t, app)
  const streams = await Promise.all([1, 2, 3].map(() => openStream(`${origin}/`, NAVIGATION)))
  for (const { text } of streams) await until(text)
  await drain()
  await app.live.publish('board')
  await app.close()
  for (const { ended } of streams) t.match(await ended, /\n\nretry: \d+\n\n$/)
})

t.test('pages that become live, and pages of a development server', async (t) => {
  const { get, open, publish } = await start(t, { ...board, '/plain': {} }, { mode: 'development' })
  const position = String(positionOf(await get('/')))
  t.match(position, /\.0$/)
  const { refreshed } = await open('/', { 'last-event-id': position })
  await publish('board')
  await refreshed(1)
  t.equal((await open('/plain')).response.status, 204)
})

t.test('when the server closes, streams end with the time after which browsers come again', async (t) => {
  const { app, open } = await start(t, board)
  const streams = await Promise.all(Array.from({ length: 20 }, () => open('/')))
  for (const { text } of streams) await until(text)
  await app.close()
  const texts = await Promise.all(streams.map(({ ended }) => ended))
  t.strictSame(
    texts.filter((text) => !/\n\nretry: \d+\n\n$/.test(text)),
    [],
  )
})

t.test('in an app of one’s own, with a base, two sites and HTTP/2', async (t) => {
  const app = Fastify({ http2: true })
  const live = (topic: string) => ({ '/board': { live: () => [topic] } })
  const folder = t.testdir({})
  const one = writeTestSite(join(folder, 'one'), live('one'))
  const other = writeTestSite(join(folder, 'other'), live('other'))
  await app.register(hydrant, { dir: one, base: '/one', ledger: false })
  await app.register(hydrant, { dir: other, base: '/other', ledger: false })
  app.post('/publish', async () => app.live.publish('one'))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  const { port } = new URL(app.listeningOrigin)
  const client = connectHttp2(`http://127.0.0.1:${port}`)
  t.teardown(() => client.destroy())
  const open = async (path: string) => {
    const stream = client.request({ ':path': marked(path), ...EVENTS, ...NAVIGATION })
    const opened = { stream, text: '', headers: {} as Record<string, unknown> }
    stream.setEncoding('utf8').on('data', (part) => {
      opened.text += part
    })
    const [headers] = await once(stream, 'response')
    Object.assign(opened, { headers })
    await until(() => opened.text)
    return opened
  }
  const [first, second] = [await open('/one/board'), await open('/other/board')]
  t.match(first.headers, { ':status': 200, 'content-type': /^text\/event-stream/ })
  t.strictSame((await app.inject({ method: 'POST', url: '/publish' })).json(), { isRecorded: true })
  await until(() => countRefreshes(first.text))
  t.equal(countRefreshes(second.text), 0)
  await app.live.publish('other')
  await until(() => countRefreshes(second.text))
  await app.live.publish('one', 'other')
  await until(() => countRefreshes(first.text) === 2 && countRefreshes(second.text) === 2)
})
