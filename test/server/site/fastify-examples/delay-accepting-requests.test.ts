import t from 'tap'
import { type Example, post, testChapter } from '../fastify-examples.ts'

const provider = `{
  async thirdPartyMagicKeyGenerator(ms) { seen('asked', ms) },
  async fetchSensitiveData(key) { if (key !== '12345') throw new Error('Invalid key') },
}`
const customerRoutes =
  "require('fastify-plugin')(async (scope) => { scope.get('*', async ({ server }) => ({ key: server.magicKey })) })"
const delayed = `require('fastify-plugin')(async (scope) => { scope.decorate('magicKey') })`
const KEY = post('/webhook', { magicKey: '12345' })
const requests = ['/ping', '/v1', KEY, '/ping', '/v1', '/v1/more']
const logs = /^(Ready for|Failed at|Doing magic)/
/** What the server of the guide does. */
const SERVER = `fastify.post('/webhook', async ({ server, body }) => { server.magicKey = body.magicKey; return 'noted' })
fastify.get('/ping', async ({ server }) => [server.magicKey ?? null])\n`
const clients: Example = {
  modules: { undici: '{ fetch: async (url, { body }) => { seen(url, body); return { status: 200 } } }' },
  edit: { 'delay(700)': 'delay(1)' },
  after: `await exports.thirdPartyMagicKeyGenerator(1)
fastify.get('/', async ({ query }) => exports.fetchSensitiveData(query.key))`,
  requests: ['/?key=12345'],
}

t.test('Delay Accepting Requests', (t) =>
  testChapter(t, 'Guides/Delay-Accepting-Requests', {
    'Hands-on 1': { modules: { './provider': provider }, requests, logs },
    'Hands-on 2': clients,
    'index.js 1': {
      modules: {
        './customer-routes': customerRoutes,
        './delay-incoming-requests': `{ setup: ${delayed}, delay: (routes) => routes }`,
      },
      requests,
      logs,
    },
    'provider.js 1': clients,
    'delay-incoming-requests.js 1': {
      modules: { './provider': provider },
      after: `fastify.register(module.exports.setup)\n${SERVER}fastify.register(module.exports.delay(${customerRoutes}), { prefix: '/v1' })`,
      requests: [...requests, { connect: '/v1' }],
      logs,
    },
    'customer-routes.js 1': {
      modules: { './provider': provider },
      before: "fastify.decorate('magicKey')",
      after: `${SERVER}fastify.register(module.exports, { prefix: '/v1' })\nfastify.register(async (scope) => scope.register(module.exports), { prefix: '/v1' })`,
      requests,
      logs,
    },
    'setup 1': {
      before: "const doMagic = () => seen('listening')",
      requests: [{ connect: '/' }],
    },
    'setup 2': { after: "seen(fastify.hasDecorator('magicKey'))" },
    'delay 1': {
      before: 'const USUAL_WAIT_TIME_MS = 5',
      after: `fastify.decorate('magicKey')\n${SERVER}fastify.register(delay(${customerRoutes}), { prefix: '/v1' })`,
      requests,
    },
  }),
)
