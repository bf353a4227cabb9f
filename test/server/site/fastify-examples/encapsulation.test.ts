import t from 'tap'
import { testChapter } from '../fastify-examples.ts'

const ALL = ['/one', '/two', '/three']

t.test('Encapsulation', (t) =>
  testChapter(t, 'Reference/Encapsulation', {
    'Encapsulation 1': {
      modules: {
        '@fastify/bearer-auth': `require('fastify-plugin')(async (scope, { keys }) => {
          scope.addHook('onRequest', async (request, reply) => {
            if (!keys.includes(request.headers.authorization?.slice(7))) return reply.code(401).send({ error: 'no key' })
          })
        })`,
      },
      requests: [...ALL, { url: '/one', headers: { authorization: 'Bearer abc123' } }],
    },
    'Sharing Between Contexts 1': { requests: ALL.slice(1) },
    'Sharing Between Contexts 2': {},
  }),
)
