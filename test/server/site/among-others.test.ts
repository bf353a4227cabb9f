import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../../src/server/index.ts'
import { writeTestSite } from '../../test-site.ts'
import { createLog, HTML } from '../served.ts'

const site = { '/': {}, '/about': {}, '/products/[id]': {}, '/form': { action: () => {} } }
const dir = writeTestSite(t.testdir({}), site, {
  server: async (app: FastifyInstance) => void app.get('/about', async () => 'of server.ts'),
  publicFiles: { 'robots.txt': 'User-agent: *\n' },
})

function createApp(t: Pick<Test, 'teardown'>) {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  return { app, log, warnings: () => log.lines.filter(({ level }) => level === 40).map(({ msg }) => String(msg)) }
}

const get = (app: FastifyInstance, url: string) => app.inject({ url, headers: HTML })
const assetIn = (body: string) => /"([^"]*\/_hydrant\/assets\/[^"]*\.js)"/.exec(body)?.[1] ?? ''

t.test('a rate limit of the whole app counts pages, and neither probes, assets nor reports', async (t) => {
  const { app } = createApp(t)
  await app.register(rateLimit, { max: 3 })
  await app.register(hydrant, { dir, ledger: false })
  await app.register(hydrant.admin, { prefix: '/ops', auth: 'none' })
  const page = await get(app, '/')
  t.equal(page.headers['x-ratelimit-remaining'], '2')
  const report = { method: 'POST', url: '/_hydrant/report', headers: { origin: 'http://localhost:80' } } as const
  for (let times = 0; times < 5; times++) {
    for (const url of ['/_hydrant/ready', '/_hydrant/live', assetIn(page.body), '/ops/_hydrant/ready']) {
      const response = await get(app, url)
      t.equal(response.statusCode, 200, url)
      t.notOk('x-ratelimit-limit' in response.headers, url)
    }
    t.equal((await app.inject(report)).statusCode, 400, 'a report is read')
  }
  t.strictSame(
    [(await get(app, '/')).statusCode, (await get(app, '/robots.txt')).statusCode, (await get(app, '/')).statusCode],
    [200, 200, 429],
  )
})

t.test('hooks of an app recognize Hydrant’s routes by their configuration', async (t) => {
  const { app } = createApp(t)
  const seen: Record<string, unknown> = {}
  app.addHook('onRequest', async (request) => {
    seen[request.url] = request.routeOptions.config.hydrant
  })
  app.get('/own', async () => 'own')
  await app.register(hydrant, { dir, ledger: false })
  const asset = assetIn((await get(app, '/')).body)
  for (const url of ['/_hydrant/live', asset, '/robots.txt', '/own']) await get(app, url)
  await app.inject({ method: 'POST', url: '/_hydrant/report' })
  t.strictSame(seen, {
    '/': 'page',
    '/_hydrant/live': 'health',
    [asset]: 'asset',
    '/robots.txt': 'file',
    '/own': undefined,
    '/_hydrant/report': 'report',
  })
})

t.test('if a hook of the app refuses an asset, its response is sent', async (t) => {
  const { app } = createApp(t)
  app.addHook('onRequest', async (request) => {
    if (request.query && Object.hasOwn(request.query, 'no'))
      throw Object.assign(new Error('Not for you'), { statusCode: 403 })
  })
  await app.register(hydrant, { dir, ledger: false })
  const asset = assetIn((await get(app, '/')).body)
  t.equal((await get(app, `${asset}?no`)).statusCode, 403)
  t.match(await get(app, '/_hydrant/assets/none.js'), { statusCode: 404, body: 'There is no such asset.\n' })
})

t.test('@fastify/static of the app and that of the site do not conflict', async (t) => {
  const { app } = createApp(t)
  await app.register(fastifyStatic, { root: t.testdir({ 'own.txt': 'own' }), prefix: '/files' })
  app.get('/own', (_request, reply) => reply.sendFile('own.txt'))
  await app.register(hydrant, { dir, ledger: false })
  t.equal((await get(app, '/own')).body, 'own')
  t.equal((await get(app, assetIn((await get(app, '/')).body))).statusCode, 200)
})

t.test('two sites at one base are refused with an error that names the base', async (t) => {
  for (const [first, second, base] of [
    [{}, {}, '/'],
    [{ base: '/shop' }, { prefix: '/shop' }, '/shop'],
    [{ prefix: '/a', base: '/b' }, { base: '/a/b' }, '/a/b'],
  ] as const) {
    const { app } = createApp(t)
    await app.register(hydrant, { dir, ledger: false, ...first })
    const error = await Promise.resolve(app.register(hydrant, { dir, ledger: false, ...second })).catch((it) => it)
    t.match(error, { code: 'HYD_BASE_TAKEN', message: `cannot be mounted at "${base}"` })
  }
  for (let times = 0; times < 2; times++) {
    const { app } = createApp(t)
    await app.register(hydrant, { dir, ledger: false })
    t.equal((await get(app, '/')).statusCode, 200, 'another app has its own bases')
  }
})

t.test('one warning at the start names pages that another route replaces', async (t) => {
  const { app, log, warnings } = createApp(t)
  app.get('/', async () => 'own')
  app.get('/products/:slug', async () => 'own')
  app.post('/form', async () => 'own')
  app.get('/*', async () => 'own')
  await app.register(hydrant, { dir, ledger: false })
  t.equal((await get(app, '/')).body, 'own')
  await get(app, '/nowhere')
  const told = warnings().filter((text) => text.includes('hide pages of the site'))
  t.equal(told.length, 1)
  for (const one of [
    'GET / (pages/index.tsx)',
    'GET /products/:id (pages/products/[id].tsx)',
    'POST /form (pages/form.tsx)',
    'GET /* (the 404 page)',
  ]) {
    t.match(told[0], one)
  }
  t.notMatch(told[0], 'about', 'server.ts is meant to come first')
  t.notMatch(told[0], /PUT|DELETE/)
  const noted = log.lines.filter(({ msg }) => msg?.includes('replace pages'))
  t.match(noted, [{ level: 30, msg: 'routes of server.ts replace pages: GET /about (pages/about.tsx)' }])
  t.equal(noted.length, 1, 'server.ts may replace a page, so this is no warning')
})

t.test('for nested sites, the warning names the outer site’s page', async (t) => {
  const { app, warnings } = createApp(t)
  await app.register(hydrant, { dir, ledger: false })
  await app.register(hydrant, { dir, ledger: false, base: '/about' })
  t.match(warnings(), [/GET \/about \(pages\/index\.tsx\)/])
  const { app: quiet, warnings: none } = createApp(t)
  quiet.get('/own', async () => 'own')
  await quiet.register(hydrant, { dir, ledger: false, base: '/shop' })
  t.strictSame(none(), [])
})
