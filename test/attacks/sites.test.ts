// Attacks by other sites through a visitor's browser (cross-site request forgery). CVE-2023-29003 and CVE-2023-29008
// of SvelteKit: a content type that was not checked, or was spelled differently, bypassed the check.
// GHSA-qwww-vcr4-c8h2 of React Router: the action had run before the request was refused.

import t from 'tap'
import { navigationHeaders } from '../server/lines.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../server/served.ts'

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
const count = '(globalThis.hydrantTestActs = (globalThis.hydrantTestActs ?? 0) + 1)'
const dir = await buildFiles(t.testdir({}), {
  'pages/act.tsx': page,
  'pages/act.server.ts': `export const action = () => ({ acts: ${count} })\n`,
  'server.ts': `export default async (app) => {
  app.get('/socket', async () => 'a socket')
  app.addContentTypeParser('*', (request, payload, done) => { payload.resume(); done(null) })
  app.addHook('preParsing', async () => void (globalThis.hydrantTestRead = (globalThis.hydrantTestRead ?? 0) + 1))
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url: '/own', handler: async () => ({ acts: ${count} }) })
}
`,
})
const site = globalThis as { hydrantTestActs?: number; hydrantTestRead?: number }

/**
 * The headers that browsers send when another site causes a request, and the headers that an attacker would prefer.
 */
const FROM_ELSEWHERE: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'https://sub.shop.example' },
  {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    'sec-fetch-user': '?1',
  },
  { 'sec-fetch-site': 'same-origin, cross-site' },
  { 'sec-fetch-site': 'Same-Origin' },
  { 'sec-fetch-site': '' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'https://shop.example.evil.example' },
  { origin: 'https://evilshop.example' },
  { origin: 'https://shop.example@evil.example' },
  { origin: 'https://evil.example/shop.example' },
  { origin: 'https://evil.example#shop.example' },
  { origin: 'https://evil.example\\.shop.example' },
  { origin: 'http://shop.example:8080' },
  { origin: 'file://' },
  { origin: 'chrome-extension://abcdefgh' },
  { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
  { origin: 'https://evil.example', referer: 'https://shop.example/', 'x-requested-with': 'XMLHttpRequest' },
  {
    origin: 'https://evil.example',
    'x-http-method-override': 'GET',
    'x-http-method': 'GET',
    'x-method-override': 'GET',
  },
  { origin: 'https://evil.example', 'hydrant-acted': '1', 'hydrant-internal': '1' },
]

const TYPES = [
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'text/plain',
  'text/plain; charset=UTF-8',
  'TEXT/PLAIN',
  'text/plain; application/json',
  'application/json',
  'application/octet-stream',
  '',
]

t.test('another site can make no visitor do anything, with any method and type', async (t) => {
  const { app, log } = await serve(t, dir, { ledger: false, allowedOrigins: ['https://friend.example'] })
  for (const [index, headers] of FROM_ELSEWHERE.entries()) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      // All types, for the first of these methods.
      const types = index < 2 && method === 'POST' ? TYPES : TYPES.slice(-1)
      for (const type of types) {
        for (const url of ['/act', '/act?_method=GET', '/act?_hydrant', '/own', '/_hydrant/report']) {
          if (method !== 'POST' && url === '/_hydrant/report') continue
          site.hydrantTestActs = 0
          site.hydrantTestRead = 0
          const own = { host: 'shop.example', cookie: 'session=of-the-visitor', ...navigationHeaders(dir) }
          const sent = { ...HTML, ...own, ...(type ? { 'content-type': type } : {}), ...headers }
          const response = await app.inject({ method, url, headers: sent, payload: '{"a":1}' })
          const title = `${method} ${url} ${type} ${JSON.stringify(headers)}`
          t.equal(response.statusCode, 403, title)
          t.equal(site.hydrantTestActs, 0, `${title}: it has not run`)
          t.equal(site.hydrantTestRead, 0, `${title}: its body was not read`)
        }
      }
    }
  }
  t.strictSame(log.errors(), [])
})

t.test('a request that only reads runs no action, whatever its headers', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  site.hydrantTestActs = 0
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'] as const) {
    for (const headers of [{}, { 'x-http-method-override': 'POST', 'x-http-method': 'POST' }, FROM_ELSEWHERE[0]]) {
      for (const url of ['/act?_method=POST', '/act?_hydrant', '/own']) {
        // Node would accept this method; the types of `inject` do not know it.
        const response = await app.inject({
          method: method as 'GET',
          url,
          headers: { ...HTML, ...navigationHeaders(dir), ...headers },
        })
        t.ok(response.statusCode < 500, `${method} ${url}: ${response.statusCode}`)
      }
    }
  }
  t.equal(site.hydrantTestActs, 0)
})

t.test('another site opens no WebSocket in a visitor’s name', async (t) => {
  const { app } = await serve(t, dir, { ledger: false, allowedOrigins: ['https://friend.example'] })
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'x',
  }
  const open = (headers: Record<string, string>) =>
    app.inject({ url: '/socket', headers: { host: 'shop.example', ...upgrade, ...headers } })
  for (const headers of FROM_ELSEWHERE) t.equal((await open(headers)).statusCode, 403, JSON.stringify(headers))
  for (const headers of [
    { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
    { origin: 'https://shop.example' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://friend.example' },
    // A request of a program.
    {},
  ]) {
    t.equal((await open(headers)).body, 'a socket', JSON.stringify(headers))
  }
})

t.test('the site itself, allowed origins and scripts pass', async (t) => {
  const { app } = await serve(t, dir, { ledger: false, allowedOrigins: ['https://friend.example'] })
  for (const headers of [
    { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://friend.example' },
    { origin: 'https://shop.example' },
    {},
  ]) {
    for (const url of ['/act', '/own']) {
      site.hydrantTestActs = 0
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await app.inject({
        method: 'POST',
        url,
        headers: { ...JSON_ONLY, ...form, host: 'shop.example', ...headers },
        payload: 'a=1',
      })
      t.strictSame(response.json(), { acts: 1 }, `${url} ${JSON.stringify(headers)}`)
    }
  }
})
