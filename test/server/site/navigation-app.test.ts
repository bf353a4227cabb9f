// Navigations in an existing app: which routes they reach, and how often its hooks run.

import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyRequest } from 'fastify'
import t from 'tap'
import { hydrant } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, writeTestSite } from '../../test-site.ts'
import { linesOfResponse, marked } from '../lines.ts'
import { HTML } from '../served.ts'

let acts = 0
const acting = { load: () => 'loaded', action: () => void acts++ }

const site = {
  '/': {},
  '/static': {},
  '/[slug]': acting,
  '/orders/[id]': acting,
  '/files/[...rest]': acting,
}
const dir = writeTestSite(t.testdir({}), site, { publicFiles: { 'robots.txt': 'User-agent: *\n' } })
const headers: Record<string, string> = { ...HTML, ...navigationHeaders() }

/** Routes of an app that a page's pattern matches too, each with a path that leads to it. */
const ROUTES = [
  ['/logout', '/logout'],
  ['/orders/:id(^\\d+$)', '/orders/12'],
  ['/orders/:id(^\\d+$)', '/orders/%31%32'],
  ['/orders/new', '/orders/new'],
  ['/files/:name.pdf', '/files/a.pdf'],
  ['/files/private/*', '/files/private/a/b'],
  ['/v:version', '/v2'],
  ["/it's", '/it%27s'],
] as const

const METHODS = ['GET', 'POST', 'DELETE'] as const

type Add = (app: FastifyInstance) => void

async function createApp(register: (app: FastifyInstance, site: FastifyPluginAsync) => Promise<void>) {
  const app = Fastify()
  await register(app, async (scope) => void (await scope.register(hydrant, { dir })))
  await app.ready()
  t.teardown(() => app.close())
  return app
}

/** Ways to add routes to an app next to a site. */
const WAYS: Record<string, (add: Add) => Promise<FastifyInstance>> = {
  'before the site': (add) =>
    createApp(async (app, site) => {
      add(app)
      await app.register(site)
    }),
  'behind the site': (add) =>
    createApp(async (app, site) => {
      await app.register(site)
      add(app)
    }),
  'in another scope, before': (add) =>
    createApp(async (app, site) => {
      await app.register(async (scope) => add(scope))
      await app.register(site)
    }),
  'in another scope, behind': (add) =>
    createApp(async (app, site) => {
      await app.register(site)
      await app.register(async (scope) => scope.register(async (inner) => add(inner)))
    }),
}

t.test('a navigation reaches no route of the app, and no page replaces one', async (t) => {
  for (const [way, create] of Object.entries(WAYS)) {
    const ran: string[] = []
    const app = await create((scope) => {
      for (const [url] of new Map(ROUTES))
        scope.all(url, async (request: FastifyRequest) => {
          ran.push(`${request.method} ${request.url}`)
          return 'the app'
        })
    })
    const ofApp = await findFailing(
      ROUTES.flatMap(([, path]) => METHODS.map((method) => ({ method, path }))),
      async ({ method, path }) => {
        acts = 0
        const response = await app.inject({ method, url: marked(path), headers })
        const { 'hydrant-build': build } = response.headers
        const navigated = { lines: linesOfResponse(response), build, acts, ran: ran.splice(0) }
        await app.inject({ method, url: path, headers: HTML })
        // The document is the app’s.
        return { ...navigated, documents: ran.splice(0).length }
      },
      () => ({ lines: [['load']], build: headers['hydrant-build'], acts: 0, ran: [], documents: 1 }),
    )
    t.strictSame(ofApp, [], way)
    const ofPages = await findFailing(
      ['/', '/static', '/other', '/orders/x', '/orders/12x', '/files/a/b', '/files/a.txt'],
      async (path) => linesOfResponse(await app.inject({ url: marked(path), headers }))[0]?.[0],
      () => 'start',
    )
    t.strictSame(ofPages, [], way)
  }
})

t.test('a navigation reaches no not-found handler, catch-all, file or other Hydrant route', async (t) => {
  for (const isBehind of [false, true]) {
    const ran: string[] = []
    const app = await createApp(async (app, site) => {
      const add = () =>
        app.setNotFoundHandler(async (request) => {
          ran.push(request.url)
          return 'not found'
        })
      if (!isBehind) {
        add()
        app.all('/files/*', async () => void ran.push('catch-all'))
        app.route({ method: ['GET', 'POST'], url: '/*', handler: async () => void ran.push('catch-all') })
      }
      await app.register(site)
      if (isBehind) add()
    })
    const paths = ['/no/such/page', '/_hydrant/live', '/_hydrant/report', '/_hydrant/assets/x.js', '/static/']
    const failing = await findFailing(
      paths.flatMap((path) => METHODS.map((method) => ({ method, path }))),
      async ({ method, path }) => linesOfResponse(await app.inject({ method, url: marked(path), headers })),
      () => [['load']],
    )
    t.strictSame(failing, [])
    t.strictSame(linesOfResponse(await app.inject({ url: '/robots.txt?_hydrant', headers })), [['load']])
    if (!isBehind) t.strictSame(linesOfResponse(await app.inject({ url: '/files/a?_hydrant', headers })), [['load']])
    t.strictSame(ran, [])
  }
})

t.test('handles a route of the app for one host, or one method, at a page’s URL', async (t) => {
  const ran: string[] = []
  const app = await createApp(async (app, site) => {
    app.get('/orders/shop', { constraints: { host: 'shop.example' } }, async () => void ran.push('host'))
    app.post('/static', async () => void ran.push('post'))
    await app.register(site)
  })
  const kindOf = async (method: 'GET' | 'POST', url: string, host: string) =>
    linesOfResponse(await app.inject({ method, url: marked(url), headers: { ...headers, host } }))[0]?.[0]
  t.equal(await kindOf('GET', '/orders/shop', 'shop.example'), 'load')
  t.equal(await kindOf('GET', '/orders/shop', 'other.example'), 'start')
  t.equal(await kindOf('POST', '/static', 'shop.example'), 'load')
  t.equal(await kindOf('GET', '/static', 'shop.example'), 'start')
  t.strictSame(ran, [])
})

t.test('handles a route of the app with a constraint of its own', async (t) => {
  for (const mustMatchWhenDerived of [false, true]) {
    const app = await createApp(async (app, site) => {
      app.addConstraintStrategy({
        name: 'tenant',
        mustMatchWhenDerived,
        storage() {
          const handlers = new Map()
          return { get: (name) => handlers.get(name) ?? null, set: (name, handler) => void handlers.set(name, handler) }
        },
        deriveConstraint: (raw) => raw.headers['x-tenant'],
      })
      app.get('/orders/mine', { constraints: { tenant: 'a' } }, async () => 'the app')
      await app.register(site)
    })
    for (const [path, kind] of [
      ['/orders/mine', 'load'],
      ['/orders/other', 'start'],
      ['/static', 'start'],
    ] as const) {
      const response = await app.inject({ url: marked(path), headers: { ...headers, 'x-tenant': 'a' } })
      // A constraint of the app's that must match does not match at a page's route either.
      if (!mustMatchWhenDerived) t.equal(linesOfResponse(response)[0]?.[0], kind, path)
      t.not(response.body, 'the app')
      const without = await app.inject({ url: marked(path), headers })
      t.equal(linesOfResponse(without)[0]?.[0], kind, `${path} without a tenant`)
    }
  }
})

t.test('the hooks of the app and of its site run once, and see the page’s own URL', async (t) => {
  const seen: string[] = []
  const app = await createApp(async (app, site) => {
    const note = (name: string, { url, originalUrl, query, routeOptions }: FastifyRequest) =>
      seen.push([name, url, originalUrl, JSON.stringify(query), routeOptions.url].join(' '))
    app.addHook('onRequest', async (request) => void note('onRequest', request))
    app.addHook('preHandler', async (request) => void note('preHandler', request))
    app.addHook('onSend', async (request) => void note('onSend', request))
    app.addHook('onResponse', async (request) => void note('onResponse', request))
    await app.register(site)
  })
  for (const method of ['GET', 'POST'] as const) {
    seen.length = 0
    const response = await app.inject({ method, url: '/orders/7?a=b&_hydrant', headers })
    t.equal(linesOfResponse(response)[0]?.[0], method === 'GET' ? 'start' : 'acted')
    const url = '/orders/7?a=b /orders/7?a=b {"a":"b"} /orders/:id'
    t.strictSame(
      seen,
      ['onRequest', 'preHandler', 'onSend', 'onResponse'].map((name) => `${name} ${url}`),
    )
  }
})

t.test('two sites in one app serve their own pages', async (t) => {
  const docs = { '/': {}, '/[slug]': { load: () => 'of the docs' } }
  const app = Fastify()
  await app.register(hydrant, { dir })
  await app.register(hydrant, { dir: writeTestSite(t.testdir({}), docs, { buildId: 'd0c5' }), base: '/docs' })
  t.teardown(() => app.close())
  const ask = async (url: string, from?: string) =>
    linesOfResponse(await app.inject({ url: marked(url), headers: { ...HTML, ...navigationHeaders([], from) } }))
  t.match((await ask('/docs/a', 'd0c5')).at(-1), ['data', 1, { plain: 'of the docs' }])
  t.strictSame(await ask('/docs/a/b', 'd0c5'), [['load']])
  t.match((await ask('/a')).at(-1), ['data', 1, { plain: 'loaded' }])
  t.strictSame(await ask('/docs/a'), [['load']], 'its scripts are others')
})

t.test('tools that describe the app’s API leave out Hydrant’s routes', async (t) => {
  const shown: string[] = []
  await createApp(async (app, site) => {
    app.addHook('onRoute', ({ url, schema }) => {
      if (!(schema as { hide?: boolean } | undefined)?.hide) shown.push(url)
    })
    app.get('/api', async () => 1)
    await app.register(site)
  })
  t.strictSame([...new Set(shown)], ['/api'])
})

t.test('a page has one route for documents and one for navigations, also for other methods', async (t) => {
  const dir = writeTestSite(t.testdir({}), { '/': {}, '/about': {} })
  const app = Fastify()
  t.teardown(() => app.close())
  const added: string[] = []
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.hydrant === 'page' && config.hydrantRoute !== '*') added.push(url)
  })
  await app.register(hydrant, { dir })
  t.strictSame(added.sort(), ['/', '/', '/about', '/about'], 'the cost of a page grows with its routes')
  for (const method of ['POST', 'DELETE'] as const) {
    const { statusCode, headers } = await app.inject({ method, url: '/about', headers: { 'content-type': 'a/b' } })
    t.equal(statusCode, 405)
    t.equal(headers.allow, 'GET, HEAD')
  }
})
