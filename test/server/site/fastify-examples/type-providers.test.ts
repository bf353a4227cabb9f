import t from 'tap'
import { post, testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'
const typebox = {
  modules: {
    typebox: `{ Type: {
      Object: (properties) => ({ type: 'object', properties, required: Object.keys(properties) }),
      Number: () => ({ type: 'number' }), String: () => ({ type: 'string' }), Boolean: () => ({ type: 'boolean' }),
    } }`,
    '@fastify/type-provider-typebox': '{}',
    '@fastify/type-provider-json-schema-to-ts': '{}',
    '@fastify/type-provider-zod': `{
      validatorCompiler: ({ schema }) => (data) => {
        const { error, data: value } = schema.safeParse(data)
        return error ? { error } : { value }
      },
      serializerCompiler: () => JSON.stringify,
    }`,
    './routes': "{ registerRoutes: (app) => { app.get('/routes', async () => 'routes') } }",
  },
}
/** Sends what the handler has read from the query. */
const QUERY = { 'request.query // type safe!': 'request.query\nreply.send([typeof foo, bar])' }
const query = {
  ...typebox,
  edit: QUERY,
  requests: ['/route?foo=5&bar=x', '/route?foo=a&bar=x', '/route'],
  differs: ERROR,
} as const

/** Fastify refuses schemas of bodies for GET, and two routes with the same path. */
const BODY = { ".get('/'": ".post('/'", '= req.body': '= req.body; return { x, y, z } ' }
const VALID = { x: 'a', y: '5', z: true }
const WRONG = { x: 'a', y: 'b', z: true }
const bodies = {
  requests: [post('/1', VALID), post('/1', WRONG), post('/2', VALID), post('/2', WRONG)],
  differs: ERROR,
} as const

t.test('Type Providers', (t) =>
  testChapter(t, 'Reference/Type-Providers', {
    'Json Schema to Ts 1': query,
    'Json Schema to Ts 2': {
      after: "fastify.get('/', { schema: { querystring: querystringSchema } }, async (request) => request.query)",
      requests: ['/', '/?foo=5&bar=x'],
      differs: ERROR,
    },
    'TypeBox 1': query,
    'Zod 1': query,
    'Scoped Type-Provider 1': {
      ...typebox,
      edit: {
        ...BODY,
        'register(pluginWithJsonSchema': "register(pluginWithJsonSchema, { prefix: '/1' }",
        'register(pluginWithTypebox': "register(pluginWithTypebox, { prefix: '/2' }",
      },
      ...bodies,
    },
    'Scoped Type-Provider 2': {
      ...typebox,
      edit: {
        ...BODY,
        'register(plugin1': "register(plugin1, { prefix: '/1' }",
        'register(plugin2': "register(plugin2, { prefix: '/2' }",
      },
      ...bodies,
    },
    'Type Definition of FastifyInstance + TypeProvider 1': { ...typebox, requests: ['/routes'] },
    'Type Definition of FastifyInstance + TypeProvider 2': {
      ...typebox,
      edit: BODY,
      after: "fastify.register(async (scope) => registerRoutes(scope), { prefix: '/1' })",
      requests: [post('/1', VALID), post('/1', WRONG)],
      differs: ERROR,
    },
  }),
)
