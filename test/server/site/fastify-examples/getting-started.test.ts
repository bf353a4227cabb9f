import t from 'tap'
import { post, testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'

/** The document shows one statement in two forms. */
const ONE_FORM = { "const fastify = require('fastify')({\n  logger: true\n})": '' }
const ROUTES = "async (scope) => { scope.get('/', async () => [scope.hasDecorator('mongo')]) }"
const CONNECTOR = "require('fastify-plugin')(async (scope) => { scope.decorate('mongo', {}) })"
const MONGO = `require('fastify-plugin')(async (scope, { url }) => {
  const animals = [{ animal: 'cat' }]
  const collection = () => ({
    find: () => ({ toArray: async () => animals }),
    findOne: async ({ animal }) => animals.find((one) => one.animal === animal),
    insertOne: async (one) => one,
  })
  scope.decorate('mongo', { url, db: { collection } })
})`
const files = (end: string) => ({ [`./our-first-routes${end}`]: ROUTES, [`./our-db-connector${end}`]: CONNECTOR })
const own = { after: "fastify.register(module.exports)\nfastify.get('/url', async () => fastify.mongo.url)" }

t.test('Getting Started', (t) =>
  testChapter(t, 'Guides/Getting-Started', {
    'Your first server 1': { edit: ONE_FORM, requests: ['/'] },
    'Your first server 2': { not: 'It is JSON.' },
    'Your first server 3': { edit: ONE_FORM, requests: ['/'] },
    'Your first server 4': { logs: /server listening on/ },
    'Your first plugin 1': { modules: files('.js'), requests: ['/'] },
    'Your first plugin 2': { modules: files(''), requests: ['/'] },
    'Your first plugin 3': { after: 'fastify.register(module.exports)', requests: ['/'] },
    'Your first plugin 4': { modules: files('.js'), requests: ['/'] },
    'Your first plugin 5': { modules: files(''), requests: ['/'] },
    'Your first plugin 6': { ...own, modules: { '@fastify/mongodb': MONGO }, requests: ['/url'] },
    'Your first plugin 7': { ...own, modules: { '@fastify/mongodb': MONGO }, requests: ['/url'] },
    'Your first plugin 8': {
      modules: { '@fastify/mongodb': MONGO },
      before: "fastify.register(require('@fastify/mongodb'), {})",
      after: 'fastify.register(module.exports)',
      requests: [
        '/',
        '/animals',
        '/animals/cat',
        '/animals/dog',
        post('/animals', { animal: 'dog' }),
        post('/animals'),
      ],
      differs: ERROR,
    },
    'Validate your data 1': {
      requests: [post('/', { someOtherKey: '5' }), post('/', { someOtherKey: 'x' })],
      differs: ERROR,
    },
    'Serialize your data 1': { edit: { "{ hello: 'world' }": "{ hello: 'world', more: 1 }" }, requests: ['/'] },
    'Parsing request payloads 1': { requests: [post('/', { a: 1 }), post('/', 'text', 'text/plain')] },
    'Run your server from CLI 1': { after: 'fastify.register(module.exports)', requests: ['/'] },
  }),
)
