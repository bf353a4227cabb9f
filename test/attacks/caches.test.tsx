// Attacks through caches: a response for one visitor, or a failure that one visitor causes, is stored and sent to
// others. CVE-2024-46982 of Next.js: a request made a cache store a page that must not be stored. CVE-2025-43865 of
// React Router: a request header changed a page's data, and caches stored that.

import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { HttpError, type LoadContext, notFound, redirect } from '../../src/server/index.ts'
import { findFailing } from '../find-failing.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'

const page = (load: (ctx: LoadContext) => unknown) => ({
  Component: ({ data }: { data: unknown }) => <p>{JSON.stringify(data)}</p>,
  load,
  action: load,
})
/** Each page says that any cache may store it, and then does not complete. */
const keep = ({ reply }: LoadContext) => reply.header('cache-control', 'public, max-age=60')
const COOKIE = 'session=abcdefgh; HttpOnly'
const site = {
  '/plain': page(({ request }) => ({ who: request.headers.cookie ?? 'nobody' })),
  '/kept': page((ctx) => {
    keep(ctx)
    return { all: 'the same' }
  }),
  '/cookie': page(({ reply }) => {
    reply.header('set-cookie', COOKIE)
    return {}
  }),
  '/kept-cookie': page((ctx) => {
    keep(ctx).header('set-cookie', COOKIE)
    return {}
  }),
  '/fails': page((ctx) => {
    keep(ctx).header('etag', '"a"')
    throw new Error('broken')
  }),
  '/refuses': page((ctx) => {
    keep(ctx)
    throw new HttpError(403, 'members only')
  }),
  '/gone': page((ctx) => {
    keep(ctx)
    notFound()
  }),
  '/moved': page(() => redirect('/plain')),
}
async function server(app: FastifyInstance) {
  app.get('/own-fails', async (_request, reply) => {
    reply.header('cache-control', 'public')
    throw new Error('broken')
  })
}

const WAYS = [HTML, JSON_ONLY, { ...HTML, accept: '*/*' }]

function isKeptByNobody({ headers }: LightMyRequestResponse): boolean {
  const control = String(headers['cache-control'])
  return /no-store|private/.test(control) && !/public|s-maxage|max-age=[1-9]/.test(control)
}

t.test('no error, redirect or response with a cookie may be stored for others', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false, hosts: ['shop.example'] })
  const kept: string[] = []
  const unvaried: string[] = []
  for (const accept of WAYS) {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND'] as const) {
      for (const [path, more] of [
        ['/plain', {}],
        ['/cookie', {}],
        ['/kept-cookie', {}],
        ['/fails', {}],
        ['/refuses', {}],
        ['/gone', {}],
        ['/moved', {}],
        ['/plain/', {}],
        ['/nowhere', {}],
        ['/own-fails', {}],
        ['/%zz', {}],
        [`/${'x'.repeat(9_000)}`, {}],
        ['/plain', { host: 'other.example' }],
        ['/plain', { 'sec-fetch-site': 'cross-site' }],
        ['/plain', { 'content-type': 'x/y', 'content-encoding': 'gzip' }],
        ['/_hydrant/assets/none.js', {}],
        ['/plain?_hydrant', navigationHeaders()],
        ['/fails?_hydrant', navigationHeaders()],
        ['/nowhere?_hydrant', {}],
        ['/_hydrant/report', {}],
        ['/_hydrant/live', {}],
        ['/_hydrant', {}],
      ] as const) {
        const headers = { host: 'shop.example', ...accept, ...more }
        const response = await app.inject({ method, url: path, headers })
        const { statusCode, headers: answered } = response
        const title = `${method} ${path.slice(0, 40)} ${accept.accept}: ${statusCode} ${answered['cache-control']}`
        // Switching between two kinds of response is another way to have the wrong one stored.
        if (statusCode === 200 && path === '/plain' && !/\baccept\b/i.test(String(answered.vary))) unvaried.push(title)
        if (!isKeptByNobody(response)) kept.push(title)
      }
    }
  }
  t.strictSame({ kept, unvaried }, { kept: [], unvaried: [] })
})

t.test('no request header changes a response that any cache may store', async (t) => {
  const { get } = await testSite(t, site, { server, ledger: false })
  const plain = await get('/kept')
  t.equal(plain.headers['cache-control'], 'public, max-age=60')
  const strip = ({ body }: LightMyRequestResponse) => body.replace(/nonce="[^"]*"/g, '')
  const sent: Record<string, string>[] = [
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/evil' },
    { 'x-original-url': '/fails', 'x-rewrite-url': '/fails', 'x-http-method-override': 'POST' },
    { 'x-react-router-spa-mode': 'yes', 'x-react-router-prerender-data': '[]', 'x-nextjs-data': '1', rsc: '1' },
    { 'x-now-route-matches': '1=/', 'x-middleware-prefetch': '1', 'x-matched-path': '/fails', purpose: 'prefetch' },
    { ...navigationHeaders(), 'hydrant-layouts': 'x' },
    { cookie: 'session=mine', authorization: 'Bearer mine', 'user-agent': 'Mozilla/5.0 another' },
    { range: 'bytes=0-3', 'if-match': 'x', 'if-range': 'x', 'if-modified-since': 'x', expect: '100-continue' },
    { 'cache-control': 'no-cache', pragma: 'no-cache', te: 'trailers', 'transfer-encoding': 'identity' },
    {
      'x-request-id': 'mine',
      traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
      forwarded: 'host=evil.example',
    },
  ]
  const changed = await findFailing(
    sent,
    async (headers) => {
      const response = await get('/kept', { ...HTML, ...headers })
      return [response.statusCode, strip(response)]
    },
    () => [200, strip(plain)],
  )
  t.strictSame(changed, [])
})

t.test('a page in one form is not stored for clients that request another', async (t) => {
  const { get } = await testSite(t, site, { server, ledger: false })
  const asked = ['/kept', '/plain', '/nowhere', '/fails', '/moved', '/refuses'].flatMap((path) =>
    WAYS.map((headers) => ({ path, headers })),
  )
  const unvaried = await findFailing(asked, async ({ path, headers }) => {
    const { vary } = (await get(path, headers)).headers
    return /(?:^|,\s*)Accept(?:,|$)/i.test(String(vary)) ? undefined : { vary }
  })
  t.strictSame(unvaried, [])
  const html = await get('/plain', { ...HTML, cookie: 'a=b' })
  const again = await get('/plain', { ...HTML, 'if-none-match': String(html.headers.etag) })
  t.equal(again.statusCode, 200, 'what another visitor was shown is not unchanged')
})
