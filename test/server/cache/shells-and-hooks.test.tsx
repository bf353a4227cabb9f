// Stored shells are sent past Fastify. Hooks of the site must not notice.

import { once } from 'node:events'
import { type IncomingMessage, get as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Readable, Transform } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Suspense, use } from 'react'
import t from 'tap'
import type { LoadContext } from '../../../src/server/index.ts'
import { testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { HTML } from '../served.ts'

async function server(app: FastifyInstance) {
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-trailer']) reply.trailer('server-timing', async () => 'rest')
    if (request.headers['x-invalid']) reply.header('x-name', 'a\nb')
    if (request.headers['x-raw']) reply.raw.setHeader('x-early', 'early')
  })
  // A document is a stream.
  app.addHook<Readable | null>('onSend', async (request, reply, payload) => {
    reply.header('x-payload', typeof payload?.pipe).header('cdn-cache-control', 'max-age=60')
    if (request.headers['x-timing']) reply.header('Cache-Control', 'public, max-age=60')
    if (!request.headers['x-upper']) return payload
    return payload?.pipe(new Transform({ transform: (part, _, done) => done(null, String(part).toUpperCase()) }))
  })
  app.addHook('onResponse', async (request, reply) => {
    request.log.info({ ended: request.url, status: reply.statusCode }, 'response')
  })
}
interface Visitor {
  name: string
  seen: string
}
const Part = ({ promise }: { promise: Promise<Visitor> }) => <b>{`${use(promise).name} sees ${use(promise).seen}`}</b>
const site = {
  '/shop': {
    Component: ({ data, visitorData }: { data: { text: string }; visitorData: Promise<Visitor> }) => (
      <main>
        <h1>{data.text}</h1>
        <Suspense fallback="…">
          <Part promise={visitorData} />
        </Suspense>
      </main>
    ),
    cache: { maxAgeS: 60, search: ['page'] },
    load: ({ url }: LoadContext) => ({ text: `page ${url.searchParams.get('page') ?? 'none'}` }),
    async loadVisitor({ request, url, signal }: LoadContext) {
      const name = request.headers['x-user']
      if (name === 'held') await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { name, seen: url.search }
    },
  },
}
const asks = (name: string, more: Record<string, string> = {}) => ({ ...HTML, 'x-user': name, ...more })

/** Serves the site, with a stored shell that has been found once. */
async function serveStored(t: Parameters<typeof testSite>[0]) {
  const served = await testSite(t, site, { server, pageCache: { header: true } })
  await served.get('/shop', asks('first'))
  await served.get('/shop', asks('second', { 'accept-encoding': 'gzip' }))
  return served
}

t.test('hooks see the response of a stored shell, and what they set is sent', async (t) => {
  const { get, log } = await serveStored(t)
  const { body, headers } = await get('/shop', asks('Ann', { 'x-raw': '1' }))
  t.match(headers, {
    'hydrant-cache': 'hit',
    'x-payload': 'function',
    'x-early': 'early',
    'transfer-encoding': 'chunked',
  })
  t.match(body, 'Ann sees')
  t.ok(body.endsWith('</body></html>'))
  t.match(
    log.lines.filter((line) => 'ended' in line),
    [{}, {}, { ended: '/shop', status: 200 }],
    'each response ends once',
  )
})

t.test('a hook cannot let a cache store the response', async (t) => {
  const { get } = await serveStored(t)
  for (const more of [{}, { 'x-timing': '1' }, { 'x-timing': '1', 'x-raw': '1' }, { 'accept-encoding': 'gzip' }]) {
    const { headers } = await get('/shop', asks('Ann', more))
    t.match(headers['cache-control'], /no-store/)
    t.notOk('cdn-cache-control' in headers)
  }
})

t.test('a hook may replace the stream', async (t) => {
  const { get } = await serveStored(t)
  for (const encoding of ['identity', 'gzip']) {
    const { rawPayload, headers } = await get('/shop', asks('Ann', { 'x-upper': '1', 'accept-encoding': encoding }))
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload
    t.match(body.toString(), 'ANN SEES')
    t.match(body.toString(), 'PAGE NONE')
  }
})

t.test('trailers of hooks are sent', async (t) => {
  const { get } = await serveStored(t)
  for (const encoding of ['identity', 'gzip']) {
    const { trailers, headers } = await get('/shop', asks('Ann', { 'x-trailer': '1', 'accept-encoding': encoding }))
    t.equal(headers.trailer, 'server-timing')
    t.match(trailers, { 'server-timing': 'rest' })
  }
})

t.test('a header that Node.js refuses is an error of its response only', async (t) => {
  const { get, failuresOf } = await testSite(t, site, { server })
  await get('/shop', asks('first'))
  // The second one waits for the compression.
  for (const encoding of ['identity', 'gzip', 'gzip']) {
    const response = await get('/shop', asks('Ann', { 'x-invalid': '1', 'accept-encoding': encoding }))
    t.equal(response.statusCode, 500)
    t.equal(failuresOf(response).length, 1)
    t.notMatch(response.body, 'Ann sees')
  }
  t.match((await get('/shop', asks('Bob'))).body, 'Bob sees')
})

t.test('each query has its own shell, and loads see only the listed parameters', async (t) => {
  const { get } = await serveStored(t)
  for (const page of ['1', '2', '1', '2', '1']) {
    const { body, headers } = await get(`/shop?page=${page}&other=${page}`, asks('Ann'))
    t.match(body, `<h1>page ${page}</h1>`)
    t.match(body, `Ann sees ?page=${page}<`)
    t.match(headers['hydrant-cache'], /hit|miss/)
  }
})

t.test('a visitor may leave after the shell', async (t) => {
  const { app, get, log } = await serveStored(t)
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (const encoding of ['identity', 'gzip']) {
    const outgoing = send({ port, path: '/shop', headers: asks('held', { 'accept-encoding': encoding }) })
    // `once` is typed as an array of `any`.
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    await once(response, 'data')
    outgoing.destroy()
    const id = response.headers['x-request-id']
    await until(() => log.lines.some(({ reqId, msg }) => reqId === id && msg.startsWith('the client disconnected')))
  }
  t.match((await get('/shop', asks('Bob'))).body, 'Bob sees')
  t.strictSame(log.errors(), [])
})
