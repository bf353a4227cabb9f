import t from 'tap'
import { createServer } from '../../src/server/create-server.ts'
import { createLog, HTML } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'

const SITE = 'bench/cached-site'

t.test('the pages and routes of the benchmark respond as their names say', async (t) => {
  await buildSharing({ dir: SITE })
  const { logger } = createLog()
  const app = await createServer({ dir: SITE, logger, pageCache: { header: true } })
  t.teardown(() => app.close())
  const get = (url: string, encoding?: string) =>
    app.inject({ url, headers: { ...HTML, ...(encoding && { 'accept-encoding': encoding }) } })
  const resultOf = async (url: string) => (await get(url)).headers['hydrant-cache']

  t.equal(await resultOf('/stored'), 'miss')
  t.equal(await resultOf('/stored'), 'hit')
  t.equal(await resultOf('/stale'), 'miss')
  t.equal(await resultOf('/stale'), 'stale')
  t.equal(await resultOf('/missed?count=1'), 'miss')
  t.equal(await resultOf('/missed?count=2'), 'miss')
  t.equal(await resultOf('/uncached'), undefined)
  t.equal(await resultOf('/parts'), 'miss')
  const parts = await get('/parts')
  t.match(parts.headers, { 'hydrant-cache': 'hit', 'transfer-encoding': 'chunked' }, 'it is sent in parts')
  t.match(parts.body, 'In the cart: 2')

  for (const encoding of [undefined, 'br', 'gzip']) {
    const stored = await get('/stored', encoding)
    t.equal(stored.headers['content-encoding'], encoding, 'the page is long enough to be compressed')
    // The second response is sent from memory.
    for (const url of ['/route', '/short-route'])
      for (const route of [await get(url, encoding), await get(url, encoding)])
        t.strictSame(route.rawPayload, stored.rawPayload, `${url} sends the stored page`)
    const { 'x-request-id': _id, date: _date, age: _age, ...headers } = stored.headers
    t.match((await get('/route', encoding)).headers, headers, 'with its headers')
  }
})
