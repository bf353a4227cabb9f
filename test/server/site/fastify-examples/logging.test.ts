import t from 'tap'
import { post, testChapter } from '../fastify-examples.ts'

const REQUESTS = 'each request has two log lines'

const OPTIONS = 'const options = {}\n'
/** Logs the request as `req`, and what the reply's own serializer gets. */
const GET =
  "fastify.get('/own/:id', async (request, reply) => { request.log.info({ req: request, res: reply }, 'own'); return 1 })"
const own = { after: GET, requests: [{ url: '/own/5?a=1', headers: { authorization: 'secret' } }], logs: /^own/ }

t.test('Logging', (t) =>
  testChapter(t, 'Reference/Logging', {
    'Basic Logging Setup 1': { ...own, app: true, logs: /^own|request/ },
    'Environment-Specific Configuration 1': {
      ...own,
      app: true,
      before: "const environment = 'development'",
      logs: /^own|request/,
    },
    'Usage 1': { before: OPTIONS, requests: ['/'], logs: /^Some info|request/, differs: REQUESTS },
    'Usage 2': { logs: /^Something/ },
    'Passing Logger Options 1': { app: true, before: OPTIONS, requests: ['/'], logs: /request/ },
    'Passing Logger Options 2': {
      app: true,
      after: `stream.on('data', ({ level, msg }) => seen(level, msg))\n${GET}`,
      requests: ['/own/5'],
    },
    'Serializers 1': { ...own, app: true, logs: /^own|request/ },
    'Serializers 2': { ...own, app: true, logs: /^own|request/ },
    'Serializers 3': { ...own, app: true, logs: /^own|request/ },
    'Serializers 4': { after: "fastify.post('/', async () => 1)", requests: [post('/', { a: 1 })], logs: /^parsed/ },
    'Using Custom Loggers 1': {
      app: true,
      edit: {
        "level: 'info' }":
          "level: 'info' }, { write: (line) => line.includes('request information') && seen(JSON.parse(line).msg) }",
      },
      requests: ['/'],
    },
    'Log Redaction 1': {
      ...own,
      app: true,
      before:
        "const Fastify = require('fastify'), stream = { write: (line) => seen(JSON.parse(line).msg, JSON.parse(line).req?.headers) }",
    },
  }),
)
