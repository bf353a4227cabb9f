import t from 'tap'
import { type Example, post, testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'
const REQUEST_ID = '`request.id` is `req-1`, `req-2` …'

const PORT = '`hydrant start` listens.'
const OWN_SERVER = 'The server is that of the app, and the site has nothing to do with it.'

const APP = "const Fastify = require('fastify')\n"
const OWN = "fastify.get('/own', async ({ query, params, url }) => ({ query, params, url }))\n"
const ID = "fastify.get('/own', async ({ id }) => [id])"
const STREAM =
  "fastify.get('/own', (request, reply) => { reply.type('text/plain').send(new (require('node:stream').Readable)({ read() { this.destroy(new Error('broken')) } })) })"
const THROWS = "fastify.get('/own', async () => { throw new Error('thrown') })\n"
/** Ends a handler that only logs. */
const SENDS = { '\n})': '\n  reply.send()\n})' }
const as = (method: string, url: string, payload?: object) => ({
  // The types have only the methods that Fastify knows.
  method: method as 'GET',
  url,
  ...(payload ? { payload } : {}),
})
const accept = (value: string) => ({ url: '/own', headers: { accept: value } })
const FORWARDED = {
  'x-forwarded-for': '1.2.3.4, 5.6.7.8',
  'x-forwarded-host': 'a.example',
  'x-forwarded-proto': 'https',
}
const PRINTED = `fastify.get('/test', () => {}); fastify.get('/test/hello', () => {})
fastify.get('/testing', () => {}); fastify.get('/testing/:param', () => {}); fastify.put('/update', () => {})
await fastify.ready()`
/** Records the routes and plugins of the example, without those of a site, the branches of the tree and times. */
const printed = (before: string): Example => ({
  before: `const print = (text) => seen(text.split('\\n').filter((line) => /test|hello|ing|:param|update|foo|ba[rz]/.test(line))
  .map((line) => line.replaceAll(/[│├└─┬ /]+|[0-9]+ ms/g, ' ')).join())
const console = { log: print, error: print }
${before}`,
})
const own = { app: true, after: OWN, requests: ['/own?A=B'] }

t.test('Server', (t) =>
  testChapter(t, 'Reference/Server', {
    'handlerTimeout 1': {
      before: `const longQuery = '', never = (signal) => new Promise((resolve, reject) => { signal.onabort = () => { seen('aborted'); reject(signal.reason) } })
const db = { query: (sql, { signal }) => never(signal) }, externalService = { call: ({ signal }) => never(signal) }`,
      // `server.ts` has no options of the server.
      edit: { '({\n  handlerTimeout: 10000 // 10s default for all routes\n})': '()', '120000': '10', '5000': '10' },
      requests: ['/slow-report', '/custom-timeout'],
      differs: { [ERROR]: ['/slow-report'] },
    },
    'logger 1': { requests: ['/foo'], logs: /^undefined$/ },
    'loggerInstance 1': {
      app: true,
      edit: { 'info: function (o, ...n) {}': "info: function (o, ...n) { seen('info', o.msg ?? n[0] ?? o) }" },
      after: "fastify.get('/own', async (request) => { request.log.info('own'); return typeof request.log.pino })",
      requests: ['/own'],
    },
    'disableRequestLogging 1': {
      app: true,
      edit: { 'const fastify = require': 'var fastify = require' },
      after: `${OWN}\nfastify.get('/health', async () => 1)`,
      requests: ['/health', '/own'],
      logs: /request/,
    },
    'disableRequestLogging 2': { after: OWN, requests: ['/own'], logs: /^received request/, differs: REQUEST_ID },
    'logController 1': { after: 'seen(LogController)' },
    'logController 2': {
      ...own,
      after: `${OWN}\nfastify.get('/health', async () => 1)`,
      requests: ['/health', '/own'],
      logs: /request/,
    },
    'serverFactory 1': {
      app: true,
      before: `${APP}const http = require('node:http')`,
      edit: { 'handler(req, res)': "seen('factory'); handler(req, res)" },
      requests: [{ connect: '/' }],
    },
    'requestIdHeader 1': { ...own, after: ID, requests: [{ url: '/own', headers: { 'x-custom-id': 'sent' } }] },
    'genReqId 1': { ...own, after: ID, requests: ['/own', '/own'] },
    'trustProxy 1': {
      app: true,
      after:
        "const fastify = require('fastify')({ trustProxy: myTrustFn })\nfastify.get('/own', async ({ ip, ips }) => [ip, ips])",
      edit: { '1.2.3.4': '127.0.0.1' },
      requests: [{ url: '/own', headers: FORWARDED }],
    },
    'trustProxy 2': {
      app: true,
      before: APP,
      after: "fastify.get('/own', async ({ ip, ips, host, protocol }) => [ip, ips, host, protocol])",
      requests: [{ url: '/own', headers: FORWARDED }],
    },
    'trustProxy 3': { edit: SENDS, requests: [{ url: '/', headers: FORWARDED }] },
    'querystringParser 1': { ...own, modules: { qs: '{ parse: (text) => ({ parsed: text }) }' } },
    'querystringParser 2': own,
    'ajv 1': {
      app: true,
      modules: {
        'ajv-merge-patch': "(ajv) => seen('plugin', typeof ajv.addFormat)",
        'ajv-keywords': "(ajv, word) => seen('plugin', word)",
      },
      after: `const body = { type: 'object', properties: { a: { type: 'string', format: 'myFormat' } }, additionalProperties: false }
fastify.post('/own', { schema: { body } }, async ({ body }) => body)`,
      requests: [post('/own', { a: 'b', c: 1 })],
    },
    'serializerOpts 1': {
      app: true,
      after: "fastify.get('/own', { schema: { response: { 200: { type: 'integer' } } } }, async () => 1.2)",
      requests: ['/own'],
    },
    'frameworkErrors 1': {
      app: true,
      before: "const { FST_ERR_BAD_URL, FST_ERR_ASYNC_CONSTRAINT } = require('fastify').errorCodes",
      requests: ['/%world'],
    },
    'clientErrorHandler 1': { not: OWN_SERVER },
    'clientErrorHandler 2': { not: OWN_SERVER },
    'rewriteUrl 1': {
      app: true,
      after:
        "const fastify = require('fastify')({ rewriteUrl })\nfastify.get('/hello', async ({ url, originalUrl }) => [url, originalUrl])",
      requests: ['/hi'],
    },
    'allowUnsafeRegex 1': { fails: 'is not safe' },
    'buildPrettyMeta 1': {
      app: true,
      edit: { 'const cleanMeta': "if (route.store?.config.url === '/own') seen(typeof route.store); const cleanMeta" },
      after: `${OWN}await fastify.ready()\nfastify.printRoutes({ method: 'GET', includeMeta: ['errorHandler'] })`,
    },
    'caseSensitive 1': {
      app: true,
      before: "const fastify = require('fastify')({ routerOptions: { caseSensitive: false } })",
      edit: SENDS,
      requests: ['/USER/NodeJS'],
    },
    'compile 1': own,
    'constraints 1': {
      app: true,
      // The option is an object with the name of the strategy, since Fastify 4.
      edit: { deriveVersion: "name: 'version', deriveConstraint" },
      after: "fastify.get('/own', { constraints: { version: 'own/type' } }, async () => 'constrained')",
      requests: [accept('own/type')],
    },
    'defaultRoute 1': { not: 'A site has a route for each path.' },
    'ignoreDuplicateSlashes 1': { app: true, requests: ['/foo/bar/', '///foo//bar//'] },
    'ignoreTrailingSlash 1': { app: true, requests: ['/foo', '/foo/', '/bar', '/bar/'] },
    'onBadUrl 1': { app: true, requests: ['/%world'] },
    'onMaxParamLength 1': { not: 'Fastify takes the route for all paths, which a site has, for a longer parameter.' },
    'querystringParser 3': { ...own, modules: { qs: '{ parse: (text) => ({ parsed: text }) }' } },
    'querystringParser 4': own,
    'useSemicolonDelimiter 1': { app: true, requests: ['/dev;foo=bar'] },
    'Example of incorrect usage: 1': {
      edit: {
        'freeSomeResources () {': "freeSomeResources (error, request, reply) { reply.send('first')",
        'anotherErrorHandler () {': "anotherErrorHandler (error, request, reply) { reply.send('second')",
      },
      after: THROWS,
      requests: ['/own'],
    },
    'after 1': {},
    'after 2': {},
    'ready 1': { edit: { '=> {': '=> {\n  seen(err ?? null)' } },
    'ready 2': {},
    'listen 1': { not: PORT },
    'listen 2': { edit: { '=> {': '=> {\n  seen(err, address)' } },
    'listen 3': { edit: { '=> {': '=> {\n  seen(err, address)' } },
    'listen 4': {},
    'listen 5': { edit: { '=> {': '=> {\n  seen(err, address)' } },
    'listen 6': { edit: { '=> {}': '=> seen(err)' } },
    'addresses 1': {
      before: "fastify.get('/', async () => {",
      edit: { 'await fastify.listen({ port: 8080 })\n': '' },
      after: 'seen(addresses.length, addresses[0].family)\n}})\n{',
      requests: [{ connect: '/' }],
    },
    'routing 1': {
      before: `${OWN}fastify.get('/', (request, reply) => {
  reply.hijack()
  const req = Object.assign(request.raw, { url: '/own' }), res = reply.raw`,
      after: '}})\n{',
      requests: ['/'],
    },
    'hasRoute 1': {
      before: "fastify.get('/', { constraints: { version: '1.0.0' } }, async () => 1)",
      edit: { "url: '/'": "url: '/own'", '// add route': 'seen(routeExists)' },
      after: "seen(routeExists, fastify.hasRoute({ url: '/', method: 'GET', constraints: { version: '1.0.0' } }))",
    },
    'findRoute 1': {
      before: "fastify.get('/artists/:artistId', { constraints: { version: '1.0.0' } }, async () => 1)",
      after: 'seen(typeof route.store, route.params)',
    },
    'close 1': { before: "fastify.get('/', async () => {", after: 'return 1 }})\n{', requests: ['/'] },
    'prefix 1': { requests: ['/v1/foo', '/v1/v2/bar'], logs: /^prefix/ },
    'hasPlugin 1': {
      modules: {
        '@fastify/cookie': "require('fastify-plugin')(async () => {}, { name: '@fastify/cookie' })",
      },
      edit: {
        "fastify.hasPlugin('@fastify/cookie')":
          "seen(fastify.hasPlugin('@fastify/cookie'), fastify.hasPlugin('other'))",
      },
    },
    'addHttpMethod 1': {
      after: `fastify.route({ method: 'MKCOL', url: '/own', handler: async ({ body }) => body })
fastify.route({ method: 'COPY', url: '/own', handler: async ({ method }) => method })`,
      requests: [as('MKCOL', '/own', { a: 1 }), as('COPY', '/own')],
    },
    'addHttpMethod 2': {
      edit: { "// Handle the 'MKCOL' request": 'reply.send(req.body)' },
      requests: [as('MKCOL', '/', { a: 1 })],
    },
    'addHttpMethod 3': {
      after: "fastify.get('/own', async ({ body }) => [body])",
      requests: [as('GET', '/own', { a: 1 }), as('GET', '/own')],
    },
    'setReplySerializer 1': { after: "fastify.get('/own', async () => ({ a: 1 }))", requests: ['/own'] },
    'schemaController 1': {
      app: true,
      before: `${APP}const Ajv = require('ajv').default, schema1 = { $id: 'schema$id1' }, schema2 = { $id: 'schema$id2' }, aSchema = {}`,
      edit: {
        '// This function must store': "seen('add', inputSchema) // ",
        '// This function must return the raw': "seen('get', schema$id) // ",
        '// This factory function must return a schema validator':
          "seen('validator', Object.keys(externalSchemas)) // ",
        '// This factory function must return a schema serializer':
          "seen('serializer', Object.keys(externalSchemas)) // ",
      },
      after: `fastify.addSchema({ $id: 'own' })
fastify.setErrorHandler((error, request, reply) => reply.code(400).send(error.message))
fastify.post('/own', { schema: { body: { type: 'object', required: ['a'] }, response: { 200: { type: 'object' } } } }, async ({ body }) => body)`,
      requests: [post('/own', { a: 1 }), post('/own', {})],
    },
    'setNotFoundHandler 1': {
      edit: {
        '// Default not found handler': "reply.code(404).send('default') // ",
        '// Handle not found request': "reply.code(404).send('v1') // ",
      },
      requests: ['/none', '/v1/none', '/v1', '/v1x', post('/none'), post('/v1/none'), as('OPTIONS', '/none')],
    },
    'setErrorHandler 1': { after: THROWS, requests: ['/own'], logs: /^thrown/ },
    'setErrorHandler 2': {
      before: `fastify.setErrorHandler((error, { log }, reply) => {`,
      after: `reply.send(String(statusCode)) }})
{ for (const status of [500, 400, 0]) fastify.get('/' + status, async () => { throw Object.assign(new Error('failed'), { statusCode: status }) })`,
      requests: ['/500', '/400', '/0'],
      logs: /^failed/,
    },
    'Custom error handler for stream replies 1': { after: STREAM, requests: ['/own'] },
    'Custom error handler for stream replies 2': { after: STREAM, requests: ['/own'] },
    'setChildLoggerFactory 1': {
      app: true,
      after: "fastify.get('/own', async ({ log }) => { log.info('own'); return 1 })",
      requests: [{ url: '/own', headers: { 'x-cloud-trace-context': 'abc' } }],
      logs: /^own/,
    },
    'setgenreqid 1': {
      app: true,
      edit: { 'instance.setGenReqId': "instance.get('/own', async ({ id }) => id)\n  instance.setGenReqId" },
      after: ID,
      requests: ['/own', '/webhooks/own', '/observability/own'],
    },
    'addConstraintStrategy 1': {
      before: "const Fastify = require('fastify')",
      after: `router.get('/own', { constraints: { accept: 'fastify/preview' } }, async () => 'preview')`,
      requests: [accept('fastify/preview')],
    },
    'printRoutes 1': printed(''),
    'printRoutes 2': printed(PRINTED),
    'printRoutes 3': printed(PRINTED),
    'printRoutes 4': { not: 'It shows the hooks and the error handler of the site.' },
    'printPlugins 1': printed(''),
    'addContentTypeParser 1': {
      edit: { 'asString: true': "parseAs: 'string'" },
      after: "fastify.post('/own', async ({ body }) => Object.keys(body))",
      requests: [post('/own', '{"a":1,"__proto__":2}', 'text/json')],
    },
    'hasContentTypeParser 1': {
      before: "fastify.addContentTypeParser(['text/json', /^.+\\/json$/], (request, body, done) => done())",
      edit: {
        "fastify.hasContentTypeParser('text/json')": "seen(fastify.hasContentTypeParser('text/json'))",
        'fastify.hasContentTypeParser(/^.+\\/json$/)': 'seen(fastify.hasContentTypeParser(/^.+\\/json$/))',
      },
    },
    'removeContentTypeParser 1': {
      edit: { "fastify.removeContentTypeParser('application/json')\n": '' },
      after: `fastify.setErrorHandler((error, request, reply) => reply.code(error.statusCode).send(error.code))
fastify.post('/own', async ({ body }) => body)`,
      requests: [post('/own'), post('/own', 'text', 'text/plain')],
    },
    'defaultTextParser 1': {
      edit: { 'asString: true': "parseAs: 'string'" },
      after: "fastify.post('/own', async ({ body }) => [body])",
      requests: [post('/own', '{"a":1}', 'text/json')],
    },
    'errorHandler 1': {
      before: `fastify.setErrorHandler((error, request, reply) => reply.code(409).send('set ' + error.message))
const handler = async ({ query }) => { throw Object.assign(new Error('thrown'), query) }`,
      requests: ['/?code=SOMETHING_SPECIFIC', '/?code=OTHER'],
    },
    'Symbol.asyncDispose 1': { not: 'It closes the app, which `hydrant start` does.' },
    'initialConfig 1': {
      app: true,
      edit: {
        "  https: {\n    allowHTTP1: true,\n    key: readFileSync('./fastify.key'),\n    cert: readFileSync('./fastify.cert')\n  },\n":
          '',
        'instance.initialConfig.https.allowHTTP1 = false': 'instance.initialConfig.bodyLimit = 1',
      },
      after: 'fastify.setErrorHandler(async (error) => error.message)',
      requests: ['/', '/error'],
    },
  }),
)
