import { once } from 'node:events'
import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance, type onRequestAsyncHookHandler } from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { createLog, HTML, JSON_ONLY } from '../served.ts'

const failing = (message: string) => ({
  load() {
    throw new Error(message)
  },
})
const folders = t.testdir({ shop: {}, blog: {} })
const shop = writeTestSite(`${folders}/shop`, { '/': failing('the shop broke') })
const blog = writeTestSite(`${folders}/blog`, { '/': failing('the blog broke'), '/same': failing('the same') })

const TOKEN = 'a-token-of-the-operators'
const BEARER = { authorization: `Bearer ${TOKEN}` }
/** The headers of a request of a Hydrant page. */
const NAVIGATION = { 'hydrant-build': 'any' }
const OPERATOR = { 'x-user': 'operator' }

function createApp(t: Pick<Test, 'teardown'>) {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  return { app, log }
}

/** Accepts requests that claim to come from an operator. */
async function askForOperator(request: { headers: Record<string, unknown> }, reply: { code(status: number): void }) {
  if (request.headers['x-user'] === 'operator') return
  reply.code(401)
  throw Object.assign(new Error('Who are you?'), { statusCode: 401 })
}

const get = (app: FastifyInstance, url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

t.test('is not registered if everyone would have access', async (t) => {
  const cases = [
    [{}, 'HYD_ADMIN_UNGUARDED'],
    [{ token: '' }, 'HYD_ADMIN_UNGUARDED'],
    [{ token: 'short' }, 'HYD_OPTION_INVALID'],
    [{ auth: 'nobody' }, 'HYD_OPTION_INVALID'],
    [{ auth: 'app', token: TOKEN }, 'HYD_OPTION_INVALID'],
    [{ token: TOKEN, readToken: 'short' }, 'HYD_OPTION_INVALID'],
    [{ token: TOKEN, readToken: TOKEN }, 'HYD_OPTION_INVALID'],
    [{ readToken: TOKEN }, 'HYD_ADMIN_UNGUARDED'],
    [{ auth: 'none', readToken: TOKEN }, 'HYD_OPTION_INVALID'],
    [{ tokn: TOKEN }, 'HYD_OPTION_UNKNOWN'],
    [{ token: TOKEN, only: 'api' }, 'HYD_OPTION_INVALID'],
    [{ token: TOKEN, site: 7 }, 'HYD_OPTION_INVALID'],
    [{ token: TOKEN, site: '/blog' }, 'HYD_SITE_UNKNOWN'],
    [{ token: TOKEN, prefix: '/' }, 'HYD_BASE_TAKEN'],
  ] as const
  const failing = await findFailing(
    cases,
    async ([options]) => {
      const { app } = createApp(t)
      await app.register(hydrant, { dir: shop, ledger: false })
      // Wrong on purpose, as a JavaScript caller could pass it.
      const given = { prefix: '/ops', ...options } as never
      const error = await Promise.resolve(app.register(hydrant.admin, given)).catch((thrown) => thrown)
      return { code: error?.code, showsToken: String(error).includes(TOKEN) }
    },
    ([, code]) => ({ code, showsToken: false }),
  )
  t.strictSame(failing, [])
  const { app } = createApp(t)
  await t.rejects(async () => app.register(hydrant.admin, { prefix: '/ops', token: TOKEN }), {
    code: 'HYD_SITE_UNKNOWN',
  })
})

t.test('with a token the console, its API and its metrics are below the prefix', async (t) => {
  const { app } = createApp(t)
  await app.register(hydrant, { dir: shop, ledger: 'errors.db', base: '/shop' })
  await app.register(hydrant.admin, { prefix: '/ops', token: TOKEN })
  const failed = await get(app, '/shop', HTML)
  const digest = String(failed.headers['x-error-digest'])
  t.equal(failed.statusCode, 500)

  const refused = await get(app, `/ops/failures/${digest}`, HTML)
  t.match([refused.statusCode, refused.headers.location], [303, `/ops/sign-in?to=%2Ffailures%2F${digest}`])
  t.equal((await get(app, '/ops', HTML)).headers.location, '/ops/sign-in')
  for (const path of ['/ops/api/failures', '/ops/metrics', '/ops/api/events']) {
    t.equal((await get(app, path)).statusCode, 401, path)
  }
  const signIn = await app.inject({
    method: 'POST',
    url: `/ops/sign-in?to=%2Ffailures%2F${digest}`,
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost' },
    payload: `token=${TOKEN}`,
  })
  t.match([signIn.statusCode, signIn.headers.location], [303, `/ops/failures/${digest}`])
  const cookie = String(signIn.headers['set-cookie'])
  t.match(cookie, /; Path=\/ops; HttpOnly; SameSite=Strict/, 'the app’s other routes do not get it')

  const headers = { ...HTML, cookie: cookie.replace(/;.*/s, '') }
  // The ledger is written after the response.
  await until(async () => (await get(app, `/ops/api/failures/${digest}`, BEARER)).statusCode === 200)
  const page = await get(app, `/ops/failures/${digest}`, headers)
  t.equal(page.statusCode, 200)
  const list = await get(app, '/ops?sort=count', headers)
  t.match(page.body, 'the shop broke')
  t.match(page.headers['cache-control'], 'no-store')
  const links = [...`${list.body}${page.body}`.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)]
    .map(([, url]) => url ?? '')
    .filter((url) => url !== '/ops/find')
  t.ok(links.length > 5)
  const broken = await findFailing(
    links,
    async (url) => [url.startsWith('/ops'), (await get(app, url, headers)).statusCode],
    () => [true, 200],
  )
  t.strictSame(broken, [])
  t.match((await get(app, '/ops/api/failures', BEARER)).json(), {
    failures: [{ message: 'the shop broke', count: 1 }],
  })
  const solved = await app.inject({ method: 'POST', url: `/ops/api/failures/${digest}/solve`, headers: BEARER })
  t.match(solved.json(), { solvedAt: String })
  const foreign = { ...headers, 'sec-fetch-site': 'cross-site' }
  const forged = await app.inject({ method: 'POST', url: `/ops/api/failures/${digest}/reopen`, headers: foreign })
  t.equal(forged.statusCode, 403, 'not for another site')
})

t.test('a read token changes nothing', async (t) => {
  const { app } = createApp(t)
  await app.register(hydrant, { dir: shop, ledger: 'read.db' })
  await app.register(hydrant.admin, { prefix: '/ops', token: TOKEN, readToken: 'a-token-of-those-who-read' })
  const digest = String((await get(app, '/', HTML)).headers['x-error-digest'])
  const reader = { authorization: 'Bearer a-token-of-those-who-read' }
  const url = `/ops/api/failures/${digest}`
  await until(async () => (await get(app, url, reader)).statusCode === 200)
  const solve = (headers: Record<string, string>) => app.inject({ method: 'POST', url: `${url}/solve`, headers })
  t.equal((await solve(reader)).statusCode, 403)
  t.equal((await solve(BEARER)).statusCode, 200)
})

t.test('the app’s own hook protects every route', async (t) => {
  for (const hook of ['onRequest', 'preHandler'] as const) {
    const { app, log } = createApp(t)
    const routes: { method: string; url: string }[] = []
    const described: { schema?: object }[] = []
    app.addHook('onRoute', (route) => {
      const { method, url } = route
      if (!url.startsWith('/ops')) return
      described.push(route)
      routes.push(...[method].flat().map((one) => ({ method: one, url })))
    })
    await app.register(hydrant, { dir: shop, ledger: false })
    await app.register(async (scope) => {
      scope.addHook(hook, askForOperator)
      await scope.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
    })
    t.ok(routes.length > 30)
    const shown = described.filter(({ schema = {} }) => !('hide' in schema && schema.hide === true))
    t.strictSame(shown, [], 'no part of the app’s own interface')
    const open: unknown[] = []
    for (const { method, url } of routes) {
      const path = url.replace('*', 'x').replace(/:\w+/g, 'x')
      const { statusCode } = await app.inject({ method: method as 'GET', url: path })
      // A preHandler hook runs after the refusals of Fastify and Hydrant, which disclose nothing.
      const isFirst = hook === 'onRequest' || method === 'GET' || method === 'HEAD'
      if (isFirst ? statusCode !== 401 : statusCode < 400) open.push([method, path, statusCode])
      const navigation = await app.inject({ method: method as 'GET', url: `${path}?_hydrant`, headers: NAVIGATION })
      if ([401, 403].includes(navigation.statusCode)) continue
      const isNavigation = /application\/x-ndjson/.test(String(navigation.headers['content-type']))
      if (!isNavigation || navigation.body !== (method === 'HEAD' ? '' : '["load"]\n'))
        open.push([method, `${path}?_hydrant`, navigation.statusCode, navigation.body])
    }
    t.strictSame(open, [], hook)
    for (const path of ['/ops', '/ops/api/failures', '/ops/metrics']) {
      t.equal((await get(app, path, { ...OPERATOR, ...HTML })).statusCode, 200, path)
    }
    t.notMatch((await get(app, '/ops', { ...OPERATOR, ...HTML })).body, 'Sign out')
    t.strictSame(log.errors(), [])
    t.equal((await get(app, '/ops', { ...HTML, 'hydrant-check': 'guessed' })).statusCode, 401)
  }
})

t.test('is locked if the app does not protect it, unless that is intended', async (t) => {
  const { app, log } = createApp(t)
  // These are hooks that protect nothing.
  app.addHook('onRequest', async (_request, reply) => void reply.header('x-app', 'yes'))
  await app.register(hydrant, { dir: shop, ledger: false })
  await app.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
  await app.register(hydrant.admin, { prefix: '/open', auth: 'none' })
  for (const path of ['/ops', '/ops/api/failures', '/ops/metrics', '/ops/favicon.svg', '/ops/_hydrant/live']) {
    t.equal((await get(app, path, OPERATOR)).statusCode, 403, path)
  }
  t.match(log.errors(), [{ msg: /console at \/ops is locked/ }])
  t.equal(log.errors().length, 1, 'logged once')
  t.equal((await get(app, '/open', HTML)).statusCode, 200)
})

t.test('hooks that refuse every request, not only unknown clients, do not count as a guard', async (t) => {
  const headers = { host: 'ops.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7', ...OPERATOR }
  const hooks: Record<string, onRequestAsyncHookHandler> = {
    'sends to https': async ({ protocol, host, url }, reply) =>
      protocol === 'https' ? undefined : reply.redirect(`https://${host}${url}`, 301),
    'sends to https always': async ({ headers, url }, reply) =>
      headers['x-user'] ? undefined : reply.redirect(`https://ops.example${url}?again`, 308),
    'knows its host': async ({ hostname }, reply) =>
      hostname === 'ops.example' ? undefined : reply.code(421).send('another host'),
  }
  for (const trustProxy of [true, '127.0.0.1']) {
    for (const [title, hook] of Object.entries(hooks)) {
      const app = Fastify({ trustProxy })
      t.teardown(() => app.close())
      app.addHook('onRequest', hook)
      await app.register(hydrant, { dir: shop, ledger: false })
      await app.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
      t.equal((await get(app, '/ops/metrics', headers)).statusCode, 403, `${title}, ${trustProxy}`)
      await app.close()
    }
    // Behind the same proxy a list of addresses is a guard.
    const app = Fastify({ trustProxy })
    t.teardown(() => app.close())
    app.addHook('onRequest', async ({ ip }, reply) => (ip === '203.0.113.7' ? undefined : reply.code(403).send('no')))
    await app.register(hydrant, { dir: shop, ledger: false })
    await app.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
    t.equal((await get(app, '/ops/metrics', headers)).statusCode, 200)
  }
})

t.test('an app that is too busy to run its guard shows nothing, and the check is repeated', async (t) => {
  const { app } = createApp(t)
  let count = 0
  // The first request is for the metrics, the second checks for a guard.
  app.addHook('onRequest', async (_request, reply) => (++count === 2 ? reply.code(503).send('busy') : undefined))
  await app.register(hydrant, { dir: shop, ledger: false })
  await app.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
  t.match(await get(app, '/ops/metrics'), { statusCode: 503, headers: { 'retry-after': '1' } })
  t.equal((await get(app, '/ops/metrics')).statusCode, 403)
})

t.test('an app whose hook does not respond in time shows nothing', async (t) => {
  const { app } = createApp(t)
  let count = 0
  app.addHook('onRequest', (_request, _reply, done) => {
    // The second request checks for a guard.
    if (++count !== 2) done()
  })
  await app.register(hydrant, { dir: shop, ledger: false })
  await app.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.equal((await get(app, '/ops/metrics')).statusCode, 503)
  t.equal((await get(app, '/ops/metrics')).statusCode, 403)
})

t.test('a client that leaves while the app runs its hooks takes no place of the event streams', async (t) => {
  const { app, log } = createApp(t)
  let waiting = 0
  let left = 0
  app.addHook('onRequest', async ({ headers }, { raw }) => {
    if (!headers['x-leaves']) return
    waiting++
    await once(raw, 'close')
    left++
  })
  await app.register(hydrant, { dir: shop, ledger: 'errors.db' })
  await app.register(hydrant.admin, { prefix: '/ops', token: TOKEN })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/ops/api/events`
  const leaving = new AbortController()
  const requests = Array.from({ length: 50 }, () =>
    fetch(url, { headers: { ...BEARER, 'x-leaves': 'yes' }, signal: leaving.signal }),
  )
  await until(() => waiting === 50)
  leaving.abort()
  await Promise.allSettled(requests)
  await until(() => left === 50)
  const { status, body } = await fetch(url, { headers: BEARER })
  await body?.cancel()
  t.equal(status, 200)
  t.strictSame(log.errors(), [])
})

t.test('a prefix with parameters is refused, also that of the scope', async (t) => {
  const refusal = {
    code: 'HYD_OPTION_INVALID',
    message: '"prefix" must be a path without parameters and wildcards; got "/:tenant/admin"',
  }
  for (const only of [{}, { only: 'metrics' } as const]) {
    const { app } = createApp(t)
    await app.register(hydrant, { dir: shop, ledger: false, base: '/shop' })
    await t.rejects(
      async () => app.register(hydrant.admin, { prefix: '/:tenant/admin', token: TOKEN, ...only }),
      refusal,
    )
  }
  const { app } = createApp(t)
  await app.register(hydrant, { dir: shop, ledger: false, base: '/shop' })
  const scope = async (inner: FastifyInstance) => {
    await inner.register(hydrant.admin, { prefix: '/admin', token: TOKEN })
  }
  await t.rejects(async () => app.register(scope, { prefix: '/:tenant' }), refusal)
})

t.test('a token that is too short is an error that names the variable or the option', async (t) => {
  const register = async (options: { token?: string }) => {
    const { app } = createApp(t)
    await app.register(hydrant, { dir: shop, ledger: false })
    await app.register(hydrant.admin, { prefix: '/ops', ...options })
  }
  const message = (source: string) => new RegExp(`^"${source}" must be .*; got a secret value$`)
  await t.rejects(register({ token: 'short' }), { code: 'HYD_OPTION_INVALID', message: message('token') })
  t.intercept(process, 'env', { value: { ...process.env, HYDRANT_ADMIN_TOKEN: 'short' } })
  await t.rejects(register({}), { code: 'HYD_OPTION_INVALID', message: message('HYDRANT_ADMIN_TOKEN') })
})

t.test('a site without a ledger does not hide the failures of another', async (t) => {
  const { app } = createApp(t)
  await app.register(hydrant, { dir: shop, base: '/shop', ledger: false })
  await app.register(hydrant.admin, { prefix: '/nothing', auth: 'none' })
  await app.register(hydrant, { dir: blog, base: '/blog', ledger: 'kept.db' })
  await app.register(hydrant.admin, { prefix: '/ops', auth: 'none' })
  t.match((await get(app, '/nothing', JSON_ONLY)).json(), { hasLedger: false })
  t.match((await get(app, '/ops', JSON_ONLY)).json(), { hasLedger: true })
  await get(app, '/blog', HTML)
  const listed = async () => (await get(app, '/ops/api/failures')).json().failures
  t.match(await until(async () => ((await listed()).length > 0 ? listed() : null)), [{ message: 'the blog broke' }])
})

t.test('a hook that closes the connection of unknown clients counts as a guard', async (t) => {
  const { app, log } = createApp(t)
  await app.register(hydrant, { dir: shop, ledger: false })
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-user'] === 'operator') return
      reply.hijack()
      reply.raw.destroy()
    })
    await scope.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
  })
  t.equal((await get(app, '/ops', { ...OPERATOR, ...HTML })).statusCode, 200)
  t.strictSame(log.errors(), [])
})

t.test('the times of several sites have their bases', async (t) => {
  const { app } = createApp(t)
  await app.register(hydrant, { dir: blog, ledger: 'times.db' })
  await app.register(hydrant, { dir: blog, base: '/second', ledger: 'times.db' })
  await app.register(hydrant.admin, { prefix: '/ops', token: TOKEN })
  for (const url of ['/same', '/second/same', '/second/nowhere', '/nowhere']) await get(app, url, HTML)
  await app.inject({ method: 'POST', url: '/second/_hydrant/report' })
  const { routes, slowest } = (await get(app, '/ops/api/slow', BEARER)).json()
  type Row = { route: string; steps: { kind: string; subject: string }[] }
  // A busy machine may have blocked the event loop.
  const ofSites = routes.filter(({ route }: Row) => route !== '')
  const places = ofSites.map(({ route, steps }: Row) => [
    route,
    ...steps.filter(({ kind }) => kind === 'load').map(({ subject }) => subject),
  ])
  t.strictSame(places.sort(), [
    ['*'],
    ['/same', 'pages/same.server.ts'],
    ['/second/*'],
    ['/second/_hydrant/report'],
    ['/second/same', 'second/pages/same.server.ts'],
  ])
  const slow = slowest.find(({ path }: { path: string }) => path === '/second/same')
  t.equal(slow.route, '/second/same')
  t.match((await get(app, `/ops/api/slow/${slow.id}`, BEARER)).json(), {
    steps: [{ kind: 'load', subject: 'second/pages/same.server.ts' }],
  })
})

t.test('shows all sites of the app, or one', async (t) => {
  const { app } = createApp(t)
  await app.register(hydrant, { dir: shop, base: '/shop', ledger: 'several.db', release: 'shop-1' })
  await app.register(hydrant, { dir: blog, prefix: '/news', base: '/blog', ledger: 'several.db', release: 'blog-1' })
  await app.register(hydrant, { dir: blog, base: '/mirror', ledger: 'mirror.db', release: 'blog-1' })
  // This site shares a ledger: its failures count once.
  await app.register(hydrant, { dir: blog, base: '/twin', ledger: 'several.db', release: 'blog-1' })
  await app.register(hydrant.admin, { prefix: '/ops', token: TOKEN })
  await app.register(hydrant.admin, { prefix: '/blog-ops', token: TOKEN, site: '/news/blog' })
  await app.register(hydrant.admin, { prefix: '/numbers', token: TOKEN, only: 'metrics' })
  for (const url of ['/shop', '/news/blog', '/news/blog', '/mirror/same', '/news/blog/same', '/shop/nowhere']) {
    await get(app, url, HTML)
  }
  async function listOf(prefix: string) {
    const { failures } = (await get(app, `${prefix}/api/failures`, BEARER)).json()
    return failures.map(({ message, count }: { message: string; count: number }) => `${message} ${count}`).sort()
  }
  await until(async () => (await listOf('/ops')).join().match(/same 2.*broke 1/))
  t.strictSame(await listOf('/ops'), ['the blog broke 2', 'the same 2', 'the shop broke 1'])
  t.strictSame(await listOf('/blog-ops'), ['the blog broke 2', 'the same 1'])
  const { failures } = (await get(app, '/ops/api/failures?search=same', BEARER)).json()
  const one = (await get(app, `/ops/api/failures/${failures[0].fingerprint}`, BEARER)).json()
  t.match(one, { count: 2, occurrences: [{ path: '/news/blog/same' }, { path: '/mirror/same' }] })
  const found = (await get(app, `/ops/api/failures/${one.occurrences[1].digest}`, BEARER)).json()
  t.equal(found.occurrences[0].path, '/mirror/same', 'the requested occurrence comes first')
  await app.inject({ method: 'POST', url: `/ops/api/failures/${one.fingerprint}/solve`, headers: BEARER })
  t.match((await get(app, `/blog-ops/api/failures/${one.fingerprint}`, BEARER)).json(), { solvedAt: String })

  const all = (await get(app, '/numbers/metrics', BEARER)).body
  t.match(all, 'hydrant_failures_total{side="server",phase="load",route="/"} 3')
  t.match(all, 'hydrant_failures_total{side="server",phase="load",route="/same"} 2')
  t.match(all, 'hydrant_requests_total{method="GET",status="500",route="/"} 3')
  t.match(all, 'hydrant_requests_total{method="GET",status="404",route="*"} 1')
  t.match(all, 'hydrant_request_duration_seconds_count{route="/same",status_class="5xx"} 2')
  t.match(all, 'hydrant_load_duration_seconds_count{route="/"} 3')
  t.match(all, 'hydrant_requests_in_flight 0')
  t.match(all, 'hydrant_processes{release="shop-1"} 1')
  t.match(all, 'hydrant_render_duration_seconds_count')
  t.equal((await get(app, '/numbers', BEARER)).statusCode, 404, 'metrics and nothing else')
  const ofBlog = (await get(app, '/blog-ops/metrics', BEARER)).body
  t.match(ofBlog, 'hydrant_failures_total{side="server",phase="load",route="/"} 2')
  t.notMatch(ofBlog, 'shop-1')
})

t.test('works next to @fastify/helmet, and requests JSON as JSON', async (t) => {
  const { app } = createApp(t)
  await app.register(helmet, { enableCSPNonces: true })
  await app.register(hydrant, { dir: shop, ledger: false })
  await app.register(hydrant.admin, { prefix: '/ops', token: TOKEN })
  const page = await get(app, '/ops', { ...HTML, ...BEARER })
  t.equal(page.statusCode, 200)
  const nonce = /<script nonce="([^"]+)"/.exec(page.body)?.[1]
  t.match(String(page.headers['content-security-policy']), `'nonce-${nonce}'`)
  t.match((await get(app, '/ops/api/failures', JSON_ONLY)).json(), { status: 401, instance: '/ops/api/failures' })
})
