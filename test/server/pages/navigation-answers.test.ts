// The response to a navigation if something other than a page's data responds, and its caching headers.

import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import Fastify, { type FastifyInstance, type FastifyReply, type LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { hydrant, type LoadContext } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, testSite, writeTestSite } from '../../test-site.ts'
import { linesOfResponse, marked } from '../lines.ts'
import { HTML } from '../served.ts'

const KEPT = {
  'cache-control': 'public, max-age=600',
  expires: 'Thu, 01 Jan 2099 00:00:00 GMT',
  'cdn-cache-control': 'max-age=600',
  'cloudflare-cdn-cache-control': 'max-age=600',
  'surrogate-control': 'max-age=600',
  'x-accel-expires': '600',
}
const LINES = '["redirect","https://evil.example/"]\n'
const streams: Readable[] = []

function openStream(): Readable {
  const stream = new Readable({ read() {} })
  stream.push(LINES)
  streams.push(stream)
  return stream
}

/** Ways in which a hook, a load or an action sends a response itself. */
const replies: Record<string, (reply: FastifyReply) => FastifyReply> = {
  lines: (reply) => reply.type('application/x-ndjson').header('hydrant-build', 'any').send(LINES),
  stream: (reply) => reply.type('application/x-ndjson').send(openStream()),
  bytes: (reply) =>
    reply
      .header('content-encoding', 'gzip')
      .header('content-length', 2)
      .send(Buffer.from([1, 2])),
  page: (reply) => reply.type('text/html').send('<h1>mine</h1>'),
  nothing: (reply) => reply.code(204).send(),
  unchanged: (reply) => reply.code(304).send(),
  redirect: (reply) => reply.redirect('/elsewhere'),
  again: (reply) => reply.redirect('/elsewhere', 307),
  refused: (reply) => reply.code(401).header('www-authenticate', 'Basic').send('who are you?'),
  busy: (reply) => reply.code(503).header('retry-after', '1').send('busy'),
}
const answer = async ({ url, reply }: LoadContext) => void (await replies[url.search.slice(1)]?.(reply.headers(KEPT)))
const action = () => 'acted'

const site = {
  '/': {},
  '/kept': { load: ({ reply }: LoadContext) => void reply.headers(KEPT) },
  '/fails': {
    load({ reply }: LoadContext) {
      reply.headers(KEPT)
      throw new Error('broken')
    },
  },
  '/sends': { stream: false, load: answer },
  '/acts': { action: answer },
  '/acted': { stream: false, action, load: answer },
  '/early': { action, load: answer },
  '/hooked': { action },
}

async function server(app: FastifyInstance) {
  app.addHook('preHandler', async ({ url }, reply) => {
    if (url.startsWith('/hooked?')) return replies[url.slice(8)]?.(reply)
  })
}

const headers: Record<string, string> = { ...HTML, ...navigationHeaders() }

const app = Fastify()
app.addHook('onSend', async (_request, reply, payload) => {
  reply.headers(KEPT)
  return payload
})
await app.register(hydrant, { dir: writeTestSite(t.testdir({}), site, { server }), ledger: false })
t.teardown(() => app.close())

const UNCACHED = {
  'cache-control': 'private, no-store',
  expires: undefined,
  'cdn-cache-control': 'no-store',
  'cloudflare-cdn-cache-control': undefined,
  'surrogate-control': 'no-store',
  'x-accel-expires': '0',
}
/** Returns the caching headers of a response. */
const caching = ({ headers }: LightMyRequestResponse) =>
  Object.fromEntries(Object.keys(UNCACHED).map((name) => [name, headers[name]]))

const isMarked = ({ headers: said }: LightMyRequestResponse) => said['hydrant-build'] === headers['hydrant-build']

t.test('no response to a navigation is stored, whatever a load, a hook or the app sets', async (t) => {
  const others: unknown[] = []
  for (const method of ['GET', 'POST', 'HEAD'] as const) {
    for (const path of ['/', '/kept', '/fails', '/acts?page', '/hooked?page', '/nowhere', '/_hydrant/assets/x.js']) {
      for (const sent of [headers, { ...headers, 'hydrant-build': 'other' }, HTML]) {
        const found = caching(await app.inject({ method, url: marked(path), headers: sent }))
        if (!isDeepStrictEqual(found, UNCACHED)) others.push({ method, path, sent, found })
      }
    }
  }
  t.strictSame(others, [])
  const document = await app.inject({ url: '/kept', headers: HTML })
  t.equal(document.headers['cache-control'], KEPT['cache-control'], 'a document is what the app says')
  t.notOk('hydrant-build' in document.headers)
})

t.test('if a load or a hook sends a response itself, the browser is told to load the document', async (t) => {
  const failing = await findFailing(
    Object.keys(replies).flatMap((way) => ['/sends', '/hooked'].map((path) => ({ way, path }))),
    async ({ way, path }) => {
      const response = await app.inject({ url: marked(`${path}?${way}`), headers })
      const { 'content-encoding': encoding, location } = response.headers
      const lines = linesOfResponse(response)
      return [response.statusCode, lines, isMarked(response), encoding, location, caching(response)]
    },
    ({ way }) => [{ refused: 401, busy: 503 }[way] ?? 200, [['load']], true, undefined, undefined, UNCACHED],
  )
  t.strictSame(failing, [])
  t.ok(streams.length > 0 && streams.every(({ destroyed }) => destroyed), 'what is not sent is closed')
})

/** With 307 the browser sends the form again, to the redirect's target. */
const REDIRECTS: Record<string, unknown[]> = {
  redirect: [['redirect', '/elsewhere']],
  again: [['redirect', '/elsewhere', 1]],
}

t.test('if a hook responds before an action, no action was called and the form may be sent again', async (t) => {
  const failing = await findFailing(
    Object.keys(replies),
    async (way) => {
      const response = await app.inject({ method: 'POST', url: marked(`/hooked?${way}`), headers })
      return [response.headers['hydrant-acted'], linesOfResponse(response), isMarked(response)]
    },
    (way) => [undefined, REDIRECTS[way] ?? [['load']], true],
  )
  t.strictSame(failing, [])
})

t.test('an action that was called is never called again, whatever responds instead', async (t) => {
  const ways = Object.keys(replies).filter((name) => name !== 'stream')
  const failing = await findFailing(
    ways.flatMap((way) => ['/acts', '/acted'].map((path) => ({ way, path }))),
    async ({ way, path }) => {
      const response = await app.inject({ method: 'POST', url: marked(`${path}?${way}`), headers })
      // Without the header, the response is not read as lines.
      const { 'hydrant-acted': acted, 'hydrant-build': build } = response.headers
      return [acted, REDIRECTS[way] ? linesOfResponse(response) : build, caching(response)]
    },
    ({ way }) => ['1', REDIRECTS[way], UNCACHED],
  )
  t.strictSame(failing, [])
})

t.test('nor after the result of the action has been sent', async (t) => {
  const failing = await findFailing(
    Object.keys(replies).filter((name) => name !== 'stream'),
    async (way) => {
      const response = await app.inject({ method: 'POST', url: marked(`/early?${way}`), headers })
      return [response.headers['hydrant-acted'], caching(response)]
    },
    () => ['1', UNCACHED],
  )
  t.strictSame(failing, [])
})

t.test('a visitor who opens a URL with the marker is redirected to the URL without it', async (t) => {
  const urls = [
    ['/kept?_hydrant', './kept'],
    ['/kept?a=b&_hydrant', './kept?a=b'],
    ['/?_hydrant', './'],
    ['/a/b/?_hydrant&c', './?c'],
    ['//evil.example/?_hydrant', './'],
    ['//evil.example?_hydrant', './evil.example'],
    ['/a:b?_hydrant', './a:b'],
  ] as const
  const failing = await findFailing(
    urls,
    async ([url]) => {
      const { statusCode, headers } = await app.inject({ url, headers: HTML })
      return [statusCode, headers.location, new URL(`${headers.location}`, `http://shop.example${url}`).host]
    },
    ([, to]) => [302, to, 'shop.example'],
  )
  t.strictSame(failing, [])
  const posted = await app.inject({ method: 'POST', url: '/acts?page&_hydrant', headers: HTML })
  t.strictSame(linesOfResponse(posted), [['load']])
  t.notOk('hydrant-acted' in posted.headers)
})

t.test('a failure before the loads has its line, also if the browser loads the document instead', async (t) => {
  const fail = (message: string) => {
    throw new Error(message)
  }
  const { get, failuresOf } = await testSite(
    t,
    {
      '/layout': { load: ({ url }: LoadContext) => url.searchParams.has('layout') && fail('the layout is broken') },
      '/': {},
      '/plain': { hydrate: false },
      '/guarded/layout': { guard: () => fail('the guard is broken') },
      '/guarded/index': {},
    },
    {
      server: async (app: FastifyInstance) => {
        app.addHook('preHandler', async ({ query }) => {
          if ('hook' in Object(query)) fail('the hook is broken')
        })
      },
    },
  )
  const other = { ...headers, 'hydrant-build': 'other' }
  const failing = await findFailing(
    [
      { path: '/?hook', sent: headers, line: 'shown', told: ['the hook is broken'] },
      { path: '/?hook&layout', sent: headers, line: 'shown', told: ['the hook is broken', 'the layout is broken'] },
      { path: '/?hook', sent: other, line: 'load', told: ['the hook is broken'] },
      { path: '/guarded', sent: other, line: 'load', told: ['the guard is broken'] },
      { path: '/plain?hook', sent: headers, line: 'load', told: ['the hook is broken'] },
      { path: '/guarded/nowhere', sent: headers, line: 'load', told: ['the guard is broken'] },
    ],
    async ({ path, sent }) => {
      const response = await get(marked(path), sent)
      return { line: linesOfResponse(response).at(-1)?.[0], told: failuresOf(response).map(({ err }) => err?.message) }
    },
    ({ line, told }) => ({ line, told }),
  )
  t.strictSame(failing, [])
})
