// `reply.callNotFound()` in a route of `server.ts`.

import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

async function server(app: FastifyInstance) {
  app.get('/api/call', (_request, reply) => void reply.callNotFound())
  app.get('/api/returned', async (_request, reply) => reply.callNotFound())
}
const { get, log } = await testSite(t, { '/not-found': () => <p>the 404 page</p> }, { server, ledger: false })

for (const path of ['/api/call', '/api/returned']) {
  t.test(`${path} is a 404 like any other`, async (t) => {
    for (const headers of [JSON_ONLY, { accept: '*/*' }]) {
      const response = await get(path, headers)
      t.equal(response.statusCode, 404)
      t.match(response.headers['content-type'], /^application\/problem\+json/)
      t.match(response.json(), { status: 404, instance: path })
    }
    const page = await get(path, HTML)
    t.equal(page.statusCode, 404)
    t.match(page.body, 'the 404 page')
    const lines = log.lines.splice(0).filter(({ msg }) => /^refused with 404: /.test(String(msg)))
    t.equal(lines.length, 3)
    t.match(lines, [{ method: 'GET', url: path }])
    t.strictSame(log.errors(), [])
  })
}
