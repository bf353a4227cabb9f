// Error handlers and not-found handlers of `server.ts`, and of an app around a site.

import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import t from 'tap'
import { digestOf, HttpError, hydrant, notFound, redirect } from '../../../src/server/index.ts'
import { BUILD_HEADER, NAVIGATION_MARK } from '../../../src/shared/wire/navigation-protocol.ts'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { testSite, writeTestSite } from '../../test-site.ts'
import { HTML, JSON_ONLY, serve } from '../served.ts'

const PAGES = {
  '/api/page': () => <p>a page below the prefix</p>,
  '/fails': {
    load() {
      throw new Error('of the page')
    },
  },
  '/not-found': () => <p>the 404 page</p>,
}
const folder = t.testdir({ handlers: {}, top: {} })
const publicFiles = { 'robots.txt': 'User-agent: *\n' }

interface Query {
  code?: string
  error: string
  hook?: string
}

const handlers = writeTestSite(`${folder}/handlers`, PAGES, {
  publicFiles,
  async server(app: FastifyInstance) {
    app.decorate('shop', 'decorated')
    app.addHook<{ Querystring: Query }>('onRequest', async ({ query }) => {
      if (query.hook) throw new Error('of the hook')
    })
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      if (error.message === 'mapped') return reply.code(404).send({ message: 'mapped' })
      if (error.message === 'passed on') return reply.code(422).send(new Error('in other words'))
      if (error.message === 'asked') return reply.code(422).send({ digest: digestOf(request, error) })
      if (error.message === 'hopeless') throw new Error('of the handler')
      reply.code(error.statusCode ?? 503).send({ message: error.message })
    })
    for (const name of ['failed', 'mapped', 'passed on', 'asked', 'hopeless'])
      app.get(`/${name.replace(' ', '-')}`, async () => {
        throw new Error(name)
      })
    app.get('/refused', async () => {
      throw new HttpError(409, 'Taken')
    })
    app.get('/leaves', async () => redirect('/api/page'))
    app.get('/none', async () => notFound())
    const errorHandler = (error: Error, _: unknown, reply: FastifyReply) =>
      void reply.code(500).send({ own: error.message })
    app.get('/own', { errorHandler }, async () => {
      throw new Error('own')
    })
  },
})

t.test('an error handler of server.ts responds, and its status decides whether the error is a failure', async (t) => {
  const warnings: string[] = []
  const onWarning = ({ name, message }: Error) => void warnings.push(`${name} ${message}`)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const { app, get, failuresOf } = await serve(t, handlers, { ledger: false })
  for (const [url, status, body, messages] of [
    ['/failed', 503, { message: 'failed' }, ['failed']],
    ['/own', 500, { own: 'own' }, ['own']],
    ['/mapped', 404, { message: 'mapped' }, []],
    ['/passed-on', 422, { status: 422, detail: 'in other words' }, []],
    ['/refused', 409, { message: 'Taken' }, []],
    ['/failed?hook=1', 503, { message: 'of the hook' }, ['of the hook']],
    ['/asked', 422, { digest: DIGEST_PATTERN }, ['asked']],
    ['/hopeless', 500, { status: 500, digest: DIGEST_PATTERN }, ['hopeless', 'of the handler']],
  ] as const) {
    const response = await get(url, JSON_ONLY)
    t.equal(response.statusCode, status, url)
    t.match(response.json(), body, url)
    const failures = failuresOf(response)
    t.strictSame(
      failures.map(({ err }) => err?.message),
      messages,
      `the log lines of ${url}`,
    )
    const digest = status < 500 ? undefined : failures[0]?.digest
    t.equal(response.headers['x-error-digest'], digest, `the first failure is that of ${url}`)
    if ('digest' in body) t.equal(response.json().digest, failures[0]?.digest)
    t.match(
      failures,
      messages.map(() => ({ phase: 'route', route: url.split('?')[0] })),
    )
  }
  t.equal((await get('/leaves')).headers.location, '/api/page', 'redirect() is no error')
  t.match((await get('/none')).body, 'the 404 page')
  t.ok(app.hasDecorator('shop'), 'createServer returns the instance with the decorators')
  await new Promise(setImmediate)
  t.strictSame(
    warnings.filter((text) => /fastify/i.test(text)),
    [],
  )
})

t.test('an error handler of server.ts gets nothing of pages, files and unknown paths', async (t) => {
  const { app, get, failuresOf } = await serve(t, handlers, { ledger: false })
  for (const url of ['/fails', '/api/page?hook=1', '/unknown?hook=1', '/robots.txt?hook=1']) {
    const response = await get(url)
    t.equal(response.statusCode, 500, url)
    t.match(response.body, `Digest: ${response.headers['x-error-digest']}`, url)
    t.equal(failuresOf(response).length, 1, url)
  }
  for (const url of ['/api/page', '/unknown']) {
    const refused = await app.inject({ method: 'POST', url, headers: { ...HTML, 'sec-fetch-site': 'cross-site' } })
    t.equal(refused.statusCode, 403, url)
    t.match(refused.headers['content-type'], 'text/html', url)
  }
})

const SECRET = {
  '/secret/layout': { guard: () => redirect('/login') },
  '/secret/plan': () => <p>the plan</p>,
}
const none = (app: FastifyInstance, text: string) =>
  void app.setNotFoundHandler(async (_, reply) => reply.code(404).send(text))

/** The type and the body of each response, or where it leads. */
async function bodies(
  app: FastifyInstance,
  requests: readonly (string | { method: 'POST' | 'OPTIONS'; url: string })[],
) {
  const seen: Record<string, string> = {}
  for (const one of requests) {
    const { method, url } = typeof one === 'string' ? { method: 'GET' as const, url: one } : one
    const { body, headers } = await app.inject({ method, url, headers: HTML })
    seen[`${method} ${url}`] = headers.location?.toString() ?? /<p>(.*?)<\/p>/.exec(body)?.[1] ?? body
  }
  return seen
}

t.test('reply.code() before an error gives the response its status, as in Fastify', async (t) => {
  const errors: Record<string, () => Error> = {
    plain: () => new Error('plain'),
    bug: () => new TypeError('bug'),
    client: () => Object.assign(new Error('client'), { statusCode: 404, response: {} }),
    refused: () => new HttpError(409, 'refused'),
    busy: () => Object.assign(new Error('busy'), { statusCode: 503 }),
    elsewhere: () => Object.assign(new Error('elsewhere'), { statusCode: 502, response: {} }),
  }
  async function server(app: FastifyInstance) {
    app.addHook<{ Querystring: Query }>('onRequest', async ({ query }, reply) => {
      if (!query.hook) return
      reply.code(Number(query.hook))
      throw errors[query.error]?.()
    })
    app.addHook('onSend', async ({ url }) => {
      if (url.includes('sent')) throw new Error('of onSend')
    })
    app.get<{ Querystring: Query }>('/throws', async ({ query }, reply) => {
      if (query.code) reply.code(Number(query.code))
      throw errors[query.error]?.()
    })
    app.get('/sends', (_, reply) => void reply.code(404).send('sent'))
  }
  const { get, failuresOf } = await testSite(t, PAGES, { server, ledger: false })
  for (const [url, status, detail] of [
    ['/throws?code=422&error=plain', 422, 'plain'],
    ['/throws?code=422&error=refused', 422, 'refused'],
    ['/throws?code=201&error=plain', 500, null],
    ['/throws?code=201&error=refused', 409, 'refused'],
    ['/throws?code=503&error=plain', 503, null],
    ['/throws?code=500&error=refused', 500, null],
    ['/throws?code=422&error=bug', 500, null],
    ['/throws?code=422&error=client', 500, null],
    ['/throws?error=busy', 503, null],
    ['/throws?error=elsewhere', 500, null],
    ['/api/page?hook=403&error=plain', 403, 'plain'],
    ['/unknown?hook=403&error=plain', 403, 'plain'],
    // The status was that of another response.
    ['/sends?sent=1', 500, null],
    ['/unknown?sent=1', 500, null],
  ] as const) {
    const response = await get(url, JSON_ONLY)
    t.equal(response.statusCode, status, url)
    t.match(response.json(), detail === null ? { status, digest: DIGEST_PATTERN } : { status, detail }, url)
    t.equal(failuresOf(response).length > 0, detail === null, `${url} is a failure or not`)
  }
})

t.test('a not-found handler of a scope gets what no page below its prefix has', async (t) => {
  const site = { ...PAGES, ...SECRET }
  const server = async (app: FastifyInstance) =>
    void app.register(async (api) => none(api, 'of the scope'), { prefix: '/api' })
  for (const base of ['', '/shop']) {
    const { app } = await testSite(t, site, { server, ledger: false, ...(base && { base }) })
    const urls = ['/api/page', '/api/unknown', '/api', '/apix', '/unknown', '/secret/plan', '/secret/unknown']
    t.strictSame(
      Object.values(
        await bodies(app, [...urls.map((url) => base + url), { method: 'POST', url: `${base}/api/unknown` }]),
      ),
      [
        'a page below the prefix',
        ...[
          'of the scope',
          'of the scope',
          'the 404 page',
          'the 404 page',
          `${base}/login`,
          `${base}/login`,
          'of the scope',
        ],
      ],
    )
    const navigation = await app.inject({
      url: `${base}/api/unknown?${NAVIGATION_MARK}`,
      headers: { [BUILD_HEADER]: 'x' },
    })
    t.strictSame(navigation.body.trim(), '["load"]', 'the browser loads it as a document')
  }
})

t.test('a not-found handler of all paths replaces the 404 page, after the guards of a folder', async (t) => {
  const server = async (app: FastifyInstance) => none(app, 'of server.ts')
  const dir = writeTestSite(`${folder}/top`, { ...PAGES, ...SECRET }, { server, publicFiles })
  const { app } = await serve(t, dir, { ledger: false })
  const seen = await bodies(app, [
    ...['/api/page', '/api/unknown', '/secret/plan', '/secret/unknown', '/robots.txt'],
    ...(['POST', 'OPTIONS'] as const).map((method) => ({ method, url: '/unknown' })),
    { method: 'POST', url: '/secret/unknown' },
  ])
  t.strictSame(seen, {
    'GET /api/page': 'a page below the prefix',
    'GET /api/unknown': 'of server.ts',
    'GET /secret/plan': '/login',
    'GET /secret/unknown': '/login',
    'GET /robots.txt': 'User-agent: *\n',
    'POST /unknown': 'of server.ts',
    'OPTIONS /unknown': 'of server.ts',
    'POST /secret/unknown': '/login',
  })

  const around = Fastify()
  t.teardown(() => around.close())
  around.setNotFoundHandler(async (_, reply) => reply.code(404).send('of the app'))
  await around.register(hydrant, { dir, base: '/shop', ledger: false })
  t.strictSame(Object.values(await bodies(around, ['/unknown', '/shop/unknown'])), ['of the app', 'of server.ts'])
})

t.test(
  'not-found and error handlers of an app around a site work, whether they are added before or after it',
  async (t) => {
    for (const order of ['before', 'after']) {
      const app = Fastify()
      t.teardown(() => app.close())
      const addOwn = () => {
        app.setErrorHandler<Error>(async (error, _, reply) => reply.code(500).send(`app: ${error.message}`))
        app.setNotFoundHandler(async (_, reply) => reply.code(404).send('of the app'))
        app.addHook('onRequest', async (_, reply) => void reply.header('x-order', order))
        app.get('/of-the-app', () => {
          throw new Error('own')
        })
        app.register(
          async (api) => void api.setNotFoundHandler(async (_, reply) => reply.code(404).send('of the scope')),
          { prefix: '/api' },
        )
      }
      if (order === 'before') addOwn()
      await app.register(hydrant, { dir: handlers, ledger: false })
      if (order === 'after') addOwn()
      const urls = ['/of-the-app', '/api/unknown', '/api/page', '/unknown', '/failed']
      t.strictSame(
        Object.values(await bodies(app, [...urls, { method: 'OPTIONS', url: '/unknown' }])),
        ['app: own', 'of the scope', 'a page below the prefix', 'the 404 page', '{"message":"failed"}', 'of the app'],
        order,
      )
      t.equal((await app.inject('/of-the-app')).headers['x-order'], order)
    }
  },
)

t.test('without a logger, failures alone are written to standard error, and a silent logger writes none', async (t) => {
  for (const [logger, count] of [
    [false, 1],
    [{ level: 'silent' }, 0],
  ] as const) {
    const { get } = await serve(t, handlers, { ledger: false, logger })
    const written = t.capture(process.stderr, 'write')
    const { headers } = await get('/failed')
    await get('/refused')
    const lines = written().map(({ args }) => JSON.parse(String(args[0])) as { digest: string })
    written.restore()
    t.equal(lines.length, count)
    if (count > 0) t.equal(lines[0]?.digest, headers['x-error-digest'])
  }
})
