// Cache poisoning and cache deception (https://portswigger.net/web-security/web-cache-poisoning): one visitor's request
// must not change what other visitors get, and one visitor's values must not reach the others.

import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { type ReactNode, Suspense, use } from 'react'
import t from 'tap'
import { HttpError, type LoadContext, notFound, perRequest, redirect } from '../../src/server/index.ts'
import { LAYOUTS_HEADER, NAVIGATION_MARK } from '../../src/shared/wire/navigation-protocol.ts'
import { findFailing } from '../find-failing.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, type TestSiteOptions, testSite } from '../test-site.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'
import { type VisitorContext, visitors, visitorsPlugin } from './visitors-plugin.ts'

const SECRET = 'secret-of-alice'

const Late = ({ of }: { of: Promise<ReactNode> }) => <p>{use(of)}</p>
const Page = ({ data }: { data: { late?: Promise<ReactNode> } }) => (
  <main>
    {JSON.stringify(data)}
    {data.late ? (
      <Suspense fallback="…">
        <Late of={data.late} />
      </Suspense>
    ) : null}
  </main>
)
type Context = VisitorContext & LoadContext
const cached = (load: (ctx: Context) => unknown, more: Record<string, unknown> = {}) => ({
  Component: Page,
  cache: { maxAgeS: 60, search: ['page'] },
  load,
  ...more,
})

/** A schema that returns what it gets. */
const ANY = { '~standard': { version: 1, vendor: 'test', validate: (value: object) => ({ value: { ...value } }) } }

const user = perRequest(({ request }: LoadContext) => request.headers['x-user'] ?? null)
const counts = { refused: 0, missed: 0, hooked: 0, caching: 0 }
let lateHook: (() => void) | undefined

const site = {
  '/open/layout': {
    Component: ({ children, data }: { children: ReactNode; data: unknown }) => (
      <div>
        {JSON.stringify(data)}
        {children}
      </div>
    ),
    load: ({ request }: Context) => ({ of: request.user }),
  },
  '/plain': cached(({ url }) => ({ href: url.href })),
  '/long': cached(() => ({ text: 'x'.repeat(3000) })),
  '/address': cached(({ url }) => {
    const { href, origin, host, hostname, protocol, port, search, searchParams } = url
    return { seen: [href, origin, host, hostname, protocol, port, search, [...searchParams]] }
  }),
  '/schema': cached(({ search }) => ({ search }), { search: ANY }),
  '/items/[id]': cached(({ params }) => ({ id: params.id })),
  '/body': cached(({ request }) => ({ body: request.body ?? null })),
  '/language': cached(({ request }) => ({ of: request.headers['accept-language'] ?? null })),
  '/user': cached(({ request }) => ({ of: request.user })),
  '/later': cached(({ request }) => ({ late: Promise.resolve().then(() => request.user ?? 'none') })),
  '/store': cached(async () => ({ of: visitors.getStore() ?? null })),
  '/memo': cached((ctx) => ({ of: user(ctx) }), { guard: (ctx: LoadContext) => void user(ctx) }),
  '/context': cached(({ context }) => ({ of: context.user }), {
    guard: ({ request }: Context) => ({ user: request.headers['x-user'] ?? null }),
  }),
  '/late-refusal': cached(() => ({ late: Promise.reject(new HttpError(403, `refused ${++counts.refused}`)) })),
  '/late-missing': cached(() => ({
    late: new Promise(setImmediate).then(() => {
      counts.missed++
      notFound()
    }),
  })),
  '/moved': cached(({ url }) => redirect(`/plain?from=${url.host}`)),
  '/account/[...rest]': cached(({ params, request }) => ({ rest: params.rest, of: request.user })),
  '/hooked': cached(() => {
    lateHook?.()
    lateHook = undefined
    return { n: ++counts.hooked }
  }),
  '/open/inside': cached(() => ({ inside: true })),
  '/caching': cached(() => ({ n: ++counts.caching })),
}

async function server(app: FastifyInstance) {
  await visitorsPlugin(app)
  app.addHook('preHandler', async (request, reply) => {
    const { 'x-hook-cookie': cookie, 'x-hook-header': header, 'x-late': late } = request.headers
    if (cookie) reply.header('set-cookie', `hook=${cookie}`)
    if (header) reply.header('x-of-hook', header)
    // A hook that does not wait, such as a lookup of the visitor for a log.
    if (late) lateHook = () => void reply.header('x-late', late)
  })
  app.addHook('onSend', async (request, reply) => {
    if (request.headers['x-session']) reply.header('set-cookie', `session=${request.headers['x-session']}`)
  })
}
const start = (t: Parameters<typeof testSite>[0], options: TestSiteOptions = {}) =>
  testSite(t, site, { server, ...options })

const alice = { 'x-user': SECRET, cookie: `session=${SECRET}`, authorization: `Bearer ${SECRET}` }

/** Returns the whole response as a text, with its headers. */
const all = ({ body, headers }: LightMyRequestResponse) => `${JSON.stringify(headers)}\n${body}`

/** The forms of a page, as headers. */
const FORMS: Record<string, { mark: string; headers: Record<string, string> }> = {
  document: { mark: '', headers: HTML },
  JSON: { mark: '', headers: JSON_ONLY },
  Markdown: { mark: '', headers: { accept: 'text/markdown' } },
  navigation: { mark: `?${NAVIGATION_MARK}`, headers: { ...HTML, ...navigationHeaders(), [LAYOUTS_HEADER]: '' } },
}

t.test('no value of a visitor reaches another one, in any form of a page', async (t) => {
  const served = await start(t)
  const paths = [
    '/user',
    '/later',
    '/store',
    '/memo',
    '/context',
    '/language',
    '/body',
    '/account/x.css',
    '/open/inside',
  ]
  const requests = paths.flatMap((path) =>
    Object.values(FORMS).map(({ mark, headers }) => ({ url: path + mark, headers })),
  )
  const failing = await findFailing(requests, async ({ url, headers }) => {
    const given = { ...headers, ...alice, 'accept-language': SECRET }
    await served.get(url, given)
    await served.get(url, given)
    const other = await served.get(url, headers)
    return other.statusCode === 200 && !all(other).includes(SECRET) ? undefined : all(other)
  })
  t.strictSame(failing, [])
})

t.test('headers and cookies of hooks are not stored, however late they are set', async (t) => {
  const { get } = await start(t)
  for (const headers of [{ 'x-late': SECRET }, { 'x-hook-header': SECRET }, { 'x-session': SECRET }]) {
    const own = await get('/hooked', { ...HTML, ...headers })
    t.match(all(own), SECRET)
    t.notMatch(all(await get('/hooked')), SECRET)
  }
})

t.test('a cookie of a hook does not keep the page out of the cache', async (t) => {
  const { get, log } = await start(t)
  const first = await get('/caching', { ...HTML, 'x-hook-cookie': SECRET })
  t.match(first.headers, { 'set-cookie': `hook=${SECRET}`, 'cache-control': 'private, no-cache' })
  const second = await get('/caching')
  t.notMatch(all(second), SECRET)
  t.equal((await get('/caching')).body, second.body, 'stored by the next visitor')
  const warned = log.lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  t.match(warned, [/caching\.server\.ts is not stored: its response has the header set-cookie/])
})

const HIDDEN = [
  'x-original-url',
  'x-rewrite-url',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-for',
  'x-host',
  'x-http-method-override',
  'x-method-override',
  'forwarded',
  'accept-language',
  'user-agent',
  'origin',
  'referer',
  'range',
  'if-range',
  'if-modified-since',
  'content-type',
  'x-requested-with',
  'accept-charset',
  'save-data',
  'sec-purpose',
  'purpose',
  'traceparent',
  'x-request-id',
]

t.test('no header that is not in the key changes what others get', async (t) => {
  const { get, app } = await start(t)
  const expected = await get('/address')
  const changed: string[] = []
  for (const name of HIDDEN) {
    for (const value of [SECRET, `/${SECRET}`, 'https', 'POST', 'bytes=0-9', `host=${SECRET}.example;proto=https`]) {
      await app.pageCache.clear()
      await get('/address', { ...HTML, [name]: value })
      const other = await get('/address')
      const isSame = other.statusCode === 200 && other.body === expected.body
      if (!isSame || JSON.stringify(other.headers).includes(SECRET)) changed.push(`${name}: ${value}`, all(other))
    }
  }
  t.strictSame(changed, [])
})

t.test('behind a proxy, the forwarded host is a part of the key', async (t) => {
  const { get } = await start(t, { trustProxy: true })
  const expected = await get('/address')
  const own = await get('/address', { ...HTML, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' })
  t.match(own.body, 'https://evil.example/address')
  t.equal((await get('/address')).body, expected.body)
  const failing = await findFailing(
    ['evil.example, other', 'evil"<script>', `a b`, 'evil.example:99999', '[::1', ''],
    async (host) => {
      await get('/address', { ...HTML, 'x-forwarded-host': host })
      return (await get('/address')).body
    },
    () => expected.body,
  )
  t.strictSame(failing, [])
})

t.test('parameters that are not listed are neither visible nor stored, however they are written', async (t) => {
  const { get } = await start(t)
  for (const path of ['/address', '/schema']) {
    const expected = (await get(`${path}?page=1`)).body
    const queries = [
      `page=1&utm=${SECRET}`,
      `utm=${SECRET};page=2&page=1`,
      `page=1&amp;page=${SECRET}`,
      `page=1&Page=${SECRET}`,
      `page=1&page[]=${SECRET}`,
      `page=1&%00page=${SECRET}`,
      `page=1&__proto__=${SECRET}`,
      `%70age=1&x=%26page=${SECRET}`,
      `page=1&page%20=${SECRET}`,
      `page=1&_method=${SECRET}`,
      `page=1&callback=${SECRET}`,
      `page=1#${SECRET}`,
    ]
    const failing = await findFailing(
      queries,
      async (query) => (await get(`${path}?${query}`)).body,
      () => expected,
    )
    t.strictSame(failing, [], path)
    for (const query of [`page=1;page=${SECRET}`, `page=1&page=${SECRET}`, `page=${SECRET}%23`])
      await get(`${path}?${query}`)
    t.equal((await get(`${path}?page=1`)).body, expected, path)
  }
})

t.test('the target of a request as bytes: fragments, whole URLs, a body in GET', async (t) => {
  const { app, get } = await start(t)
  const { port, send } = await listenRaw(t, app)
  const host = `Host: 127.0.0.1:${port}`
  const lines = [host, 'Accept: text/html']
  const ask = async (target: string, headers: string[] = [], body = '') =>
    parseRaw(await send(rawRequest(`GET ${target} HTTP/1.1`, [...lines, ...headers], body)))
  const expected = await ask('/address?page=1')
  t.equal(expected.status, 200)
  await app.pageCache.clear()
  const hidden = [
    `/address?page=1#${SECRET}`,
    `http://${SECRET}.example/address?page=1`,
    `http://${SECRET}@127.0.0.1:${port}/address?page=1`,
  ]
  const failing = await findFailing(
    hidden,
    async (target) => {
      await ask(target)
      const { body } = await ask('/address?page=1')
      await app.pageCache.clear()
      return body
    },
    () => expected.body,
  )
  t.strictSame(failing, [])
  const form = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${SECRET.length + 5}`]
  await ask('/address?page=1', form, `page=${SECRET}`)
  t.equal((await ask('/address?page=1')).body, expected.body)
  await ask('/body', form, `page=${SECRET}`)
  t.notMatch((await ask('/body')).body, SECRET)
  // Broken requests of an attacker, which proxies have stored as errors.
  for (const broken of [
    `X-Big: ${'x'.repeat(20_000)}`,
    'X-Meta: \x01',
    'Cookie: =;;=%%%',
    'Expect: nothing',
    'Content-Length: x',
  ])
    await ask('/address?page=1', [broken])
  const after = await ask('/address?page=1')
  t.equal(after.status, 200)
  t.equal(after.body, expected.body)
  t.match(await get('/plain'), { statusCode: 200 })
})

t.test('other spellings of a path get their own responses', async (t) => {
  const { get } = await start(t)
  await get('/account/a', { ...HTML, ...alice })
  const paths = [
    '/account/x.css',
    '/account/a;x.css',
    '/account/a%2Fx.css',
    '/account/a/..%2fx.js',
    '//account/a',
    '/account//a',
    '/ACCOUNT/a',
    '/account/a%00.css',
    '/account/a%0d%0aSet-Cookie:x',
    '/account/a.',
  ]
  const failing = await findFailing(paths, async (path) => {
    const own = await get(path, { ...HTML, ...alice })
    const isPublic = own.statusCode === 200 && String(own.headers['cache-control']).includes('public')
    const other = all(await get(path))
    return isPublic || other.includes(SECRET) ? { own: all(own), other } : undefined
  })
  t.strictSame(failing, [])
  const [one, two] = [await get('/items/a%2Fb'), await get('/items/a/b')]
  t.match(one.body, 'a/b')
  t.equal(two.statusCode, 404)
  t.match((await get('/items/%61')).body, /"a"|&quot;a&quot;/)
})

t.test('errors, refusals and redirects are not stored', async (t) => {
  const { get } = await start(t)
  for (const [path, name] of [
    ['/late-refusal', 'refused'],
    ['/late-missing', 'missed'],
  ] as const)
    for (const headers of [HTML, JSON_ONLY]) {
      const before = counts[name]
      const first = await get(path, headers)
      t.notMatch(String(first.headers['cache-control']), 'public', path)
      await get(path, headers)
      t.equal(counts[name], before + 2, `${path} ${headers.accept}`)
    }
  const moved = await get('/moved', { ...HTML, host: 'evil.example' })
  t.equal(moved.statusCode >= 300 && moved.statusCode < 400, true)
  t.equal(moved.headers['cache-control'], 'no-store')
  t.notMatch(all(await get('/moved')), 'evil')
})

t.test('HEAD, ranges and conditions do not change what is stored', async (t) => {
  const { app, get } = await start(t)
  await app.inject({ method: 'HEAD', url: '/long', headers: { ...HTML, ...alice } })
  const first = await get('/long', { ...HTML, range: 'bytes=0-3', 'if-range': '"x"' })
  t.equal(first.statusCode, 200)
  t.ok(first.body.length > 3_000)
  const etag = String(first.headers.etag)
  for (const headers of [{ 'if-none-match': etag }, { 'if-none-match': `W/${etag}` }, { 'if-none-match': '*' }])
    t.match(await get('/long', { ...HTML, ...headers }), { statusCode: 304, body: '' })
  const unmatched: Record<string, string>[] = [
    { 'if-none-match': etag.slice(0, -1) },
    { 'if-match': '"other"' },
    { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    { range: 'bytes=1-', 'if-range': etag },
    { te: 'trailers', 'accept-encoding': 'identity;q=0, x' },
  ]
  const failing = await findFailing(
    unmatched,
    async (headers) => {
      const { statusCode, body } = await get('/long', { ...HTML, ...headers })
      return [statusCode, body]
    },
    () => [200, first.body],
  )
  t.strictSame(failing, [])
})

t.test('an encoding is never sent to a client that does not accept it', async (t) => {
  const { get } = await start(t)
  const plain = await get('/long')
  const accepted = [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['BR', 'br'],
    ['deflate', undefined],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['br\u00a0', undefined],
  ] as const
  const failing = await findFailing(
    accepted,
    async ([accept]) => {
      const { headers, body } = await get('/long', { ...HTML, 'accept-encoding': accept })
      const encoding = headers['content-encoding']
      return { encoding, isPlain: encoding === undefined && body === plain.body }
    },
    ([, encoding]) => ({ encoding, isPlain: encoding === undefined }),
  )
  t.strictSame(failing, [])
})

t.test('each form stays what it is', async (t) => {
  const served = await start(t)
  const seen: Record<string, LightMyRequestResponse> = {}
  const orders = [Object.entries(FORMS), Object.entries(FORMS).reverse()]
  for (const order of orders) {
    await served.app.pageCache.clear()
    for (const [form, { mark, headers }] of order) {
      const response = await served.get(`/plain${mark}`, headers)
      if (form !== 'document') t.match(String(response.headers['cache-control']), 'private', form)
      t.equal(response.headers['content-type'], seen[form]?.headers['content-type'] ?? response.headers['content-type'])
      t.equal(response.body, seen[form]?.body ?? response.body, form)
      seen[form] = response
    }
  }
  t.equal(new Set(Object.values(seen).map(({ headers }) => headers['content-type'])).size, 4)
})

t.test('many hosts do not drop the page that is asked for', async (t) => {
  const { get } = await start(t, { pageCache: { maxBytes: 200_000 } })
  const popular = await get('/caching')
  const tags = new Set<unknown>()
  for (let at = 0; at < 200; at++) {
    await get('/plain', { ...HTML, host: `h${at}.example` })
    if (at % 10 === 0) tags.add((await get('/caching')).headers.etag)
  }
  t.strictSame([...tags], [popular.headers.etag])
})
