// The status of an error of `server.ts` that no error handler of the site responds to.

import t from 'tap'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'server.ts': `import createError from '@fastify/error'
import { digestOf } from 'hydrant'
const SECRET = 'SECRET-MARKER'
const withFields = (fields) => Object.assign(new Error(SECRET), fields)
const ERRORS = {
  none: withFields({}),
  busy: withFields({ statusCode: 503 }),
  status: withFields({ status: 502 }),
  made: new (createError('OWN', SECRET, 503))(),
  hidden: withFields({ statusCode: 503, expose: false }),
  private: withFields({ statusCode: 404, expose: false }),
  upstream: withFields({ statusCode: 503, response: {} }),
  object: { statusCode: 418, message: SECRET },
  wrong: withFields({ statusCode: 200 }),
  refusal: Object.assign(new Error('Members only'), { statusCode: 403 }),
}
export default async function server(app) {
  app.addHook('onError', async (request, reply, error) => { if (request.query.named) digestOf(request, error) })
  app.addHook('preHandler', async ({ query }, reply) => {
    if (query.page) { reply.code(query.page); throw ERRORS.none }
  })
  for (const [name, error] of Object.entries(ERRORS)) {
    app.get('/throws/' + name, async ({ query }, reply) => { if (query.code) reply.code(query.code); throw error })
    app.get('/sends/' + name, ({ query }, reply) => { if (query.code) reply.code(query.code); reply.send(error instanceof Error ? error : new Error()) })
  }
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => { reply.code(507); throw error })
    scope.get('/handled', async () => { throw ERRORS.none })
  })
}
`,
})
const { get, failuresOf } = await serve(t, dir, { ledger: false })

const STATUSES: Record<string, number> = {
  '/throws/none': 500,
  '/throws/busy': 503,
  '/throws/status': 502,
  '/throws/made': 503,
  '/throws/hidden': 503,
  '/throws/private': 500,
  '/throws/upstream': 500,
  '/throws/object': 418,
  '/throws/wrong': 500,
  '/throws/none?code=400': 400,
  '/throws/none?code=501': 501,
  '/throws/none?code=504&named=1': 504,
  '/throws/none?code=201': 500,
  '/throws/upstream?code=502': 502,
  '/sends/none?code=501': 501,
  '/sends/busy': 503,
  '/sends/upstream': 500,
  '/handled': 507,
  '/?page=503': 503,
  '/?page=400': 400,
}

t.test('a failure of a route or a hook has the status that Fastify would send, and no message', async (t) => {
  for (const [url, status] of Object.entries(STATUSES)) {
    for (const headers of [HTML, JSON_ONLY]) {
      const response = await get(url, headers)
      t.equal(response.statusCode, status, url)
      t.notMatch(response.body, 'SECRET-MARKER', url)
      t.match(failuresOf(response), [{ digest: response.headers['x-error-digest'] }], url)
    }
  }
})

t.test('a refusal has the status of the reply, if it has one', async (t) => {
  for (const [url, status] of [
    ['/throws/refusal', 403],
    ['/throws/refusal?code=422', 422],
    ['/sends/refusal?code=500', 403],
  ] as const) {
    const response = await get(url, JSON_ONLY)
    t.match(response.json(), { status, detail: 'Members only' }, url)
    t.equal(response.statusCode, status, url)
    t.strictSame(failuresOf(response), [])
  }
})
