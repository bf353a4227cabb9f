// Attacks through caches: a response for one visitor, or a failure that one visitor causes, is stored and sent to
// others. CVE-2024-46982 of Next.js: a request made a cache store a page that must not be stored. CVE-2025-43865 of
// React Router: a request header changed a page's data, and caches stored that.

import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { navigationHeaders } from '../server/lines.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../server/served.ts'

const page = 'export default function Page({ data }) {\n  return <p>{JSON.stringify(data)}</p>\n}\n'
const load = (body: string) => `import { HttpError, notFound, redirect } from 'hydrant'
void [HttpError, notFound, redirect]
export const load = ({ reply, request, url }) => {\n  ${body}\n}
export const action = load
`
/** Each page says that any cache may store it, and then does not complete. */
const KEPT = "reply.header('cache-control', 'public, max-age=60')"
const dir = await buildFiles(t.testdir({}), {
  'pages/plain.tsx': page,
  'pages/plain.server.ts': load("return { who: request.headers.cookie ?? 'nobody' }"),
  'pages/kept.tsx': page,
  'pages/kept.server.ts': load(`${KEPT}\n  return { all: 'the same' }`),
  'pages/cookie.tsx': page,
  'pages/cookie.server.ts': load("reply.header('set-cookie', 'session=abcdefgh; HttpOnly')\n  return {}"),
  'pages/kept-cookie.tsx': page,
  'pages/kept-cookie.server.ts': load(
    `${KEPT}\n  reply.header('set-cookie', 'session=abcdefgh; HttpOnly')\n  return {}`,
  ),
  'pages/fails.tsx': page,
  'pages/fails.server.ts': load(`${KEPT}.header('etag', '"a"')\n  throw new Error('broken')`),
  'pages/refuses.tsx': page,
  'pages/refuses.server.ts': load(`${KEPT}\n  throw new HttpError(403, 'members only')`),
  'pages/gone.tsx': page,
  'pages/gone.server.ts': load(`${KEPT}\n  notFound()`),
  'pages/moved.tsx': page,
  'pages/moved.server.ts': load("redirect('/plain')"),
  'server.ts': `export default async (app) => {
  app.get('/own-fails', async (request, reply) => { reply.header('cache-control', 'public'); throw new Error('broken') })
}
`,
})

const WAYS = [HTML, JSON_ONLY, { ...HTML, accept: '*/*' }]

function checkKeptByNobody(t: Test, { headers, statusCode }: LightMyRequestResponse, title: string) {
  const control = String(headers['cache-control'])
  t.match(control, /no-store|private/, `${title}: ${statusCode} ${control}`)
  t.notMatch(control, /public|s-maxage|max-age=[1-9]/, title)
}

t.test('no error, redirect or response with a cookie may be stored for others', async (t) => {
  const { app } = await serve(t, dir, { ledger: false, hosts: ['shop.example'] })
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
        ['/plain?_hydrant', navigationHeaders(dir)],
        ['/fails?_hydrant', navigationHeaders(dir)],
        ['/nowhere?_hydrant', {}],
        ['/_hydrant/report', {}],
        ['/_hydrant/live', {}],
        ['/_hydrant', {}],
      ] as const) {
        const headers = { host: 'shop.example', ...accept, ...more }
        const response = await app.inject({ method, url: path, headers })
        const title = `${method} ${path.slice(0, 40)} ${accept.accept}`
        // Switching between two kinds of response is another way to have the wrong one stored.
        if (response.statusCode === 200 && path === '/plain') t.match(response.headers.vary, /\baccept\b/i, title)
        checkKeptByNobody(t, response, title)
      }
    }
  }
})

t.test('no request header changes a response that any cache may store', async (t) => {
  const { get } = await serve(t, dir, { ledger: false })
  const plain = await get('/kept')
  t.equal(plain.headers['cache-control'], 'public, max-age=60')
  const strip = ({ body }: LightMyRequestResponse) => body.replace(/nonce="[^"]*"/g, '')
  for (const headers of [
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/evil' },
    { 'x-original-url': '/fails', 'x-rewrite-url': '/fails', 'x-http-method-override': 'POST' },
    { 'x-react-router-spa-mode': 'yes', 'x-react-router-prerender-data': '[]', 'x-nextjs-data': '1', rsc: '1' },
    { 'x-now-route-matches': '1=/', 'x-middleware-prefetch': '1', 'x-matched-path': '/fails', purpose: 'prefetch' },
    { ...navigationHeaders(dir), 'hydrant-layouts': 'x' },
    { cookie: 'session=mine', authorization: 'Bearer mine', 'user-agent': 'Mozilla/5.0 another' },
    { range: 'bytes=0-3', 'if-match': 'x', 'if-range': 'x', 'if-modified-since': 'x', expect: '100-continue' },
    { 'cache-control': 'no-cache', pragma: 'no-cache', te: 'trailers', 'transfer-encoding': 'identity' },
    {
      'x-request-id': 'mine',
      traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
      forwarded: 'host=evil.example',
    },
  ] as Record<string, string>[]) {
    const response = await get('/kept', { ...HTML, ...headers })
    t.equal(response.statusCode, 200, JSON.stringify(headers))
    t.equal(strip(response), strip(plain), JSON.stringify(headers))
  }
})

t.test('a page in one form is not stored for clients that request another', async (t) => {
  const { get } = await serve(t, dir, { ledger: false })
  for (const path of ['/kept', '/plain', '/nowhere', '/fails', '/moved', '/refuses']) {
    for (const headers of WAYS) t.match((await get(path, headers)).headers.vary, /(?:^|,\s*)Accept(?:,|$)/i, path)
  }
  const html = await get('/plain', { ...HTML, cookie: 'a=b' })
  const again = await get('/plain', { ...HTML, 'if-none-match': String(html.headers.etag) })
  t.equal(again.statusCode, 200, 'what another visitor was shown is not unchanged')
})
