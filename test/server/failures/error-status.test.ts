// The status of an error of `server.ts`, also while something traces the requests of the app: Fastify then sets the status
// of the reply before it calls an error handler.

import { channel } from 'node:diagnostics_channel'
import t from 'tap'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'server.ts': `import createError from '@fastify/error'
import { digestOf } from 'hydrant'
const withFields = (fields) => Object.assign(new Error('SECRET-MARKER'), fields)
const ERRORS = {
  none: withFields({}),
  busy: withFields({ statusCode: 503 }),
  made: new (createError('OWN', 'SECRET-MARKER', 503))(),
  hidden: withFields({ statusCode: 503, expose: false }),
  private: withFields({ statusCode: 404, expose: false }),
  upstream: withFields({ statusCode: 503, response: {} }),
  status: withFields({ status: 404 }),
  object: { statusCode: 418, message: 'SECRET-MARKER' },
  wrong: withFields({ statusCode: 200 }),
}
export default async function server(app) {
  app.addHook('onError', async (request, reply, error) => { if (request.query.named) digestOf(request, error) })
  for (const [name, error] of Object.entries(ERRORS)) {
    app.get('/sync/' + name, ({ query }, reply) => { if (query.code) reply.code(Number(query.code)); throw error })
    app.get('/async/' + name, async ({ query }, reply) => { if (query.code) reply.code(Number(query.code)); throw error })
  }
}
`,
})
const { get, failuresOf } = await serve(t, dir, { ledger: false })

const STATUSES = {
  none: 500,
  busy: 503,
  made: 503,
  hidden: 503,
  private: 500,
  upstream: 500,
  status: 500,
  object: 500,
  wrong: 500,
  'none?code=501': 501,
  'none?code=504&named=1': 504,
  'none?code=201': 500,
  'upstream?code=502': 502,
}

for (const isTraced of [false, true])
  t.test(`a failure has the status that Fastify would send, ${isTraced ? 'traced' : 'not traced'}`, async (t) => {
    const listener = () => {}
    const started = channel('tracing:fastify.request.handler:start')
    if (isTraced) started.subscribe(listener)
    t.teardown(() => started.unsubscribe(listener))
    for (const [name, status] of Object.entries(STATUSES))
      for (const way of ['sync', 'async'])
        for (const headers of [HTML, JSON_ONLY]) {
          const response = await get(`/${way}/${name}`, headers)
          t.equal(response.statusCode, status, `${way} ${name}`)
          t.notMatch(response.body, 'SECRET-MARKER', name)
          t.match(failuresOf(response), [{ digest: response.headers['x-error-digest'] }], name)
        }
  })
