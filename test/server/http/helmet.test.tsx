// A site or an app that uses @fastify/helmet.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../../src/server/plugin.ts'
import { fallbackContent } from '../../../src/shared/tree/fallback.ts'
import { listenRaw, parseRaw, rawRequest } from '../../attacks/raw.ts'
import { checkNonces } from '../../failures/html.ts'
import { testSite, writeTestSite } from '../../test-site.ts'
import { HTML } from '../served.ts'

const site = {
  '/': {},
  '/styled': () => (
    <>
      <style href="s" precedence="x">
        {'p { color: red }'}
      </style>
      <p>styled</p>
    </>
  ),
  '/fails'() {
    throw new Error('no')
  },
}
const dir = writeTestSite(t.testdir({}), site)

t.test('registered in server.ts', async (t) => {
  const server = async (app: FastifyInstance) => void (await app.register(helmet, { enableCSPNonces: true }))
  const { app } = await testSite(t, site, { server })
  await checkSite(t, app)
})

t.test('registered in the app around the plugin', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(helmet, { enableCSPNonces: true })
  await app.register(hydrant, { dir })
  await checkSite(t, app)
})

t.test("without its policy, Hydrant's own stays", async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(helmet, { contentSecurityPolicy: false })
  await app.register(hydrant, { dir })
  const { headers, body } = await app.inject({ url: '/styled', headers: HTML })
  const [, nonce = ''] = /nonce="([^"]+)"/.exec(body) ?? []
  const expected = `script-src 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'`
  t.equal(headers['content-security-policy'], expected)
  t.equal(headers['referrer-policy'], 'no-referrer', "helmet's other headers are sent")
})

t.test('the hash in the docs allows the style of a failure in the browser', async (t) => {
  const html = fallbackContent({ kind: 'failure', side: 'client' }, { host: 'shop.example', search: '' })
  const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  t.ok(readFileSync('docs/security.md', 'utf8').includes(`'sha256-${hash}'`), hash)
})

async function checkSite(t: Test, app: FastifyInstance) {
  const { send } = await listenRaw(t, app)
  for (const path of ['/', '/styled', '/fails', '/nowhere']) {
    const answer = await send(rawRequest(`GET ${path} HTTP/1.1`, ['Host: shop.example', 'Accept: text/html']))
    const { headers, body } = parseRaw(answer)
    const names = headers.map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
    t.strictSame(names, [...new Set(names)], `${path}: no header twice`)
    const headerOf = (name: string) =>
      headers.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 2)
    t.equal(headerOf('referrer-policy'), 'no-referrer', "helmet's own stay")
    t.equal(headerOf('cross-origin-opener-policy'), 'same-origin')
    const policy = headerOf('content-security-policy') ?? ''
    t.match(policy, /script-src-attr 'none'/)
    checkNonces(t, body, { 'content-security-policy': policy })
    const styleNonce = /style-src [^;]*'nonce-([^']+)'/.exec(policy)?.[1]
    for (const [style] of body.matchAll(/<style[^>]*>/g)) t.match(style, `nonce="${styleNonce}"`, path)
  }
  const page = { url: '/styled', headers: HTML }
  const { headers } = await app.inject(page)
  t.equal((await app.inject(page)).headers.etag, headers.etag, 'the ETag does not depend on nonces')
  const again = await app.inject({ ...page, headers: { ...HTML, 'if-none-match': String(headers.etag) } })
  t.equal(again.statusCode, 304)
  t.notOk('content-security-policy' in again.headers, 'a stored document keeps its policy')
}
