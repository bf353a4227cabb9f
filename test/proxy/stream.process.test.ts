import t from 'tap'
import { createHttpClient, type HttpAnswer, type HttpClient } from '../http-client.ts'
import { type SiteServer, shareSite, startSite } from '../site-server.ts'
import { type Nginx, startNginx } from './nginx.ts'
import { buildProxiedSite } from './proxied-site.ts'

/** A page of the site that the build renders. The others are rendered for each request. */
const PRERENDERED = '/docs/http'

t.test('the shell is sent before the slow part exists, also through an nginx without configuration', async (t) => {
  const dir = await buildProxiedSite(t)
  // Long enough that no deadline interferes.
  const site = await startSite(t, { dir, env: { HYDRANT_TIMEOUTS_RENDER_MS: '60000' } })
  const http = createHttpClient(t)
  const { barePort } = await startNginx(t, site.port)
  for (const [name, port] of [
    ['directly', site.port],
    ['through nginx', barePort],
  ] as const) {
    await t.test(name, async (t) => {
      const { status, headers, body, releasedAt } = await readAndRelease(http, site, port, name)
      t.equal(status, 200)
      t.match(body.slice(0, releasedAt), /<h1>The shell<\/h1>.*Waiting/s, 'the shell has come before the release')
      t.match(body.slice(0, releasedAt), /<script type="module"/, 'and so has what hydrates it')
      t.match(body.slice(releasedAt), /id="slow">The slow part/, 'the slow part comes after it')
      t.match(body, /<\/body><\/html>$/, 'and the document is complete')
      t.equal(headers['content-length'], undefined, 'nobody knows its length')
      t.equal(headers['cache-control'], 'no-store')
      t.equal(headers['x-accel-buffering'], port === site.port ? 'no' : undefined, 'nginx keeps this header')
    })
  }
})

t.test('a whole document has a length and a validator, also behind nginx', async (t) => {
  const site = await shareSite(t)
  const http = createHttpClient(t)
  const nginx = await startNginx(t, site.port)
  const etags = new Set<string>()
  for (const [name, port] of waysOf(site, nginx)) {
    for (const path of ['/failures/f1', '/failures/own', PRERENDERED]) {
      await t.test(`${path}, ${name}`, async (t) => {
        const headers = { host: `127.0.0.1:${site.port}` }
        const whole = await http.send({ port, path, headers })
        t.equal(whole.status, 200)
        t.equal(whole.headers['content-length'], String(Buffer.byteLength(whole.body)))
        const etag = String(whole.headers.etag)
        t.match(etag, path === PRERENDERED ? /^"[\w-]+"$/ : /^W\/"[\w-]+"$/)
        etags.add(`${path} ${etag}`)
        const notModified = await http.send({ port, path, headers: { ...headers, 'if-none-match': etag } })
        t.equal(notModified.status, 304, 'the same validator gets 304')
        t.equal(notModified.body, '')
        const policy = String(notModified.headers['content-security-policy'] ?? '')
        t.notMatch(policy, 'nonce-', 'without a policy for another nonce')
        const other = await http.send({ port, path, headers: { ...headers, 'if-none-match': 'W/"another"' } })
        t.equal(other.status, 200, 'another validator gets it whole')
        const head = await http.send({ port, path, method: 'HEAD', headers })
        t.equal(head.status, 200)
        t.equal(head.body, '')
      })
    }
  }
  // This way has no port in its host, which is part of the boot data, so the document differs.
  t.ok(etags.size <= 6, 'a validator does not depend on the nonce')
})

t.test('a failure through nginx has a length, and no validator', async (t) => {
  const site = await shareSite(t)
  const http = createHttpClient(t)
  const nginx = await startNginx(t, site.port)
  for (const [name, port] of waysOf(site, nginx)) {
    const { status, headers, body } = await http.send({ port, path: '/failures/f3/fail' })
    t.equal(status, 500, name)
    t.equal(headers['content-length'], String(Buffer.byteLength(body)))
    t.equal(headers.etag, undefined)
  }
})

function waysOf(site: SiteServer, { forwardingPort, barePort }: Nginx): [string, number][] {
  return [
    ['directly', site.port],
    ['through a proxy that forwards the host', forwardingPort],
    ['through a proxy that hides the host', barePort],
  ]
}

/**
 * Reads a document, and releases its slow part when the shell has arrived. `releasedAt` is the length at that time.
 */
async function readAndRelease(
  http: HttpClient,
  site: SiteServer,
  port: number,
  name: string,
): Promise<HttpAnswer & { releasedAt: number }> {
  const gate = encodeURIComponent(name)
  let seen = ''
  let releasedAt = -1
  const answer = await http.send({
    port,
    path: `/streams?gate=${gate}`,
    onChunk(text) {
      seen += text
      if (releasedAt !== -1 || !seen.includes('<script type="module"')) return
      releasedAt = seen.length
      void http.send({ port: site.port, path: `/release/${gate}` })
    },
  })
  return { ...answer, releasedAt }
}
