// `onSend` hooks that take their time, as session plugins with a store do.

import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import { hydrant } from '../../../src/server/index.ts'
import { writeTestSite } from '../../test-site.ts'
import { createLog, HTML, JSON_ONLY } from '../served.ts'

async function server(app: FastifyInstance) {
  app.addHook('onRequest', async ({ query }) => {
    if ('hook' in Object(query)) throw new Error('the hook broke')
  })
  app.get('/fails', async () => {
    throw new Error('the route broke')
  })
}

const dir = writeTestSite(t.testdir({}), { '/': { action: () => null } }, { server })

t.test('the response to a thrown error is sent once', async (t) => {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  let sent = 0
  app.addHook('onSend', async () => {
    sent++
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  })
  await app.register(hydrant, { dir, ledger: false })
  for (const [method, url, headers, status, failures] of [
    ['GET', '/fails', HTML, 500, 1],
    ['GET', '/fails', JSON_ONLY, 500, 1],
    ['HEAD', '/fails', HTML, 500, 1],
    ['GET', '/?hook=1', HTML, 500, 1],
    ['POST', '/?hook=1', HTML, 500, 1],
    ['GET', '/nowhere?hook=1', HTML, 500, 1],
    ['POST', '/', { ...HTML, 'sec-fetch-site': 'cross-site' }, 403, 0],
    ['POST', '/_hydrant/report', { 'sec-fetch-site': 'same-origin' }, 400, 0],
  ] as const) {
    const response = await app.inject({ method, url, headers })
    const title = `${method} ${url}`
    t.equal(response.statusCode, status, title)
    t.equal(log.errors().splice(0).length, failures, title)
    if (method !== 'HEAD') t.ok(response.body.length > 0, title)
    t.equal(sent, 1, title)
    sent = 0
    log.lines.length = 0
  }
})
