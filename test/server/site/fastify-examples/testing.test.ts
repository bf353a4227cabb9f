import t from 'tap'
import { testChapter } from '../fastify-examples.ts'

const PORT = 'It needs a port. `hydrant start` listens.'

/** The app of the guide. */
const APP = `() => {
  const app = require('fastify')()
  app.get('/', async () => ({ hello: 'world' }))
  return app
}`
/** Runs a test at once, and records what it checks. */
const TEST = `{
  test: (title, run) => run({
    plan() {},
    after() {},
    assert: new Proxy({}, { get: (_, name) => (...values) => seen(name, ...values) }),
  }),
}`
const modules = { './app': APP, 'node:test': TEST }
const PLUGIN = `require('fastify-plugin')(async (fastify) => {
  fastify.decorateRequest('helloRequest', 'Hello World')
  fastify.decorate('helloInstance', 'Hello Fastify Instance')
})`
const withPlugin = { modules: { 'node:test': TEST, '../plugin/myFirstPlugin': PLUGIN } }
const SOME = {
  'method: String': "method: 'PUT'",
  'url: String': "url: '/own'",
  'payload: Object': 'payload: { b: 2 }',
  'headers: Object': "headers: { 'x-c': '3' }",
}
const REQUEST = { ...SOME, 'query: Object': "query: { a: '1' }", 'cookies: Object': "cookies: { d: '4' }" }
const ROUTE =
  "fastify.put('/own', async ({ method, query, body, headers }) => [method, query, body, headers['x-c'], headers.cookie])\n"
const SENT = '// your tests'

t.test('Testing', (t) =>
  testChapter(t, 'Guides/Testing', {
    'Separating concerns makes testing easy 1': {
      after: "if (typeof module.exports === 'function') module.exports()",
      requests: ['/'],
    },
    'Separating concerns makes testing easy 2': {
      modules,
      // The name of the block is that of the instance.
      after: "server.log.info('own')",
      edit: { 'if (err) {': 'seen(err, address); if (err) {' },
      requests: ['/'],
    },
    'Benefits of using fastify.inject() 1': { modules },
    'Testing with HTTP injection 1': { modules },
    'Testing with HTTP injection 2': { before: ROUTE, edit: { ...REQUEST, [SENT]: 'seen(error, response.json())' } },
    'Testing with HTTP injection 3': {
      before: "fastify.get('/', async ({ query, headers }) => [query, headers.foo])\n",
    },
    'Testing with HTTP injection 4': { before: ROUTE, edit: { ...REQUEST, [SENT]: 'seen(response.json())' } },
    'Testing with HTTP injection 5': { before: ROUTE, edit: { ...SOME, [SENT]: 'seen(res.json())' } },
    'Another Example: 1': { after: "if (typeof module.exports === 'function') module.exports()", requests: ['/'] },
    'Another Example: 2': { modules },
    'Example: 1': { not: PORT },
    'Example: 2': { not: PORT },
    'Example: 3': {
      modules: {
        ...modules,
        supertest: `(server) => ({ get: (url) => ({ expect: () => ({ expect: async () => {
  seen(server === require('fastify')().server)
  return { body: (await require('fastify')().inject(url)).json() }
} }) }) })`,
      },
    },
    'How to inspect node tests 1': { not: 'It is an option of the test runner.' },
    'Plugins 1': {
      after: `if (typeof module.exports === 'function') fastify.register(module.exports)
fastify.get('/', async ({ helloRequest }) => [helloRequest, fastify.helloInstance])`,
      requests: ['/'],
    },
    'Plugins 2': { ...withPlugin, requests: ['/'] },
    'Plugins 3': { ...withPlugin, requests: ['/'] },
    'Plugins 4': { ...withPlugin, requests: ['/'] },
  }),
)
