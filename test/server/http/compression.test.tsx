import { Duplex } from 'node:stream'
import zlib, { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { Suspense, use } from 'react'
import t from 'tap'
import { readAccepted } from '../../../src/server/http/compression.ts'
import { type ActionContext, HttpError, type LoadContext } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, type SiteModules, testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { listen } from '../lines.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const loadRows = (length = 60) => ({ rows: Array.from({ length }, (_, id) => ({ id, name: `row number ${id}` })) })
const Rows = ({ data }: { data: ReturnType<typeof loadRows> }) => (
  <ul>
    {data.rows.map((row) => (
      <li key={row.id}>{row.name}</li>
    ))}
  </ul>
)
const Slow = ({ slow }: { slow: Promise<string> }) => <b>{use(slow)}</b>

const site: SiteModules = {
  '/short': { Component: () => null, load: () => ({ short: true }), hydrate: false },
  '/rows': { Component: Rows, load: () => loadRows() },
  '/large': { Component: Rows, load: () => loadRows(2_000) },
  '/asks': {
    Component: Rows,
    load({ reply, url }: LoadContext) {
      reply.header(String(url.searchParams.get('name')), String(url.searchParams.get('value')))
      return loadRows()
    },
  },
  '/streams': {
    Component: ({ data }: { data: { slow: Promise<string> } }) => (
      <Suspense fallback={<i>wait</i>}>
        <Slow {...data} />
      </Suspense>
    ),
    load: () => ({ slow: new Promise(() => {}) }),
  },
  '/fails': {
    load() {
      throw new Error('no')
    },
  },
  '/refuses': {
    load() {
      throw new HttpError(422, 'Too long. '.repeat(500))
    },
  },
  '/sends': {
    load: () => null,
    async action({ reply }: ActionContext) {
      await reply.type('text/plain').send('sent by the action '.repeat(500))
    },
  },
}

async function server(app: FastifyInstance) {
  app.get('/own', async () => loadRows())
  app.get('/throws', async () => {
    throw Object.assign(new Error('Too long. '.repeat(500)), { statusCode: 422 })
  })
  app.get('/events', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.raw.end(`data: ${'x'.repeat(5000)}\n\n`)
  })
  app.addHook('onSend', async ({ headers }, _reply, payload) => {
    // Bytes have no such function.
    if (headers['x-rewrite']) return (payload as string).replaceAll('row number', 'rewritten')
  })
}

const { app, get } = await testSite(t, site, { server })

/** Node.js 22.15 and later have it. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?(bytes: Buffer): Buffer }
const BROWSER = 'gzip, deflate, br, zstd'

const decode = ({ rawPayload, headers }: LightMyRequestResponse): string => {
  const encoding = headers['content-encoding']
  if (encoding === 'zstd' && zstdDecompressSync) return zstdDecompressSync(rawPayload).toString()
  if (encoding === 'br') return brotliDecompressSync(rawPayload).toString()
  return encoding === 'gzip' ? gunzipSync(rawPayload).toString() : rawPayload.toString()
}
const withoutNonces = (text: string) => text.replaceAll(/nonce="[^"]*"/g, '')

t.test('reads what a client accepts', async (t) => {
  const encodings = {
    'gzip, deflate, br, zstd': 'br',
    br: 'br',
    GZIP: 'gzip',
    'gzip, br;q=0.5': 'gzip',
    'br;q=0, gzip': 'gzip',
    'br;q=0.0, gzip;q=0.000': null,
    '*': 'br',
    '*;q=0': null,
    'br;q=0, *': 'gzip',
    identity: null,
    'gzip;q=0.5, identity': null,
    'deflate, zstd': null,
    '': null,
    ';;;,,=,q': null,
  }
  const refusals = {
    'gzip, identity;q=0': true,
    'gzip, *;q=0': true,
    'gzip, identity, *;q=0': false,
    gzip: false,
    'identity;q=0, zstd': false,
  }
  const read = (headers: object, name: 'encoding' | 'refusesIdentity') =>
    Object.fromEntries(Object.keys(headers).map((header) => [header, readAccepted(header)[name]]))
  t.strictSame(read(encodings, 'encoding'), encodings)
  t.strictSame(read(refusals, 'refusesIdentity'), refusals)
})

t.test('a complete document is compressed without changes', async (t) => {
  for (const path of ['/rows', '/large']) {
    const plain = await get(path)
    t.notOk('content-encoding' in plain.headers, 'not for a client that does not accept it')
    const best = zstdDecompressSync ? 'zstd' : 'br'
    const offers = {
      br: 'br',
      gzip: 'gzip',
      [BROWSER]: best,
      'br, zstd;q=0.5': 'br',
      'gzip, zstd': zstdDecompressSync ? 'zstd' : 'gzip',
    }
    for (const [offer, encoding] of Object.entries(offers)) {
      const asked = { ...HTML, 'accept-encoding': offer }
      const packed = await get(path, asked)
      t.match(packed.headers, { 'content-encoding': encoding, vary: 'Accept, Accept-Encoding' }, path)
      t.equal(Number(packed.headers['content-length']), packed.rawPayload.length)
      t.ok(packed.rawPayload.length < plain.rawPayload.length / 3)
      t.equal(withoutNonces(decode(packed)), withoutNonces(plain.body))
      t.equal(packed.headers.etag, plain.headers.etag, 'the weak ETag is the same')
      const again = await get(path, { ...asked, 'if-none-match': String(plain.headers.etag) })
      t.equal(again.statusCode, 304)
      t.equal(again.headers.vary, 'Accept, Accept-Encoding')
      t.notOk('content-encoding' in again.headers)
    }
    t.equal(plain.headers.vary, 'Accept, Accept-Encoding', 'caches keep one for each encoding')
  }
})

t.test('a short response is not compressed, unless the client refuses uncompressed ones', async (t) => {
  for (const headers of [HTML, JSON_ONLY]) {
    const short = await get('/short', { ...headers, 'accept-encoding': 'br' })
    t.notOk('content-encoding' in short.headers)
    t.equal(short.headers.vary, 'Accept, Accept-Encoding')
    const refused = await get('/short', { ...headers, 'accept-encoding': 'gzip, identity;q=0' })
    t.equal(refused.headers['content-encoding'], 'gzip')
  }
})

t.test('data, problems and failures are compressed as well', async (t) => {
  const requests = [
    ['/rows', JSON_ONLY, 'row number 59'],
    ['/rows?_hydrant', navigationHeaders(), 'row number 59'],
    ['/refuses', JSON_ONLY, 'Too long. Too long.'],
    ['/refuses', HTML, 'Too long. Too long.'],
    ['/throws', JSON_ONLY, 'Too long. Too long.'],
    ['/fails', HTML, 'Application error: a server-side exception'],
    ['/nowhere', HTML, 'This page could not be found.'],
  ] as const
  const failing = await findFailing(
    requests,
    async ([path, headers, expected]) => {
      const answer = await get(path, { ...headers, 'accept-encoding': 'gzip' })
      const { 'content-encoding': encoding, vary } = answer.headers
      return [encoding, String(vary).includes('Accept-Encoding'), decode(answer).includes(expected)]
    },
    () => ['gzip', true, true],
  )
  t.strictSame(failing, [])
})

t.test('HEAD has the headers of GET', async (t) => {
  const asked = { ...JSON_ONLY, 'accept-encoding': 'br' }
  const got = await get('/rows', asked)
  const head = await app.inject({ method: 'HEAD', url: '/rows', headers: asked })
  for (const name of ['content-encoding', 'content-length', 'vary']) t.equal(head.headers[name], got.headers[name])
  const streamed = await app.inject({
    method: 'HEAD',
    url: '/streams',
    headers: { ...HTML, 'accept-encoding': 'br' },
  })
  t.match(streamed.headers, { 'content-encoding': 'br', 'x-accel-buffering': 'no' })
  const whole = await app.inject({ method: 'HEAD', url: '/rows', headers: { ...HTML, 'accept-encoding': 'br' } })
  t.equal(whole.headers.vary, 'Accept, Accept-Encoding')
})

t.test('responses that must not be changed are not compressed', async (t) => {
  const encoded = { ...HTML, 'accept-encoding': 'br' }
  for (const [name, value] of [
    ['cache-control', 'public, max-age=60, no-transform'],
    ['content-encoding', 'x-own'],
  ] as const) {
    const answer = await get(`/asks?${new URLSearchParams({ name, value })}`, encoded)
    t.match(answer.body, 'row number 59', value)
    t.equal(answer.headers['content-encoding'], name === 'content-encoding' ? value : undefined)
  }
  for (const path of ['/own', '/events']) {
    const answer = await get(path, { 'accept-encoding': 'br, *' })
    t.equal(answer.statusCode, 200, path)
    t.notOk('content-encoding' in answer.headers, `${path} is a route of the site's own`)
  }
  const sent = await app.inject({ method: 'POST', url: '/sends', headers: encoded })
  t.match(sent.body, 'sent by the action')
  t.notOk('content-encoding' in sent.headers)
})

t.test("the site's hooks see uncompressed text", async (t) => {
  for (const path of ['/rows', '/large'])
    for (const encoding of ['br', undefined]) {
      const headers = { ...HTML, ...(encoding && { 'accept-encoding': encoding }) }
      const rewritten = await get(path, { ...headers, 'x-rewrite': '1' })
      t.equal(rewritten.headers['content-encoding'], encoding)
      t.match(decode(rewritten), 'rewritten 59')
      const unchanged = await get(path, headers)
      t.equal(decode(rewritten).replaceAll('rewritten', 'row number').length, decode(unchanged).length)
    }
})

t.test('a response to a request that another site causes is not compressed', async (t) => {
  const asked = { ...HTML, 'accept-encoding': 'br' }
  const requests = [
    [{ 'sec-fetch-site': 'cross-site', cookie: 'a=b' }, undefined],
    [{ 'sec-fetch-site': 'same-site', cookie: 'a=b' }, undefined],
    [{ 'sec-fetch-site': 'cross-site', authorization: 'Basic YTpi' }, undefined],
    [{ 'sec-fetch-site': 'cross-site', authorization: 'Bearer token' }, 'br'],
    [{ 'sec-fetch-site': 'cross-site', cookie: 'a=b', 'sec-fetch-user': '?1' }, 'br'],
    [{ 'sec-fetch-site': 'cross-site', authorization: 'Basic YTpi', 'sec-fetch-user': '?1' }, 'br'],
    [{ 'sec-fetch-site': 'cross-site' }, 'br'],
    [{ 'sec-fetch-site': 'same-origin', cookie: 'a=b' }, 'br'],
    [{ 'sec-fetch-site': 'none', cookie: 'a=b' }, 'br'],
    [{ cookie: 'a=b' }, 'br'],
  ] as const
  const failing = await findFailing(
    requests,
    async ([headers]) => (await get('/rows', { ...asked, ...headers })).headers['content-encoding'],
    ([, encoding]) => encoding,
  )
  t.strictSame(failing, [])
})

t.test('with the option off, nothing is compressed and Vary does not name the encoding', async (t) => {
  const { get } = await testSite(t, site, { server, compress: false })
  for (const headers of [HTML, JSON_ONLY]) {
    const answer = await get('/rows', { ...headers, 'accept-encoding': 'br' })
    t.notOk('content-encoding' in answer.headers)
    t.equal(answer.headers.vary, 'Accept')
  }
  const navigation = await get('/rows?_hydrant', { 'accept-encoding': 'br', ...navigationHeaders() })
  t.equal(navigation.headers.vary, 'hydrant-build, hydrant-layouts')
})

t.test('the compressor is destroyed when the visitor leaves', async (t) => {
  const sent: Duplex[] = []
  const watched = await testSite(t, site, {
    // After every other hook.
    async server(app: FastifyInstance) {
      app.addHook('onRoute', (route) => {
        const look = async (_request: unknown, _reply: unknown, payload: unknown) => {
          if (payload instanceof Duplex) sent.push(payload)
        }
        route.onSend = [route.onSend ?? [], look].flat()
      })
    },
  })
  const address = await listen(t, watched.app)
  for (const encoding of ['br', 'gzip']) {
    const controller = new AbortController()
    const headers = { ...HTML, 'accept-encoding': encoding }
    const answer = await fetch(`${address}/streams`, { headers, signal: controller.signal })
    t.equal(answer.headers.get('content-encoding'), encoding)
    const compressor = sent.pop()
    t.ok(compressor && !compressor.destroyed)
    controller.abort()
    await until(() => compressor?.destroyed)
  }
})
