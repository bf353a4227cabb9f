// The header, the log, the metrics and the console of the page cache, in an app that has two sites.

import Fastify from 'fastify'
import t from 'tap'
import type { CacheReport } from '../../../src/server/admin/cache-report.ts'
import { type GuardContext, HttpError, hydrant, type LoadContext } from '../../../src/server/index.ts'
import { writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { createLog, HTML } from '../served.ts'

const Component = ({ data }: { data: { text: unknown } }) => <p>{String(data.text)}</p>
const load = () => ({ text: 1 })
const dir = writeTestSite(t.testdir({}), {
  '/': {},
  '/products/[id]': {
    Component,
    cache: { maxAgeS: 60, tags: ({ params }: { params: { id: string } }) => ['product', `product:${params.id}`] },
    load: ({ params }: LoadContext<'/products/[id]'>) => ({ text: params.id }),
  },
  '/stale': { Component, cache: { maxAgeS: 0, staleS: 60 }, load },
  '/visitor': {
    Component,
    cache: { maxAgeS: 60 },
    load: ({ request }: LoadContext) => ({ text: request.headers.cookie }),
  },
  '/dated': {
    Component,
    cache: { maxAgeS: 60, tags: ['dated'] },
    load,
  },
  '/fails': {
    cache: { maxAgeS: 60 },
    load() {
      throw new Error('fails')
    },
  },
  '/members': {
    Component,
    guard({ request }: GuardContext) {
      if (!request.headers['x-member']) throw new HttpError(403, 'No.')
    },
    cache: { maxAgeS: 60, tags: ['secret'] },
    load,
  },
})

async function createApp(pageCache: object) {
  const { lines, logger } = createLog()
  const app = Fastify({ logger: { ...logger, level: 'debug' } })
  t.teardown(() => app.close())
  app.addHook('onRequest', async ({ url }, reply) => {
    if (url === '/dated') reply.header('cache-control', 'public, s-maxage=5')
  })
  await app.register(hydrant, { dir, ledger: false, pageCache })
  await app.register(hydrant, { dir, ledger: false, pageCache, base: '/second' })
  const admin = { prefix: '/ops', token: 'a-token-of-the-operators', readToken: 'a-token-for-reading' }
  await app.register(hydrant.admin, admin)
  const ask = async (url: string, method: 'GET' | 'POST' = 'GET', token = admin.token) => {
    const response = await app.inject({ method, url: `/ops${url}`, headers: { authorization: `Bearer ${token}` } })
    return { ...response, status: response.statusCode, body: response.body }
  }
  return {
    app,
    lines,
    ask,
    report: async () => JSON.parse((await ask('/api/cache')).body) as CacheReport,
    get: (url: string, headers = {}) => app.inject({ url, headers: { ...HTML, ...headers } }),
    resultOf: async (url: string, headers = {}) =>
      (await app.inject({ url, headers: { ...HTML, ...headers } })).headers['hydrant-cache'],
  }
}

t.test('header, log, metrics and console say what the cache does', async (t) => {
  const { app, lines, ask, report, resultOf } = await createApp({ header: true })
  t.match(await report(), { entries: 0, bytes: 0, tags: [] })
  t.strictSame(
    (await report()).routes.find(({ route }) => route === '/stale'),
    {
      ...{ route: '/stale', entries: 0, bytes: 0, hitRate: null },
      responses: { hit: 0, stale: 0, miss: 0, pass: 0 },
    },
  )
  t.equal(await resultOf('/products/1'), 'miss')
  t.equal(await resultOf('/products/1'), 'hit')
  t.equal(await resultOf('/products/1', { accept: 'application/json' }), 'miss', 'another form')
  t.equal(await resultOf('/products/2'), 'miss')
  t.equal(await resultOf('/second/products/1'), 'miss')
  t.equal(await resultOf('/stale'), 'miss')
  t.equal(await resultOf('/stale'), 'stale')
  t.equal(await resultOf('/visitor'), 'pass')
  t.equal(await resultOf('/visitor'), 'pass', 'it is not tried again for a while')
  t.equal(await resultOf('/fails'), 'pass')
  t.equal(await resultOf('/members', { 'x-member': 'yes' }), 'miss')
  t.equal(await resultOf('/members', { 'x-member': 'yes' }), 'hit')
  t.equal(await resultOf('/members'), undefined, 'the cache was not asked')
  t.equal(await resultOf('/'), undefined, 'a page without `cache`')
  const logged = lines.filter(({ msg }) => msg.startsWith('page cache: '))
  t.match(logged[1], { level: 20, msg: 'page cache: hit', route: '/products/[id]', cache: 'hit' })
  t.equal(logged.length, 12)

  const { body } = await ask('/metrics')
  for (const line of [
    'hydrant_cache_responses_total{route="/products/[id]",result="hit"} 1',
    'hydrant_cache_responses_total{route="/products/[id]",result="miss"} 4',
    'hydrant_cache_responses_total{route="/stale",result="stale"} 1',
    'hydrant_cache_responses_total{route="/visitor",result="pass"} 2',
    'hydrant_cache_responses_total{route="/fails",result="pass"} 1',
    'hydrant_cache_refused_total{route="/visitor",reason="read"} 1',
    'hydrant_cache_evictions_total 0',
    'hydrant_cache_invalidations_total 0',
    'hydrant_cache_entries 6',
  ]) {
    t.ok(body.includes(`\n${line}\n`), line)
  }
  const full = await report()
  t.equal(full.entries, 6)
  t.match(body, `\nhydrant_cache_bytes ${full.bytes}\n`)
  t.match(
    full.routes.find(({ route }) => route === '/products/[id]'),
    { entries: 4, hitRate: 0.2 },
  )
  t.match(full.tags.slice(0, 2), [
    { tag: 'product', entries: 4 },
    { tag: 'product:1', entries: 3 },
  ])
  t.strictSame(await ask('/cache').then(({ status }) => status), 200)

  t.equal((await ask('/api/cache/empty', 'POST', 'a-token-for-reading')).status, 403)
  t.equal((await report()).entries, 6, 'a read-only token empties nothing')
  await app.pageCache.invalidate({ tags: ['product:2'] })
  t.equal((await report()).entries, 5)
  const emptied = await ask('/api/cache/empty', 'POST')
  t.match(JSON.parse(emptied.body), { entries: 0, bytes: 0, tags: [] })
  t.equal(await resultOf('/products/1'), 'miss')
  // One call for each site.
  t.match((await ask('/metrics')).body, '\nhydrant_cache_invalidations_total 4\n')
})

t.test('a response that others wait for is rendered once, and is a hit for them', async (t) => {
  const { resultOf } = await createApp({ header: true })
  const results = await Promise.all(Array.from({ length: 5 }, () => resultOf('/products/1')))
  t.strictSame(results.sort(), ['hit', 'hit', 'hit', 'hit', 'miss'])
})

t.test('pages that are dropped because the memory is full are counted', async (t) => {
  const { get, ask } = await createApp({ maxBytes: 20_000 })
  for (let id = 0; id < 20; id++) await get(`/products/${id}`)
  await until(async () => /^hydrant_cache_evictions_total [1-9]/m.test((await ask('/metrics')).body))
  t.match((await ask('/metrics')).body, /^hydrant_cache_entries [1-9]$/m)
})

t.test('tags go into the header that the CDN reads, and never with a guard', async (t) => {
  const { get } = await createApp({ tagHeader: 'surrogate-key' })
  const { headers } = await get('/products/1')
  t.match(headers, { 'surrogate-key': 'product product:1 path:/products/1', 'cache-tag': undefined })
  t.notOk('hydrant-cache' in headers, 'only if the option is set')
  const guarded = await get('/members', { 'x-member': 'yes' })
  t.equal(guarded.statusCode, 200)
  for (const name of ['surrogate-key', 'cache-tag', 'age']) t.notOk(name in guarded.headers, name)
  t.notMatch(guarded.headers['cache-control'], 'public')
})

t.test('a shared cache also gets the tags if a hook says how long it may keep the page', async (t) => {
  const { get } = await createApp({})
  for (const response of [await get('/dated'), await get('/dated')]) {
    t.match(response.headers, { 'cache-control': 'public, s-maxage=5', 'cache-tag': 'dated,path:/dated' })
    t.notOk('age' in response.headers)
  }
})

t.test('without cached pages, the console says so', async (t) => {
  const { ask, report } = await createApp({ maxBytes: 0 })
  t.strictSame(await report(), { entries: 0, bytes: 0, evictions: 0, invalidations: 0, routes: [], tags: [] })
  const { body } = await ask('/cache')
  t.match(body, 'No page of this site is cached.')
  t.notMatch(body, 'Empty the cache')
})
