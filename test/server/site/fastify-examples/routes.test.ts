import t from 'tap'
import { post, testChapter } from '../fastify-examples.ts'

/** Responds with the parameters of a route, in place of its handler. */
const PARAMS =
  "fastify.addHook('preHandler', async ({ url, params }, reply) => url.startsWith('/example') ? reply.send(params) : undefined)"
const WORK =
  'const options = {}, getData = async () => ({ some: 1 }), processData = async (data) => ({ ...data, processed: true })'
const HEAD = { method: 'HEAD', url: '/' } as const

const plugin = (handler: string, url: string) =>
  `(fastify, options, done) => { fastify.get('${url}', ${handler}); done() }`
const levels =
  "async ({ log }) => { for (const level of ['debug', 'info', 'warn']) log[level]({ user: { name: 'N', surname: 'S' } }, 'own ' + level); return log.level }"
const users = { './routes/user': plugin(levels, '/user'), './routes/events': plugin(levels, '/events') }
const version = (value: string) => ({ url: '/', headers: { 'accept-version': value } })
const host = (value: string) => ({ url: '/', headers: { host: value } })
const secret = (url: string, value: string) => ({ url, headers: { secret: value } })

t.test('Routes', (t) =>
  testChapter(t, 'Reference/Routes', {
    'Full declaration 1': {
      before: `const options = {
  method: ['GET', 'POST'], url: '/full', bodyLimit: 12, config: { a: 1 }, exposeHeadRoute: false,
  schema: { querystring: { type: 'object', properties: { n: { type: 'integer' } } } },
  onRequest(request, reply, done) { reply.header('own', 'yes'); done() },
  preHandler: [async (request) => { request.list = true }],
  preSerialization: async (request, reply, payload) => ({ wrapped: payload }),
  errorHandler: (error, request, reply) => reply.code(418).send(error.message),
  handler: async ({ list, query, body, routeOptions }) => [list, query, body, routeOptions.config, routeOptions.bodyLimit],
}`,
      requests: ['/full?n=3', '/full?n=x', post('/full', { a: 1 }), post('/full', { long: 'enough' })],
    },
    'Routes options 1': { requests: ['/', '/?name=a&excitement=3', HEAD] },
    'Shorthand declaration 1': { requests: ['/', HEAD] },
    'Shorthand declaration 2': { requests: ['/', HEAD] },
    'Url building 1': {
      before: PARAMS,
      requests: [
        ...['/example/12345', '/example/12345/abc.zHi', '/example/a/b/c', '/example/', '/example/a%2Fb'],
        '/example/%E4%BD%A0',
      ],
    },
    'Url building 2': { before: PARAMS, requests: ['/example/12345.png', '/example/a.png'] },
    'Url building 3': { before: PARAMS, requests: [encodeURI('/example/near/15°N-30°E/radius/20')] },
    'Url building 4': { before: PARAMS, requests: ['/example/at/08h24m', '/example/at/8h24m'] },
    'Url building 5': { before: PARAMS, requests: ['/example/posts', '/example/posts/1', '/example/posts/'] },
    'Url building 6': {
      edit: { "verb')": "verb', async ({ url }) => url)" },
      requests: [post('/name:verb')],
    },
    'Async Await 1': { before: WORK, requests: ['/'] },
    'Async Await 2': { before: WORK, requests: ['/'] },
    'Async Await 3': { before: WORK, requests: ['/'] },
    'Async Await 4': { before: WORK, requests: ['/'] },
    'Route Prefixing 1': {
      modules: {
        './routes/v1/users': plugin("async () => 'v1'", '/user'),
        './routes/v2/users': plugin("async () => 'v2'", '/user'),
      },
      requests: ['/v1/user', '/v2/user'],
    },
    'Route Prefixing 2': {
      before: "const handler_v1 = async () => 'v1'",
      after: "if (typeof module.exports === 'function') fastify.register(module.exports, { prefix: '/v1' })",
      requests: ['/v1/user'],
    },
    'Route Prefixing 3': {
      before: "const handler_v2 = async () => 'v2'",
      after: "if (typeof module.exports === 'function') fastify.register(module.exports, { prefix: '/v2' })",
      requests: ['/v2/user'],
    },
    'Route Prefixing 4': {
      edit: { '() => {}': "async ({ url }) => url + ' sent'" },
      requests: ['/v1/users', post('/v1/login')],
    },
    'Route Prefixing and fastify-plugin 1': {
      modules: { './lib/routes': plugin("async () => 'found'", '/x') },
      after: "if (typeof module.exports === 'function') fastify.register(module.exports, { prefix: '/not-used' })",
      requests: ['/v1/x'],
    },
    'Custom Log Level 1': { modules: users, requests: ['/user', '/events'], logs: /^own/ },
    'Custom Log Level 2': {
      edit: { 'reply.send': "request.log.info('own info'); request.log.warn('own warning'); reply.send" },
      requests: ['/'],
      logs: /^own/,
    },
    'Custom Log Serializer 1': { modules: users, requests: ['/user', '/events'], logs: /^own/ },
    'Custom Log Serializer 2': {
      app: true,
      before: "const Fastify = require('fastify')",
      edit: { "key: 'another key' }": "key: 'another key' }, 'own'" },
      after: "fastify.get('/req', async (request) => { request.log.info({ user: request.raw }, 'own'); return 1 })",
      requests: ['/', '/req'],
      logs: /^own/,
    },
    'Config 1': { requests: ['/en', '/it'] },
    'Version Constraints 1': {
      edit: { "// { hello: 'world' }": 'seen(err, res.statusCode, res.body)' },
      requests: [version('1.x'), version('1.2.0'), version('1.2.x')],
    },
    'Version Constraints 2': {
      modules: { vary: "{ append: (header, field) => [header, field].filter(Boolean).join(', ') }" },
      after:
        "fastify.get('/', { constraints: { version: '1.2.0' } }, (_, reply) => reply.header('vary', 'Origin').send('sent'))",
      requests: [version('1.x')],
    },
    'Host Constraints 1': {
      // Another host has the page of this path.
      edit: {
        "url: '/'": "url: '/own'",
        '// 404 because': 'seen(res.statusCode, res.body) //',
        '// => ': 'seen(res.statusCode, res.body) //',
        'fastify.dev': 'fastify.example',
      },
      before: "fastify.setNotFoundHandler((request, reply) => reply.code(404).send('none'))",
      requests: [{ ...host('auth.fastify.example'), url: '/own' }],
    },
    'Host Constraints 2': { requests: [host('auth.fastify.example'), host('a.b.fastify.example')] },
    'Asynchronous Custom Constraints 1': {
      after: `fastify.addConstraintStrategy(secret)
fastify.get('/secret', { constraints: { secret: 'alpha' } }, async () => 'alpha')
fastify.get('/secret', { constraints: { secret: 'beta' } }, async () => 'beta')
fastify.get('/plain', async () => 'plain')`,
      requests: [secret('/secret', 'alpha'), secret('/secret', 'beta'), '/plain'],
    },
    'Asynchronous Custom Constraints 2': {
      app: true,
      after: `fastify.addConstraintStrategy({
  name: 'secret',
  storage: () => ({ get: () => null, set() {} }),
  deriveConstraint: (req, ctx, done) => req.headers.secret ? done(new Error('hidden')) : done(null, undefined),
})
fastify.get('/own', { constraints: { secret: 'alpha' } }, async () => 'alpha')`,
      requests: [secret('/own', 'alpha')],
    },
  }),
)
