// Attacks by other sites through a visitor's browser (cross-site request forgery). CVE-2023-29003 and CVE-2023-29008
// of SvelteKit: a content type that was not checked, or was spelled differently, bypassed the check.
// GHSA-qwww-vcr4-c8h2 of React Router: the action had run before the request was refused.

import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { findFailing } from '../find-failing.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'

/** How often an action has run and a body was read. */
const counts = { acts: 0, read: 0 }
const act = async () => ({ acts: ++counts.acts })
const site = { '/act': { action: act } }
async function server(app: FastifyInstance) {
  app.get('/socket', async () => 'a socket')
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
  app.addHook('preParsing', async () => void counts.read++)
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url: '/own', handler: act })
}

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
  const { app, log } = await testSite(t, site, { server, ledger: false, allowedOrigins: ['https://friend.example'] })
  const passed: string[] = []
  for (const [index, headers] of FROM_ELSEWHERE.entries()) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      // All types, for the first of these methods.
      const types = index < 2 && method === 'POST' ? TYPES : TYPES.slice(-1)
      for (const type of types) {
        for (const url of ['/act', '/act?_method=GET', '/act?_hydrant', '/own', '/_hydrant/report']) {
          if (method !== 'POST' && url === '/_hydrant/report') continue
          counts.acts = 0
          counts.read = 0
          const own = { host: 'shop.example', cookie: 'session=of-the-visitor', ...navigationHeaders() }
          const sent = { ...HTML, ...own, ...(type ? { 'content-type': type } : {}), ...headers }
          const { statusCode } = await app.inject({ method, url, headers: sent, payload: '{"a":1}' })
          // Its action has not run, and its body was not read.
          if (statusCode !== 403 || counts.acts > 0 || counts.read > 0)
            passed.push(`${method} ${url} ${type} ${JSON.stringify(headers)}: ${statusCode} ${JSON.stringify(counts)}`)
        }
      }
    }
  }
  t.strictSame(passed, [])
  t.strictSame(log.errors(), [])
})

t.test('a request that only reads runs no action, whatever its headers', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false })
  counts.acts = 0
  const failed: string[] = []
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'] as const) {
    for (const headers of [{}, { 'x-http-method-override': 'POST', 'x-http-method': 'POST' }, FROM_ELSEWHERE[0]]) {
      for (const url of ['/act?_method=POST', '/act?_hydrant', '/own']) {
        // Node would accept this method; the types of `inject` do not know it.
        const response = await app.inject({
          method: method as 'GET',
          url,
          headers: { ...HTML, ...navigationHeaders(), ...headers },
        })
        if (response.statusCode >= 500) failed.push(`${method} ${url}: ${response.statusCode}`)
      }
    }
  }
  t.strictSame(failed, [])
  t.equal(counts.acts, 0)
})

t.test('another site opens no WebSocket in a visitor’s name', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false, allowedOrigins: ['https://friend.example'] })
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'x',
  }
  const open = (headers: Record<string, string>) =>
    app.inject({ url: '/socket', headers: { host: 'shop.example', ...upgrade, ...headers } })
  const elsewhere = await findFailing(
    FROM_ELSEWHERE,
    async (headers) => (await open(headers)).statusCode,
    () => 403,
  )
  t.strictSame(elsewhere, [])
  const own: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
    { origin: 'https://shop.example' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://friend.example' },
    // A request of a program.
    {},
  ]
  const failing = await findFailing(
    own,
    async (headers) => (await open(headers)).body,
    () => 'a socket',
  )
  t.strictSame(failing, [])
})

t.test('the site itself, allowed origins and scripts pass', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false, allowedOrigins: ['https://friend.example'] })
  for (const headers of [
    { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://friend.example' },
    { origin: 'https://shop.example' },
    {},
  ]) {
    for (const url of ['/act', '/own']) {
      counts.acts = 0
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
