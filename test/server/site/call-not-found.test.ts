// `reply.callNotFound()` in a route of `server.ts`.

import t from 'tap'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'pages/not-found.tsx': 'export default function NotFound() {\n  return <p>the 404 page</p>\n}\n',
  'server.ts': `export default async function server(app) {
  app.get('/api/call', (request, reply) => void reply.callNotFound())
  app.get('/api/returned', async (request, reply) => reply.callNotFound())
}
`,
})
const { get, log } = await serve(t, dir, { ledger: false })

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
