// Cache poisoning and cache deception (https://portswigger.net/web-security/web-cache-poisoning): one visitor's request
// must not change what other visitors get, and one visitor's values must not reach the others.

import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { BUILD_HEADER, LAYOUTS_HEADER, NAVIGATION_MARK } from '../../src/shared/wire/navigation-protocol.ts'
import { buildFiles, type Files, HTML, JSON_ONLY, type Served, serve } from '../server/served.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'

const SECRET = 'secret-of-alice'

const page = `import { Suspense, use } from 'react'
function Late({ of }) {
  return <p>{use(of)}</p>
}
export default function Page({ data }) {
  return <main>{JSON.stringify(data)}{data?.late ? <Suspense fallback="…"><Late of={data.late} /></Suspense> : null}</main>
}
`
const cached = (name: string, lines: string, rule = '{ maxAgeS: 60, search: ["page"] }'): Files => ({
  [`pages/${name}.tsx`]: page,
  [`pages/${name}.server.ts`]: `import { HttpError, notFound, perRequest, redirect } from 'hydrant'
void [HttpError, notFound, perRequest, redirect]
export const cache = ${rule}
${lines}
`,
})

/** A schema that returns what it gets. */
const ANY = `{ '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: { ...value } }) } }`

const files: Files = {
  'server.ts': `import { AsyncLocalStorage } from 'node:async_hooks'
globalThis.attackStore = new AsyncLocalStorage()
export default async function plugin(app) {
  app.decorateRequest('user', null)
  app.addHook('onRequest', (request, reply, done) => {
    request.user = request.headers['x-user'] ?? null
    attackStore.run({ user: request.user }, done)
  })
  app.addHook('preHandler', async (request, reply) => {
    const { 'x-hook-cookie': cookie, 'x-hook-header': header, 'x-late': late } = request.headers
    if (cookie) reply.header('set-cookie', 'hook=' + cookie)
    if (header) reply.header('x-of-hook', header)
    // A hook that does not wait, such as a lookup of the visitor for a log.
    if (late) globalThis.lateHook = () => reply.header('x-late', late)
  })
  app.addHook('onSend', async (request, reply) => {
    if (request.headers['x-session']) reply.header('set-cookie', 'session=' + request.headers['x-session'])
  })
}
`,
  'pages/open/layout.tsx': 'export default ({ children, data }) => <div>{JSON.stringify(data)}{children}</div>\n',
  'pages/open/layout.server.ts': 'export const load = ({ request }) => ({ of: request.user })\n',
  ...cached('plain', 'export const load = ({ url }) => ({ href: url.href })'),
  ...cached('long', "export const load = () => ({ text: 'x'.repeat(3000) })"),
  ...cached(
    'address',
    'export const load = ({ request, url }) => ({ seen: [request.url, request.originalUrl, request.host, request.hostname, request.protocol, request.port, request.query, request.method, url.href] })',
  ),
  ...cached('schema', `export const search = ${ANY}\nexport const load = ({ search }) => ({ search })`),
  ...cached('items/[id]', 'export const load = ({ params }) => ({ id: params.id })'),
  ...cached('body', 'export const load = ({ request }) => ({ body: request.body ?? null })'),
  ...cached('language', "export const load = ({ request }) => ({ of: request.headers['accept-language'] ?? null })"),
  ...cached('user', 'export const load = ({ request }) => ({ of: request.user })'),
  ...cached(
    'later',
    'export const load = ({ request }) => ({ late: Promise.resolve().then(() => request.user ?? "none") })',
  ),
  ...cached('store', 'export const load = async () => ({ of: attackStore.getStore()?.user ?? null })'),
  ...cached(
    'memo',
    'const user = perRequest(({ request }) => request.headers["x-user"] ?? null)\nexport const guard = (ctx) => void user(ctx)\nexport const load = (ctx) => ({ of: user(ctx) })',
  ),
  ...cached(
    'context',
    "export const guard = ({ request }) => ({ user: request.headers['x-user'] ?? null })\nexport const load = ({ context }) => ({ of: context.user })",
  ),
  ...cached(
    'late-refusal',
    "export const load = () => ({ late: Promise.reject(new HttpError(403, 'refused ' + (globalThis.refused = (globalThis.refused ?? 0) + 1))) })",
  ),
  ...cached(
    'late-missing',
    'export const load = () => ({ late: new Promise((_, reject) => setImmediate(() => { try { globalThis.missed = (globalThis.missed ?? 0) + 1; notFound() } catch (error) { reject(error) } })) })',
  ),
  ...cached('moved', "export const load = ({ url }) => redirect('/plain?from=' + url.host)"),
  ...cached(
    'account/[...rest]',
    'export const load = ({ params, request }) => ({ rest: params.rest, of: request.user })',
  ),
  ...cached(
    'hooked',
    'export const load = () => { globalThis.lateHook?.(); globalThis.lateHook = undefined; return { n: (globalThis.hooked = (globalThis.hooked ?? 0) + 1) } }',
  ),
  ...cached('open/inside', 'export const load = () => ({ inside: true })'),
  ...cached(
    'caching',
    "export const load = ({ reply }) => { reply.header('content-encoding', 'identity'); return { n: (globalThis.caching = (globalThis.caching ?? 0) + 1) } }",
  ),
}

let dir = ''
t.before(async () => {
  dir = await buildFiles(t.testdir(), files)
})

const alice = { 'x-user': SECRET, cookie: `session=${SECRET}`, authorization: `Bearer ${SECRET}` }

/** Returns the whole response as a text, with its headers. */
const all = ({ body, headers }: LightMyRequestResponse) => `${JSON.stringify(headers)}\n${body}`

/** The forms of a page, as headers. */
function formsOf(build: string): Record<string, { mark: string; headers: Record<string, string> }> {
  return {
    document: { mark: '', headers: HTML },
    JSON: { mark: '', headers: JSON_ONLY },
    Markdown: { mark: '', headers: { accept: 'text/markdown' } },
    navigation: { mark: `?${NAVIGATION_MARK}`, headers: { ...HTML, [BUILD_HEADER]: build, [LAYOUTS_HEADER]: '' } },
  }
}

async function buildOf({ get }: Served): Promise<string> {
  return /"build":"([\w-]+)"/.exec((await get('/long')).body)?.[1] ?? ''
}

t.test('no value of a visitor reaches another one, in any form of a page', async (t) => {
  const served = await serve(t, dir)
  const forms = formsOf(await buildOf(served))
  for (const path of [
    '/user',
    '/later',
    '/store',
    '/memo',
    '/context',
    '/language',
    '/body',
    '/account/x.css',
    '/open/inside',
  ]) {
    for (const [form, { mark, headers }] of Object.entries(forms)) {
      const given = { ...headers, ...alice, 'accept-language': SECRET }
      await served.get(path + mark, given)
      await served.get(path + mark, given)
      const other = await served.get(path + mark, headers)
      t.equal(other.statusCode, 200, `${path} ${form}`)
      t.notMatch(all(other), SECRET, `${path} ${form}`)
    }
  }
})

t.test('headers and cookies of hooks are not stored, however late they are set', async (t) => {
  const { get } = await serve(t, dir)
  for (const headers of [{ 'x-late': SECRET }, { 'x-hook-header': SECRET }, { 'x-session': SECRET }]) {
    const own = await get('/hooked', { ...HTML, ...headers })
    t.match(all(own), SECRET)
    t.notMatch(all(await get('/hooked')), SECRET)
  }
})

t.test('a cookie of a hook does not keep the page out of the cache', async (t) => {
  const { get, log } = await serve(t, dir)
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
  const { get, app } = await serve(t, dir)
  const expected = await get('/address')
  for (const name of HIDDEN) {
    for (const value of [SECRET, `/${SECRET}`, 'https', 'POST', 'bytes=0-9', `host=${SECRET}.example;proto=https`]) {
      await app.pageCache.clear()
      await get('/address', { ...HTML, [name]: value })
      const other = await get('/address')
      t.equal(other.body, expected.body, `${name}: ${value}`)
      t.equal(other.statusCode, 200)
      t.notMatch(JSON.stringify(other.headers), SECRET, `${name}: ${value}`)
    }
  }
})

t.test('behind a proxy, the forwarded host is a part of the key', async (t) => {
  const { get } = await serve(t, dir, { trustProxy: true })
  const expected = await get('/address')
  const own = await get('/address', { ...HTML, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' })
  t.match(own.body, 'https://evil.example/address')
  t.equal((await get('/address')).body, expected.body)
  for (const host of ['evil.example, other', 'evil"<script>', `a b`, 'evil.example:99999', '[::1', '']) {
    await get('/address', { ...HTML, 'x-forwarded-host': host })
    const forwarded = await get('/address')
    t.equal(forwarded.body, expected.body, host)
  }
})

t.test('parameters that are not listed are neither visible nor stored, however they are written', async (t) => {
  const { get } = await serve(t, dir)
  for (const path of ['/address', '/schema']) {
    const expected = (await get(`${path}?page=1`)).body
    for (const query of [
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
    ])
      t.equal((await get(`${path}?${query}`)).body, expected, `${path}?${query}`)
    for (const query of [`page=1;page=${SECRET}`, `page=1&page=${SECRET}`, `page=${SECRET}%23`])
      await get(`${path}?${query}`)
    t.equal((await get(`${path}?page=1`)).body, expected, path)
  }
})

t.test('the target of a request as bytes: fragments, whole URLs, a body in GET', async (t) => {
  const { app, get } = await serve(t, dir)
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
  for (const target of hidden) {
    await ask(target)
    t.equal((await ask('/address?page=1')).body, expected.body, target)
    await app.pageCache.clear()
  }
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
  const { get } = await serve(t, dir)
  await get('/account/a', { ...HTML, ...alice })
  for (const path of [
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
  ]) {
    const own = await get(path, { ...HTML, ...alice })
    if (own.statusCode === 200) t.notMatch(String(own.headers['cache-control']), 'public', path)
    t.notMatch(all(await get(path)), SECRET, path)
  }
  const [one, two] = [await get('/items/a%2Fb'), await get('/items/a/b')]
  t.match(one.body, 'a/b')
  t.equal(two.statusCode, 404)
  t.match((await get('/items/%61')).body, /"a"|&quot;a&quot;/)
})

t.test('errors, refusals and redirects are not stored', async (t) => {
  const { get } = await serve(t, dir)
  const globals: Record<string, unknown> = globalThis as never
  for (const [path, name] of [
    ['/late-refusal', 'refused'],
    ['/late-missing', 'missed'],
  ] as const)
    for (const headers of [HTML, JSON_ONLY]) {
      const before = Number(globals[name] ?? 0)
      const first = await get(path, headers)
      t.notMatch(String(first.headers['cache-control']), 'public', path)
      await get(path, headers)
      t.equal(globals[name], before + 2, `${path} ${headers.accept}`)
    }
  const moved = await get('/moved', { ...HTML, host: 'evil.example' })
  t.equal(moved.statusCode >= 300 && moved.statusCode < 400, true)
  t.equal(moved.headers['cache-control'], 'no-store')
  t.notMatch(all(await get('/moved')), 'evil')
})

t.test('HEAD, ranges and conditions do not change what is stored', async (t) => {
  const { app, get } = await serve(t, dir)
  await app.inject({ method: 'HEAD', url: '/long', headers: { ...HTML, ...alice } })
  const first = await get('/long', { ...HTML, range: 'bytes=0-3', 'if-range': '"x"' })
  t.equal(first.statusCode, 200)
  t.ok(first.body.length > 3_000)
  const etag = String(first.headers.etag)
  for (const headers of [{ 'if-none-match': etag }, { 'if-none-match': `W/${etag}` }, { 'if-none-match': '*' }])
    t.match(await get('/long', { ...HTML, ...headers }), { statusCode: 304, body: '' })
  for (const headers of [
    { 'if-none-match': etag.slice(0, -1) },
    { 'if-match': '"other"' },
    { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    { range: 'bytes=1-', 'if-range': etag },
    { te: 'trailers', 'accept-encoding': 'identity;q=0, x' },
  ]) {
    const response = await get('/long', { ...HTML, ...headers })
    t.equal(response.statusCode, 200, JSON.stringify(headers))
    t.equal(response.body, first.body)
  }
})

t.test('an encoding is never sent to a client that does not accept it', async (t) => {
  const { get } = await serve(t, dir)
  const plain = await get('/long')
  for (const [accepted, encoding] of [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['BR', 'br'],
    ['deflate', undefined],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['br\u00a0', undefined],
  ] as const) {
    const response = await get('/long', { ...HTML, 'accept-encoding': accepted })
    t.equal(response.headers['content-encoding'], encoding, accepted)
    if (encoding === undefined) t.equal(response.body, plain.body)
  }
})

t.test('each form stays what it is', async (t) => {
  const served = await serve(t, dir)
  const forms = formsOf(await buildOf(served))
  const seen: Record<string, LightMyRequestResponse> = {}
  const orders = [Object.entries(forms), Object.entries(forms).reverse()]
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
  const { get } = await serve(t, dir, { pageCache: { maxBytes: 200_000 } })
  const popular = await get('/caching')
  for (let at = 0; at < 200; at++) {
    await get('/plain', { ...HTML, host: `h${at}.example` })
    if (at % 10 === 0) t.equal((await get('/caching')).headers.etag, popular.headers.etag)
  }
})
