import t from 'tap'
import { testChapter } from '../fastify-examples.ts'

const ERROR = 'an error without a handler is JSON with its message'

t.test('Errors', (t) =>
  testChapter(t, 'Reference/Errors', {
    'What The Default Error Handler Sends 1': { requests: ['/'], differs: ERROR },
    'What The Default Error Handler Sends 2': {
      after: `app.get('/unexpected', async () => { throw new Error('secret') })
app.get('/deliberate', async () => { throw Object.assign(new Error('members only'), { statusCode: 403 }) })
app.get('/validated', { schema: { querystring: { type: 'object', required: ['q'] } } }, async () => 1)`,
      requests: ['/unexpected', '/deliberate', '/validated'],
      logs: /^unhandled error$/,
      differs: { [ERROR]: ['/deliberate', '/validated'] },
    },
    'Errors In Fastify Lifecycle Hooks And A Custom Error Handler 1': { requests: ['/bad', '/good'] },
    'Fastify Error Codes 1': {
      edit: { 'import { errorCodes }': 'import { errorCodes as same }' },
      after: 'seen(same === errorCodes, Object.keys(errorCodes).length)',
    },
    'Fastify Error Codes 2': { requests: ['/'] },
  }),
)
