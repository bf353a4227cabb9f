// What the examples of Fastify's chapters do not show, in a Fastify instance and in a `server.ts`.

import t from 'tap'
import { buildBesideFastify, type Case, compare } from './beside-fastify.ts'

const post = (url: string, payload: object | string = {}, type = 'application/json') => ({
  method: 'POST' as const,
  url,
  payload,
  headers: { 'content-type': type },
})
const send = (method: 'OPTIONS' | 'HEAD' | 'DELETE' | 'PUT' | 'PATCH' | 'TRACE' | 'GET', url: string) => ({
  method,
  url,
})

/** Error handlers that respond in each of Fastify's ways. */
const HANDLERS: Record<string, string> = {
  'sends at once': '(error, request, reply) => { reply.status(409).send({ ok: false, message: error.message }) }',
  'returns a promise':
    'async function (error, request, reply) { reply.code(500); return { message: error.message, get: typeof this.get } }',
  'sends later':
    'async (error, request, reply) => { await null; reply.code(503).send({ message: error.message }); return reply }',
  'returns a value': '(error, request, reply) => { reply.code(418); return { message: error.message } }',
}

const errorCases = Object.entries(HANDLERS).map(([way, handler]): [string, Case] => [
  `Errors: a handler that ${way}`,
  {
    plugin: `(app) => {
  app.setErrorHandler(${handler})
  app.get('/sync', () => { throw new Error('sync') })
  app.get('/async', async () => { throw new Error('async') })
  app.get('/send', (request, reply) => { reply.send(new Error('sent')) })
  app.get('/coded', async () => { throw Object.assign(new Error('coded'), { statusCode: 404 }) })
  app.get('/text', async () => { throw 'text' })
  app.get('/hook', { onRequest: async () => { throw new Error('hook') } }, async () => 1)
  app.get('/schema', { schema: { querystring: { type: 'object', required: ['q'] } } }, async () => 1)
  app.post('/body', async (request) => request.body)
}`,
    requests: [
      '/sync',
      '/async',
      '/send',
      '/coded',
      '/text',
      '/hook',
      '/schema',
      post('/body', '{'),
      post('/body', 'x', 'a/b'),
    ],
  },
])

const CHAPTERS: Record<string, Case> = {
  ...Object.fromEntries(errorCases),
  'Errors: nested scopes': {
    plugin: `(app) => {
  app.setErrorHandler((error, request, reply) => reply.code(500).send('outer ' + error.message))
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      if (error.message === 'up') throw error
      if (error.message === 'new') throw new Error('thrown by the handler')
      reply.code(500).send('inner ' + error.message)
    })
    for (const name of ['own', 'up', 'new']) scope.get('/' + name, async () => { throw new Error(name) })
    scope.get('/route', { errorHandler(error, request, reply) { reply.send(error) } }, async () => { throw new Error('route') })
  }, { prefix: '/scope' })
  app.get('/top', async () => { throw new Error('top') })
  app.addHook('onError', async (request, reply, error) => { reply.header('on-error', error.message) })
}`,
    requests: ['/scope/own', '/scope/up', '/scope/new', '/scope/route', '/top'],
  },
  'Errors: not a function': { plugin: "(app) => { app.setErrorHandler('no') }", requests: [] },
  'Server: not found, at the top and in scopes': {
    plugin: `(app) => {
  app.addHook('onRequest', async (request, reply) => { reply.header('top', 'yes') })
  app.setNotFoundHandler({
    preValidation(request, reply, done) { reply.header('pre-validation', '1'); done() },
    preHandler(request, reply, done) { reply.header('pre-handler', '1'); done() },
  }, (request, reply) => reply.code(404).send({ is404: request.is404, body: request.body ?? null }))
  app.get('/call', (request, reply) => { reply.callNotFound() })
  app.register((scope, options, done) => {
    scope.addHook('preHandler', async (request, reply) => { reply.header('scope', 'yes') })
    scope.setNotFoundHandler((request, reply) => reply.code(404).send({ scope: true, url: request.routeOptions.url }))
    scope.get('/known', async () => 1)
    scope.get('/call', (request, reply) => { reply.callNotFound() })
    done()
  }, { prefix: '/v1' })
}`,
    requests: [
      ...['/nope', '/nope/', '/call', '/v1/known', '/v1/nope', '/v1', '/v1/', '/v1/known/more', '/v1/call', '/v1x'],
      ...[post('/nope', { a: 1 }), post('/v1/nope', { a: 1 }), send('DELETE', '/v1/known')],
      ...[send('OPTIONS', '/nope'), send('OPTIONS', '/'), send('HEAD', '/v1/nope'), send('OPTIONS', '/v1/nope')],
    ],
  },
  'Server: not found, below parameters and each other': {
    plugin: `(app) => {
  app.register(async (scope) => {
    scope.setNotFoundHandler((request, reply) => reply.code(404).send(request.params))
    scope.get('/x', async () => 1)
  }, { prefix: '/tenant/:tenant' })
  app.register(async (outer) => {
    outer.setNotFoundHandler((request, reply) => reply.code(404).send('outer'))
    outer.register(async (inner) => inner.setNotFoundHandler((request, reply) => reply.code(404).send('inner')), { prefix: '/b' })
    outer.register(async (inner) => inner.get('/y', async () => 'y'), { prefix: '/c' })
  }, { prefix: '/a' })
}`,
    requests: ['/tenant/t/x', '/tenant/t/nope', '/tenant/t', '/a/nope', '/a/b/nope', '/a/c/nope', '/a/c/y'],
  },
  'Server: not found, in a scope without a prefix, that fails': {
    plugin: `(app) => {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => reply.code(409).send(error.message))
    scope.addHook('onRequest', async (request) => { if (request.query.hook) throw new Error('hook of ' + request.is404) })
    scope.setNotFoundHandler(async (request) => { throw new Error('handler') })
  })
}`,
    requests: ['/nope', '/nope?hook=1'],
  },
  'Server: not found, set twice': {
    plugin: '(app) => { app.setNotFoundHandler(() => {}); app.setNotFoundHandler(() => {}) }',
    requests: [],
  },
  'Hooks: the order': {
    plugin: `(app) => {
  const seen = []
  for (const name of ['onRequest', 'preValidation', 'preHandler', 'onResponse'])
    app.addHook(name, async (request) => { if (request.url === '/hooked') seen.push(name) })
  for (const name of ['preParsing', 'preSerialization', 'onSend'])
    app.addHook(name, async (request, reply, payload) => { if (request.url === '/hooked') seen.push(name); return payload })
  app.post('/hooked', { onRequest: async () => { seen.push('route') }, preHandler: [(request, reply, done) => { seen.push('list'); done() }] }, async (request) => request.body)
  app.get('/seen', async () => seen)
  app.get('/304', { onSend(request, reply, payload, done) { reply.code(304); done(null, '') } }, async () => 'x')
}`,
    requests: [post('/hooked', { a: 1 }), '/seen', '/304'],
  },
  'Hooks: onRoute': {
    plugin: `async (app) => {
  const routes = []
  app.addHook('onRoute', (route) => { if (route.url.startsWith('/r')) routes.push([route.method, route.url, route.path, route.routePath, route.prefix, route.config?.a]) })
  app.addHook('onRoute', (route) => { route.preHandler = [async (request, reply) => { reply.header('by-route', '1') }, ...[route.preHandler ?? []].flat()] })
  app.route({ method: ['GET', 'POST'], url: '/r2', handler: async () => 1, config: { a: 1 } })
  app.register(async (scope) => { scope.get('/', async () => 1); scope.post('/z/:id', async () => 1) }, { prefix: '/r' })
  app.get('/state', async () => routes)
}`,
    requests: ['/state', '/r', '/r/', '/r2', post('/r/z/1')],
  },
  'Decorators: twice': { plugin: "(app) => { app.decorate('x', 1); app.decorate('x', 2) }", requests: [] },
  'Validation and Serialization': {
    plugin: `(app) => {
  app.setErrorHandler((error, request, reply) => { reply.code(error.statusCode ?? 500).send({ code: error.code, message: error.message, context: error.validationContext, validation: error.validation }) })
  app.get('/by-hand', async (request) => [request.compileValidationSchema({ type: 'number' })('x'), request.validateInput({ a: 1 }, { type: 'object' })])
  app.register(async (scope) => {
    scope.setValidatorCompiler(({ schema }) => (data) => (data === schema.equal ? { value: 'valid' } : { error: new Error('invalid') }))
    scope.post('/compiled', { schema: { body: { equal: 'y' } } }, async (request) => request.body)
  })
  app.register(async (scope) => {
    scope.setSchemaErrorFormatter((errors, context) => new Error('formatted ' + context + errors.length))
    scope.post('/formatted', { schema: { body: { type: 'object', required: ['a'] } } }, async (request) => request.body)
  })
  app.register(async (scope) => {
    scope.setSerializerCompiler(({ httpStatus }) => (data) => JSON.stringify({ httpStatus, data }))
    scope.get('/serialized', { schema: { response: { 200: { type: 'object' } } } }, async () => ({ a: 1 }))
    scope.get('/custom', async (request, reply) => { reply.type('application/x').serializer((value) => 'custom ' + value.a); return { a: 1 } })
  })
  app.register(async (scope) => { scope.setReplySerializer((payload, status) => JSON.stringify({ payload, status })); scope.get('/default', async () => ({ a: 1 })) })
}`,
    requests: [
      ...['/by-hand', '/serialized', '/custom', '/default', post('/formatted')],
      ...[post('/compiled', 'y', 'text/plain'), post('/compiled', 'n', 'text/plain')],
    ],
  },
  'Content-Type Parser': {
    plugin: `(app) => {
  app.setErrorHandler((error, request, reply) => { reply.code(error.statusCode ?? 500).send({ code: error.code }) })
  app.addContentTypeParser(/^image\\/.*/, { parseAs: 'buffer', bodyLimit: 4 }, async (request, body) => body.length)
  app.post('/x', async (request) => ({ body: request.body }))
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => done(null, 'any ' + body))
    scope.post('/any', async (request) => ({ body: request.body }))
  })
}`,
    requests: [
      ...[post('/x', 'abc', 'image/png'), post('/x', 'abcdef', 'image/png')],
      ...[post('/x', ''), post('/x', '{"__proto__":1}'), post('/x', 'a=1', 'application/x-www-form-urlencoded')],
      ...[post('/any', 'abc', 'a/b'), post('/any', 'abc', 'multipart/form-data; boundary=x')],
    ],
  },
  Routes: {
    plugin: String.raw`(app) => {
  app.setErrorHandler((error, request, reply) => { reply.code(error.statusCode ?? 500).send({ code: error.code }) })
  app.setNotFoundHandler((request, reply) => reply.code(404).send('none'))
  for (const url of ['/user/:id', '/wild/*']) app.get(url, async (request) => request.params)
  app.all('/all', async (request) => request.method)
  app.head('/head', async (request, reply) => { reply.header('x', 'y'); return null })
  app.get('/no-head', { exposeHeadRoute: false }, async () => 1)
  app.delete('/body', async (request) => request.body ?? 'none')
  app.put('/body', async (request) => request.body ?? 'none')
  app.get('/Case/', async () => 1)
  app.post('/limit', { bodyLimit: 3 }, async (request) => request.body)
  app.get('/log-level', { logLevel: 'warn' }, async ({ routeOptions }) => [routeOptions.url, routeOptions.method, routeOptions.logLevel])
  for (const prefixTrailingSlash of ['both', 'slash', 'no-slash'])
    app.register(async (scope) => scope.get('/', { prefixTrailingSlash }, async () => prefixTrailingSlash), { prefix: '/' + prefixTrailingSlash })
  app.get('/version', { constraints: { version: '1.2.0' } }, async () => 'one')
  app.get('/version', { constraints: { version: '2.0.0' } }, async () => 'two')
  app.get('/host', { constraints: { host: 'auth.example' } }, async () => 'auth')
  app.get('/host', { constraints: { host: /.*\.other\.example/ } }, async () => 'other')
  app.get('/host', async () => 'any')
  app.addConstraintStrategy({ name: 'secret', storage() { const all = {}; return { get: (key) => all[key] || null, set: (key, value) => { all[key] = value } } }, deriveConstraint: (request) => request.headers['x-secret'], mustMatchWhenDerived: true })
  app.get('/secret', { constraints: { secret: 'a' } }, async () => 'secret')
  app.get('/known', async () => [app.hasRoute({ method: 'GET', url: '/user/:id' }), app.hasRoute({ method: 'HEAD', url: '/no-head' }), typeof app.findRoute({ method: 'GET', url: '/user/:id' }), app.hasConstraintStrategy('secret'), typeof app.printRoutes(), typeof app.printPlugins(), app.prefix])
}`,
    requests: [
      ...['/user/5', '/user/a%20b', '/user/%E4%BD%A0'],
      ...['/wild/a/b', '/wild/', '/wild', '/Case/', '/Case', '/case/', '/log-level', '/known'],
      ...(['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const).map((method) => send(method, '/all')),
      ...[send('HEAD', '/head'), send('HEAD', '/no-head'), send('DELETE', '/body'), send('PUT', '/body')],
      ...[
        post('/limit', { long: 1 }),
        '/both',
        '/both/',
        '/slash',
        '/slash/',
        '/no-slash',
        '/no-slash/',
        '/version',
        '/secret',
      ],
      ...['1.x', '2.0.0', '9.x'].map((version) => ({ url: '/version', headers: { 'accept-version': version } })),
      ...['auth.example', 'x.other.example', 'localhost'].map((host) => ({ url: '/host', headers: { host } })),
      ...['/secret', '/user/1'].map((url) => ({ url, headers: { 'x-secret': 'a' } })),
    ],
  },
  'Routes: declared twice': { plugin: "(app) => { app.get('/x', () => 1); app.get('/x', () => 2) }", requests: [] },
  Reply: {
    plugin: `(app) => {
  app.setErrorHandler((error, request, reply) => { reply.code(error.statusCode ?? 500).send({ code: error.code }) })
  app.get('/headers', (request, reply) => { reply.code(201).header('set-cookie', 'a=1').header('set-cookie', 'b=2').headers({ x: 1 }).type('text/html').send('<p>') })
  app.get('/response', async () => new Response('web', { status: 201, headers: { x: 'y' } }))
  app.get('/null', async () => null)
  app.get('/nothing', (request, reply) => { reply.send() })
  app.get('/number', async () => 5)
  app.get('/reads', (request, reply) => { reply.header('a', 'b'); reply.send([reply.getHeader('a'), reply.hasHeader('a'), reply.getHeaders().a, reply.statusCode, reply.sent, reply.removeHeader('a').hasHeader('a')]) })
  app.get('/500', (request, reply) => { reply.code(500).send({ own: 1 }) })
  app.get('/204', (request, reply) => { reply.code(204).send() })
  app.get('/bad-code', (request, reply) => { reply.code('abc').send() })
  app.get('/bad-payload', (request, reply) => { reply.type('text/plain').send({ a: 1 }) })
  app.get('/twice', (request, reply) => { reply.send('a'); reply.send('b') })
}`,
    requests: [
      ...['/headers', '/response', '/null', '/nothing', '/number'],
      ...['/reads', '/500', '/204', '/bad-code', '/bad-payload', '/twice', send('HEAD', '/headers')],
    ],
  },
  Request: {
    plugin: `(app) => {
  app.post('/x/:p', async (request) => ({ original: request.originalUrl, is404: request.is404, raw: request.raw.url, socket: typeof request.socket, aborted: request.signal.aborted, type: request.mediaType }))
}`,
    requests: [post('/x/1?a=1&b=%20', { z: 1 })],
  },
  'Plugins and Logging': {
    plugin: `async (app) => {
  app.after(() => app.get('/after', async () => 'after'))
  app.setGenReqId((raw) => 'id of ' + raw.url)
  app.setChildLoggerFactory((logger, bindings, options) => logger.child(bindings, options))
  app.get('/log', async (request) => [typeof request.log.info, typeof app.log.info, app.log.level, request.id])
  app.get('/injected', async () => (await app.inject('/after')).body)
}`,
    requests: ['/after', '/log', '/injected'],
  },
  'Plugins: one that fails': {
    plugin: "(app) => { app.register(async () => { throw new Error('failed') }) }",
    requests: [],
  },
}

t.test('what works in Fastify works in server.ts, with the same responses', async (t) => {
  const dir = await buildBesideFastify(t.testdir({}))
  const different: string[] = []
  for (const [chapter, one] of Object.entries(CHAPTERS)) different.push(...(await compare(dir, chapter, one)))
  t.strictSame(different, [])
})
