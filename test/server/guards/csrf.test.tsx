import type { FastifyError, FastifyInstance } from 'fastify'
import t from 'tap'
import { type CrossSiteInput, judgeOrigin } from '../../../src/server/guards/csrf.ts'
import type { ErrorPageProps, PageProps } from '../../../src/shared/react.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const post = (input: Partial<CrossSiteInput>) =>
  judgeOrigin({
    method: 'POST',
    fetchSite: undefined,
    origin: undefined,
    host: 'shop.example',
    allowedOrigins: [],
    ...input,
  })
const passes = (input: Partial<CrossSiteInput>) => post(input).kind === 'pass'

t.test('safe methods pass', async (t) => {
  const hostile = { fetchSite: 'cross-site', origin: 'https://evil.example' }
  const safe = ['GET', 'HEAD', 'OPTIONS', 'TRACE']
  const passing = [...safe, 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter((method) =>
    passes({ method, ...hostile }),
  )
  t.strictSame(passing, safe)
})

t.test('requests with neither header pass, as scripts send them', async (t) => {
  t.ok(passes({}))
  t.ok(passes({ host: '' }))
})

t.test('Sec-Fetch-Site decides, whatever the host is', async (t) => {
  const values = ['same-origin', 'none', 'same-site', 'cross-site', '', 'SAME-ORIGIN', 'same-origin, cross-site']
  for (const origin of [undefined, 'https://other.example', 'https://shop.example'])
    t.strictSame(
      values.filter((fetchSite) => passes({ fetchSite, origin })),
      ['same-origin', 'none'],
      `with the origin ${origin}`,
    )
})

t.test('without it, the origin is compared with the public host and port, and the scheme is ignored', async (t) => {
  const cases = [
    ['https://shop.example', 'shop.example', true],
    ['http://shop.example', 'shop.example', true],
    ['https://shop.example', 'SHOP.example:443', true],
    ['https://shop.example', 'shop.example:80', true],
    ['http://shop.example:8080', 'shop.example:8080', true],
    ['http://[::1]:3000', '[::1]:3000', true],
    ['http://127.0.0.1:3000', '127.0.0.1:3000', true],
    ['https://xn--kxawhkug.example', 'xn--kxawhkug.example', true],
    ['http://shop.example:8080', 'shop.example', false],
    ['http://shop.example', 'shop.example:8080', false],
    ['http://shop.example:8081', 'shop.example:8080', false],
    ['http://127.0.0.1:3000', 'localhost:3000', false],
    ['https://evil.example', 'shop.example', false],
    ['https://www.shop.example', 'shop.example', false],
    ['https://shop.example.evil.example', 'shop.example', false],
    ['https://evil.example/shop.example', 'shop.example', false],
    ['https://shop.example@evil.example', 'shop.example', false],
    ['https://evil.example@shop.example', 'shop.example', false],
    ['https://evil.example#@shop.example', 'shop.example', false],
    ['https://evil.example\\@shop.example', 'shop.example', false],
    ['null', 'shop.example', false],
    ['null', 'null', false],
    ['', 'shop.example', false],
    ['', '', false],
    ['shop.example', 'shop.example', false],
    ['//shop.example', 'shop.example', false],
    ['file://', '', false],
    ['https://', '', false],
    ['chrome-extension://shop.example', 'shop.example', false],
    ['https://shop.example, https://evil.example', 'shop.example', false],
    ['https://shop.example', '', false],
    ['https://shop.example', 'not a host', false],
  ] as const
  t.strictSame(
    cases.map(([origin, host]) => [origin, host, passes({ origin, host })]),
    cases,
  )
})

t.test('only allowed origins pass', async (t) => {
  const allowedOrigins = ['https://app.example']
  t.ok(passes({ origin: 'https://app.example', allowedOrigins }))
  t.ok(passes({ origin: 'https://app.example', fetchSite: 'cross-site', allowedOrigins }))
  const others = ['http://app.example', 'https://app.example:444', 'https://app.example.evil.example', 'null']
  for (const fetchSite of [undefined, 'cross-site'])
    t.strictSame(
      others.filter((origin) => passes({ origin, fetchSite, allowedOrigins })),
      [],
    )
  t.notOk(passes({ fetchSite: 'cross-site', allowedOrigins }))
})

t.test('a refusal names both values and a fix', async (t) => {
  t.match(post({ origin: 'https://evil.example' }), {
    compared: 'Origin is "https://evil.example", the public host is "shop.example"',
    hint: /forward the public host.*allowedOrigins/,
  })
  t.match(post({ fetchSite: 'cross-site', origin: 'https://evil.example' }), {
    compared: 'Sec-Fetch-Site is "cross-site", not "same-origin" or "none"; Origin is "https://evil.example"',
  })
  t.match(post({ origin: 'http://shop.example:8080' }), { hint: /Host \$http_host/ })
  t.match(post({ origin: `https://${'x'.repeat(5_000)}` }), { compared: /^.{0,400}$/ })
})

const Component = ({ actionData }: PageProps) => <p>{String(actionData)}</p>

const site = {
  '/form': { Component, action: () => 'acted' },
  '/bare': { Component },
  '/error': ({ status, message }: ErrorPageProps) => <p>{[status, message].join()}</p>,
}

const changed = async () => 'changed'
async function pass() {}

async function server(app: FastifyInstance) {
  app.post('/api', changed)
  app.register(async (inner) => {
    inner.setErrorHandler<FastifyError>(async (error, _request, reply) =>
      reply.code(error.statusCode ?? 500).send({ own: error.message }),
    )
    inner.delete('/inner', changed)
  })
  // What @fastify/cors does.
  for (const [prefix, credentials] of [
    ['/open', false],
    ['/cookies', true],
  ] as const)
    app.register(
      async (api) => {
        api.addHook('onRequest', async (_request, reply) => {
          reply.header('access-control-allow-origin', credentials ? 'https://evil.example' : '*')
          if (credentials) reply.header('access-control-allow-credentials', 'true')
        })
        const method = ['POST', 'PUT']
        api.route({ method, url: '/x', handler: changed })
        const preParsing = async () => {
          throw new Error('read')
        }
        api.route({ method, url: '/unread', onRequest: pass, preParsing, handler: pass })
      },
      { prefix },
    )
  app.register(async (hook) => {
    hook.post('/hook', { config: { hydrant: { csrf: false } } }, changed)
    hook.post('/checked', { config: { hydrant: { csrf: true } } }, changed)
  })
  app.register(async (hooks) => {
    hooks.addHook('onRoute', (route) => {
      route.config = { ...route.config, hydrant: { csrf: false } }
    })
    hooks.put('/hooks', changed)
    hooks.get('/socket', async () => 'opened')
  })
  app.register(async (hooks) => {
    hooks.addHook('onRoute', (route) => {
      route.onRequest = pass
      route.preParsing = async (_request, _reply, payload) => payload
    })
    hooks.post('/replaced', changed)
  })
}

const CROSS = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }

t.test('all routes of the site refuse requests from other sites before the body is read', async (t) => {
  const { app, log } = await testSite(t, site, { server })
  const requests = [
    ['POST', '/form'],
    ['POST', '/bare'],
    ['POST', '/api'],
    ['DELETE', '/inner'],
    ['PUT', '/unknown'],
  ] as const
  for (const [method, url] of requests) {
    const headers = { ...JSON_ONLY, ...CROSS, 'content-type': 'application/unknown' }
    const response = await app.inject({ method, url, headers, payload: 'x' })
    const { statusCode } = response
    const lines = log.lines.filter(({ reqId }) => reqId === response.headers['x-request-id'])
    const line = { level: 30, method, url, statusCode: 403, msg: /"cross-site".*"https:\/\/evil\.example"/ }
    t.match({ statusCode, count: lines.length, line: lines[0] }, { statusCode: 403, count: 1, line }, url)
  }
  t.equal(log.errors().length, 0)
  t.equal((await app.inject({ method: 'GET', url: '/form', headers: { ...HTML, ...CROSS } })).statusCode, 200)
})

t.test('a route of server.ts accepts what its CORS headers allow, or everything if it says so', async (t) => {
  const { app } = await testSite(t, site, { server })
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const foreign = { ...CROSS, origin: 'https://third.example' }
  const requests = [
    [200, 'PUT', '/open/x', CROSS],
    [200, 'POST', '/open/x', { ...CROSS, ...json }],
    // Every site can send these without asking, with the visitor's cookies.
    [403, 'POST', '/open/x', CROSS],
    [403, 'POST', '/open/x', { ...CROSS, 'content-type': 'Text/Plain ; application/json' }],
    [403, 'POST', '/open/x', { ...CROSS, 'content-type': ';application/json' }],
    [403, 'POST', '/open/x', { ...CROSS, 'content-type': 'multipart/form-data; boundary=b' }],
    [403, 'POST', '/open/unread', { ...CROSS, ...form }],
    // <a ping>, a report of a policy, and whatever else a browser does not ask about.
    [403, 'POST', '/open/x', { ...CROSS, 'content-type': 'text/ping' }],
    [403, 'POST', '/open/x', { ...CROSS, 'content-type': 'application/csp-report' }],
    [403, 'POST', '/open/x', { ...CROSS, ...json, 'sec-fetch-mode': 'no-cors' }],
    [403, 'PUT', '/open/x', { ...CROSS, ...json, 'sec-fetch-mode': 'navigate' }],
    [200, 'POST', '/open/x', { ...CROSS, ...json, 'sec-fetch-mode': 'cors' }],
    [403, 'POST', '/replaced', { ...CROSS, ...json }],
    [403, 'POST', '/open/x', { 'sec-fetch-site': 'cross-site', ...json }],
    [403, 'GET', '/open/x', { ...CROSS, upgrade: 'websocket' }],
    [200, 'POST', '/cookies/x', CROSS],
    [200, 'POST', '/cookies/x', { ...CROSS, 'content-type': 'text/plain' }],
    [403, 'PUT', '/cookies/x', foreign],
    [403, 'POST', '/cookies/x', { ...foreign, ...json }],
    [200, 'POST', '/hook', { ...CROSS, 'content-type': 'text/plain' }],
    [403, 'POST', '/checked', CROSS],
    [200, 'PUT', '/hooks', CROSS],
    [403, 'GET', '/api', { ...CROSS, upgrade: 'websocket' }],
    [200, 'GET', '/socket', { ...CROSS, upgrade: 'websocket' }],
    [403, 'POST', '/open/unknown', { ...CROSS, ...json }],
  ] as const
  // A script of the other site can read the refusal.
  const isReadable = (method: string, url: string) => method !== 'GET' && /^\/(?:open|cookies)\/(?:x|unread)$/.test(url)
  const failing = await findFailing(
    requests,
    async ([, method, url, headers]) => {
      const payload = 'content-type' in headers && headers['content-type'] === 'application/json' ? '{}' : ''
      const response = await app.inject({ method, url, headers, payload })
      return [response.statusCode, !isReadable(method, url) || Boolean(response.headers['access-control-allow-origin'])]
    },
    ([status]) => [status, true],
  )
  t.strictSame(failing, [])
})

t.test('the refusal is a page for a browser and a problem for a script', async (t) => {
  const { app } = await testSite(t, site, { server })
  const html = await app.inject({ method: 'POST', url: '/form', headers: { ...HTML, ...CROSS } })
  t.equal(html.statusCode, 403)
  t.match(html.body, '403,This request comes from another site.')
  t.equal(html.headers['cache-control'], 'no-store')
  const json = await app.inject({ method: 'POST', url: '/form', headers: { ...JSON_ONLY, ...CROSS } })
  t.match(json.json(), { status: 403, detail: 'This request comes from another site.' })
})

t.test('the host is the public one if the proxy is trusted', async (t) => {
  const headers = {
    ...JSON_ONLY,
    origin: 'https://shop.example',
    host: 'internal:3000',
    'x-forwarded-host': 'shop.example',
  }
  const trusting = await testSite(t, site, { server, trustProxy: true })
  t.equal((await trusting.app.inject({ method: 'POST', url: '/form', headers })).statusCode, 200)
  const { app, log } = await testSite(t, site, { server })
  t.equal((await app.inject({ method: 'POST', url: '/form', headers })).statusCode, 403)
  t.match(log.lines.at(-1)?.msg, /"https:\/\/shop\.example".*"internal:3000"/)
})

t.test('allowedOrigins lets other sites pass', async (t) => {
  const { app } = await testSite(t, site, { server, allowedOrigins: ['https://app.example'] })
  const headers = { ...JSON_ONLY, 'sec-fetch-site': 'cross-site', origin: 'https://app.example' }
  t.equal((await app.inject({ method: 'POST', url: '/form', headers })).json(), 'acted')
  t.equal((await app.inject({ method: 'POST', url: '/api', headers })).body, 'changed')
  t.equal((await app.inject({ method: 'POST', url: '/form', headers: { ...headers, ...CROSS } })).statusCode, 403)
})
