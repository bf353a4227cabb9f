// The status of an error of `server.ts`, also while something traces the requests of the app: Fastify then sets the status
// of the reply before it calls an error handler.

import { channel } from 'node:diagnostics_channel'
import createError from '@fastify/error'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { digestOf } from '../../../src/server/index.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const withFields = (fields: object) => Object.assign(new Error('SECRET-MARKER'), fields)
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
interface Asked {
  Querystring: { code?: string; named?: string }
}
async function server(app: FastifyInstance) {
  app.addHook<Asked>('onError', async (request, _reply, error) => {
    if (request.query.named) digestOf(request, error)
  })
  for (const [name, error] of Object.entries(ERRORS)) {
    app.get<Asked>(`/sync/${name}`, ({ query }, reply) => {
      if (query.code) reply.code(Number(query.code))
      throw error
    })
    app.get<Asked>(`/async/${name}`, async ({ query }, reply) => {
      if (query.code) reply.code(Number(query.code))
      throw error
    })
  }
}
const { get, failuresOf } = await testSite(t, { '/': {} }, { server, ledger: false })

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
    const wrong: unknown[] = []
    for (const [name, status] of Object.entries(STATUSES))
      for (const way of ['sync', 'async'])
        for (const headers of [HTML, JSON_ONLY]) {
          const response = await get(`/${way}/${name}`, headers)
          const { statusCode, body } = response
          const digests = failuresOf(response).map(({ digest }) => digest)
          const isOneFailure = digests.length === 1 && digests[0] === response.headers['x-error-digest']
          if (statusCode !== status || body.includes('SECRET-MARKER') || !isOneFailure)
            wrong.push({ way, name, accept: headers.accept, statusCode, digests, body })
        }
    t.strictSame(wrong, [])
  })
