// The packages of Fastify's organization, in a Fastify instance and in a `server.ts`.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { installOnce } from '../../install-once.ts'
import { buildBesideFastify, type Case, compare } from './beside-fastify.ts'

const PACKAGES = {
  '@fastify/auth': '^5',
  '@fastify/basic-auth': '^6',
  '@fastify/bearer-auth': '^10',
  '@fastify/compress': '^9',
  '@fastify/cookie': '^11',
  '@fastify/cors': '^11',
  '@fastify/csrf-protection': '^8',
  '@fastify/etag': '^6',
  '@fastify/formbody': '^9',
  '@fastify/helmet': '^13',
  '@fastify/http-proxy': '^11',
  '@fastify/jwt': '^10',
  '@fastify/middie': '^9',
  '@fastify/multipart': '^10',
  '@fastify/rate-limit': '^11',
  '@fastify/request-context': '^7',
  '@fastify/sensible': '^6',
  '@fastify/session': '^11',
  '@fastify/static': '^10',
  '@fastify/swagger': '^9',
  '@fastify/swagger-ui': '^6',
  '@fastify/under-pressure': '^9',
  '@fastify/websocket': '^11',
}
const installed = await installOnce('fastify-packages', PACKAGES)

const folder = t.testdir({
  site: {},
  files: { 'a.txt': 'file a', 'index.html': 'index', sub: { 'index.html': 'sub' } },
})
const files = JSON.stringify(join(folder, 'files'))
const upstream = createServer((request, response) => {
  response.statusCode = request.url === '/404' ? 404 : 200
  response.end(`${request.method} ${request.url}`)
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
t.teardown(() => upstream.close())
const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

const json = { 'content-type': 'application/json' }
const cross = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
const preflight = {
  ...cross,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type',
}
const parts = [
  '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello',
  '--b\r\ncontent-disposition: form-data; name="text"\r\n\r\nwords',
  '--b--\r\n',
]
const multipart = { 'content-type': 'multipart/form-data; boundary=b' }

/** The ways to allow an origin, and the hook that does. */
const CORS: Record<string, string> = {
  'every origin': '{}',
  'a list': "{ origin: ['https://app.example'] }",
  'with cookies': "{ origin: 'https://app.example', credentials: true }",
  'by a function': '() => (request, done) => done(null, { origin: true })',
}
const corsCases = Object.entries(CORS).map(([way, options]): [string, Case] => [
  `cors, ${way}`,
  {
    plugin: `(app) => {
  app.register(async (api) => {
    api.register(use('cors'), ${options})
    api.route({ method: ['GET', 'POST', 'PUT', 'DELETE'], url: '/x', handler: async (request) => request.body ?? request.method })
    api.setNotFoundHandler((request, reply) => reply.code(404).send('none'))
  }, { prefix: '/api' })
}`,
    requests: [
      { method: 'OPTIONS', url: '/api/x', headers: preflight },
      { method: 'POST', url: '/api/x', headers: { ...cross, ...json }, payload: '{"a":1}' },
      { method: 'POST', url: '/api/x', headers: { origin: cross.origin, ...json }, payload: '{"a":1}' },
      { method: 'PUT', url: '/api/x', headers: cross },
      { method: 'DELETE', url: '/api/x', headers: cross },
      { url: '/api/x', headers: cross },
      { url: '/api/none', headers: cross },
      { method: 'OPTIONS', url: '/api/none', headers: preflight },
    ],
  },
])

const HANDLER =
  'app.setErrorHandler((error, request, reply) => { reply.code(error.statusCode ?? 500).send({ message: error.message }) })'

const CASES: Record<string, Case> = {
  ...Object.fromEntries(corsCases),
  'auth, basic-auth, bearer-auth': {
    plugin: `async (app) => {
  ${HANDLER}
  app.decorate('first', (request, reply, done) => done(request.headers.a ? undefined : new Error('no a')))
  app.decorate('second', async (request) => { if (!request.headers.b) throw new Error('no b') })
  await app.register(use('auth'))
  app.after(() => { app.post('/both', { preHandler: app.auth([app.first, app.second], { relation: 'and' }) }, async () => 'in') })
  app.register(async (scope) => {
    scope.register(use('basic-auth'), { validate: async (name, word) => { if (name !== 'a' || word !== 'b') throw new Error('no') }, authenticate: { realm: 'W' } })
    scope.after(() => { scope.addHook('onRequest', scope.basicAuth); scope.get('/basic', async () => 1) })
  })
  app.register(async (scope) => { scope.register(use('bearer-auth'), { keys: new Set(['k']) }); scope.get('/bearer', async () => 1) })
}`,
    requests: [
      { method: 'POST', url: '/both' },
      { method: 'POST', url: '/both', headers: { a: '1', b: '1' } },
      ...['/basic', '/bearer', { url: '/basic', headers: { authorization: 'Basic YTpi' } }],
      { url: '/bearer', headers: { authorization: 'Bearer k' } },
    ],
  },
  'compress, etag, helmet': {
    plugin: `(app) => {
  app.register(use('compress'), { threshold: 10 })
  app.register(use('helmet'))
  app.get('/long', async () => ({ a: 'x'.repeat(5000) }))
  app.get('/plain', { compress: false, helmet: false }, async () => 'x'.repeat(5000))
  app.register(async (scope) => { scope.register(use('etag')); scope.get('/tagged', async () => 'abc') })
}`,
    requests: [
      ...['br', 'gzip', 'deflate', 'identity'].map((accepted) => ({
        url: '/long',
        headers: { 'accept-encoding': accepted },
      })),
      ...[{ url: '/plain', headers: { 'accept-encoding': 'br' } }, '/tagged'],
    ],
  },
  'cookie, csrf-protection, jwt, session': {
    plugin: `async (app) => {
  ${HANDLER}
  app.register(use('cookie'), { secret: 's' })
  app.register(use('session'), { secret: 'a secret of at least thirty-two characters', cookie: { secure: false }, saveUninitialized: false })
  await app.register(use('csrf-protection'))
  await app.register(use('jwt'), { secret: 's' })
  app.get('/cookie', async (request, reply) => { reply.setCookie('a', 'b', { path: '/', signed: true }); return request.cookies })
  app.get('/session', async (request) => { request.session.user = 'Bob'; return [request.session.user, typeof app.jwt.sign] })
  app.post('/token', { onRequest: app.csrfProtection }, async () => 1)
  app.get('/verified', { onRequest: async (request) => { await request.jwtVerify() } }, async (request) => request.user)
}`,
    requests: [
      { url: '/cookie', cookies: { z: '1' } },
      { method: 'POST', url: '/token' },
      '/verified',
      { url: '/verified', headers: { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' } },
    ],
  },
  'formbody, multipart': {
    plugin: `(app) => {
  app.register(use('formbody'))
  app.register(use('multipart'), { attachFieldsToBody: 'keyValues' })
  app.post('/form', async ({ body }) => ({ ...body, file: String(body.file) }))
}`,
    requests: [
      {
        method: 'POST',
        url: '/form',
        payload: 'a=1&b=2',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      { method: 'POST', url: '/form', payload: parts.join('\r\n'), headers: multipart },
    ],
  },
  'http-proxy': {
    plugin: `(app) => {
  app.register(use('http-proxy'), { upstream: '${upstreamUrl}', prefix: '/proxy' })
  app.register(use('http-proxy'), { upstream: '${upstreamUrl}', prefix: '/moved', rewritePrefix: '/to', httpMethods: ['GET'] })
}`,
    requests: [
      ...['/proxy/a?b=1', '/proxy/404', '/proxy', '/moved/q', { method: 'OPTIONS' as const, url: '/proxy/o' }],
      {
        method: 'POST',
        url: '/proxy/p',
        payload: 'a=1',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
  },
  middie: {
    plugin: `async (app) => {
  ${HANDLER}
  app.setNotFoundHandler((request, reply) => reply.code(404).send('none'))
  await app.register(use('middie'))
  app.use((request, response, next) => { response.setHeader('x-middleware', '1'); next() })
  app.use('/own', (request, response) => { response.end('of the middleware ' + request.url) })
  app.use('/fails', (request, response, next) => next(new Error('of the middleware')))
  app.get('/x', async () => 1)
  app.get('/fails', async () => 1)
}`,
    requests: ['/x', '/own/y', '/fails', '/none', { method: 'POST', url: '/own/y' }],
  },
  'rate-limit, under-pressure': {
    plugin: `async (app) => {
  ${HANDLER}
  await app.register(use('rate-limit'), { max: 2, timeWindow: 60000 })
  app.setNotFoundHandler({ preHandler: app.rateLimit({ max: 1 }) }, (request, reply) => reply.code(404).send('none'))
  app.register(use('under-pressure'), { exposeStatusRoute: true })
  app.get('/x', async () => app.isUnderPressure())
  app.get('/y', { config: { rateLimit: { max: 1 } } }, async () => 1)
}`,
    requests: ['/x', '/x', '/x', '/y', '/y', '/none', '/none'],
  },
  'request-context, sensible': {
    plugin: `(app) => {
  ${HANDLER}
  app.register(use('sensible'))
  app.register(use('request-context'), { defaultStoreValues: { user: 1 } })
  app.get('/context', async (request) => request.requestContext.get('user'))
  app.get('/none', (request, reply) => { reply.notFound() })
  app.get('/conflict', async () => { throw app.httpErrors.conflict('c') })
  app.get('/asserted', async () => { app.assert.equal(1, 2, 400, 'no') })
  app.get('/headers', (request, reply) => { reply.preventCache(); reply.vary('x'); reply.send(request.is('json')) })
}`,
    requests: ['/context', '/none', '/conflict', '/asserted', '/headers'],
  },
  static: {
    plugin: `(app) => {
  app.register(use('static'), { root: ${files}, prefix: '/files/' })
  app.register(use('static'), { root: ${files} + '/sub', prefix: '/app/', decorateReply: false, wildcard: false })
  app.register(async (scope) => scope.setNotFoundHandler((request, reply) => reply.sendFile('index.html')), { prefix: '/app' })
  app.setNotFoundHandler((request, reply) => reply.code(404).send('none'))
  app.get('/sent', (request, reply) => reply.sendFile('a.txt'))
  app.get('/download', (request, reply) => reply.download('a.txt', 'b.txt'))
}`,
    requests: [
      ...['/files/a.txt', '/files/', '/files/sub/', '/files/sub', '/files/none', '/sent', '/download', '/none'],
      ...[
        '/app/',
        '/app/index.html',
        '/app/deep/link',
        '/app',
        { url: '/files/a.txt', headers: { range: 'bytes=0-1' } },
      ],
    ],
  },
  'swagger, swagger-ui': {
    plugin: `async (app) => {
  await app.register(use('swagger'), { openapi: { info: { title: 't', version: '1' } } })
  app.get('/x', { schema: { querystring: { type: 'object', properties: { a: { type: 'string' } } } } }, async () => ({}))
  await app.register(use('swagger-ui'), { routePrefix: '/docs' })
}`,
    requests: ['/docs/json', '/docs', '/docs/', '/docs/static/index.html'],
  },
  websocket: {
    plugin: `async (app) => {
  await app.register(use('websocket'))
  app.get('/echo', { websocket: true }, (socket) => socket.on('message', (text) => socket.send('echo ' + text)))
  app.get('/talk', async () => {
    const socket = await app.injectWS('/echo')
    const answer = new Promise((resolve) => socket.on('message', (text) => resolve(String(text))))
    socket.send('hi')
    const text = await answer
    socket.terminate()
    return text
  })
}`,
    requests: ['/talk', '/echo'],
  },
}

t.test('packages of Fastify work in server.ts as in Fastify', async (t) => {
  const dir = await buildBesideFastify(join(folder, 'site'))
  const require = `import { createRequire } from 'node:module'\nconst require = createRequire(${JSON.stringify(`${installed}/x.js`)})\nconst use = (name) => require('@fastify/' + name)\n`
  const different: string[] = []
  for (const [name, one] of Object.entries(CASES)) different.push(...(await compare(dir, name, one, require)))
  t.strictSame(different, [])
})
