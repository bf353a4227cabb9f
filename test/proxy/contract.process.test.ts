// Requirements for a site behind each of the proxies whose configuration is in docs/proxies, run exactly as written
// there.

import { statSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import t from 'tap'
import { type Checks, findDifferences } from '../differences.ts'
import type { SiteServer } from '../site-server.ts'
import { HOST, PROXIES, readDocumented, startDocumented } from './documented.ts'
import { buildProxiedSite } from './proxied-site.ts'
import { startUpstreams } from './upstreams.ts'
import { type Answer, openVisitor, type Visitor } from './visitor.ts'

const dir = await buildProxiedSite(t)
const upstreams = await startUpstreams(t, dir)
const { servers } = upstreams

/** The mount path of the site, the path that arrives, and the process that responds. */
const PLACES = [
  { name: 'at the root, by two processes', base: '', mounted: '', answering: [servers.first, servers.second] },
  { name: 'below a path that is passed on', base: '/shop', mounted: '/shop', answering: [servers.shop] },
  { name: 'below a path that is taken away, on a socket file', base: '/docs', mounted: '', answering: [servers.docs] },
]
type Place = (typeof PLACES)[number]

// Headers that a visitor sets must not be trusted.
const FORGED = {
  'x-forwarded-for': '6.6.6.6, 127.0.0.1',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  forwarded: 'for=6.6.6.6;host=evil.example;proto=http',
}

for (const [index, proxy] of PROXIES.entries()) {
  t.test(proxy.name, async (t) => {
    const { httpPort, httpsPort } = await startDocumented(t, proxy, upstreams)
    const address = `127.0.1.${index + 1}`
    const visitor = await openVisitor(t, httpsPort, address)
    t.equal(visitor.protocol, 'h2', 'speaks HTTP/2 with visitors')
    t.match(await askPlain(httpPort, '/notes'), { status: 308, location: 'https://shop.example/notes' })
    const other = await openVisitor(t, httpsPort, `127.0.2.${index + 1}`)
    const nameOf = ({ name }: Place) => name
    const differences = await findDifferences(PLACES, nameOf, async (checks, place) => {
      await checkAddresses(checks, visitor, place, address)
      await checkFailure(checks, visitor, place)
      await checkForms(checks, visitor, place)
      await checkStream(checks, visitor, place, proxy.name)
      if (proxy.noticesLeaving) await checkLeaving(visitor, place, proxy.name)
      await checkWebSocket(checks, httpsPort, place)
      await checkReports(checks, visitor, place, other)
    })
    t.strictSame(differences, {})
  })
}

t.test('one process of two is enough', async (t) => {
  const running = await Promise.all(PROXIES.map((proxy) => startDocumented(t, proxy, upstreams)))
  const visitors = await Promise.all(running.map(({ httpsPort }) => openVisitor(t, httpsPort, '127.0.0.1')))
  await servers.second.stop()
  for (const [index, visitor] of visitors.entries()) {
    // Caddy does not repeat a request with a body. The process that runs must stay in use all the same.
    const send = () => visitor.ask({ path: '/who', method: 'POST', body: 'a=1' })
    await Promise.all(Array.from({ length: 20 }, send))
    const next = await Promise.all(Array.from({ length: 20 }, send))
    t.notOk(
      next.some(({ status }) => status === 503),
      String(PROXIES[index]?.name),
    )
    const answers: Answer[] = []
    for (let count = 0; count < 6; count++) answers.push(await visitor.ask({ path: '/who' }))
    t.strictSame(
      answers.map(({ status }) => status),
      Array(6).fill(200),
      String(PROXIES[index]?.name),
    )
  }
})

t.test('the server never closes a kept connection of a proxy first', async (t) => {
  const { headers } = await fetch(`http://127.0.0.1:${upstreams.first}/who`)
  const keptSeconds = Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1])
  t.ok(keptSeconds > 60, `${keptSeconds} s`)
  const kept = /keepalive_timeout (\d+)s|pool-purge-delay (\d+)s|keepalive (\d+)s|ttl=(\d+)/g
  for (const proxy of PROXIES) {
    const seconds = [...readDocumented(proxy).matchAll(kept)].map(([, ...found]) => Number(found.find(Boolean)))
    t.ok(seconds.length > 0 && seconds.every((each) => each < keptSeconds), `${proxy.name}: ${seconds}`)
  }
})

t.test('only its user and group can use the socket file, and it is removed with its server', async (t) => {
  t.equal(statSync(upstreams.docs).mode & 0o777, 0o660)
  await servers.docs.stop()
  t.throws(() => statSync(upstreams.docs), { code: 'ENOENT' })
})

async function checkAddresses(checks: Checks, { ask, origin }: Visitor, { base }: Place, address: string) {
  const home = await ask({ path: base || '/', headers: FORGED })
  checks.match(home.body, `<p id="url">${origin}${base || '/'}</p>`, 'url is the visitor’s')
  checks.equal(sizeOf(home) < 4_096, true, `${sizeOf(home)} bytes of headers`)
  const { ip, host, protocol, forwarded } = JSON.parse((await ask({ path: `${base}/who`, headers: FORGED })).body)
  const told = [address, new URL(origin).host, 'https', `for=${address};proto=https`]
  checks.equal([ip, host, protocol, forwarded], told, 'who asks')
  const moved = await ask({ path: `${base}/moved` })
  checks.equal([moved.status, moved.headers.location], [302, `${base}/echo/moved?a=1`], 'a redirect')
  const slash = await ask({ path: `${base}/moved/` })
  checks.equal(slash.headers.location, `${base}/moved`, 'a slash at the end')
  const echo = await ask({ path: `${base}/echo/a%2Fb%20%25?q` })
  checks.match(echo.body, '<p>a/b %</p>', 'what is encoded stays so')
  const assets = [...home.body.matchAll(/(?:src|href)="([^"]*\/_hydrant\/[^"]*)"/g)].map(([, path]) => path ?? '')
  checks.equal(assets.length > 2, true, `more than two of ${assets}`)
  for (const path of assets) checks.equal((await ask({ path })).status, 200, path)
  checks.equal((await ask({ path: `${base}/robots.txt` })).body, 'User-agent: *\n', 'robots.txt')
  checks.equal((await ask({ path: `${base}/nowhere` })).status, 404, 'an unknown path')
  if (base !== '')
    checks.equal((await ask({ path: `${base}ping` })).status, 404, 'what only begins like the base is not below it')
}

async function checkFailure(checks: Checks, { ask }: Visitor, { base, answering }: Place) {
  const { status, headers, body } = await ask({ path: `${base}/fails` })
  checks.equal(status, 500, 'the status of a failure')
  checks.match(body, 'exception has occurred while loading shop.example (see the server logs', 'its sentence')
  const digest = String(headers['x-error-digest'])
  const line = await Promise.any(answering.map((server) => server.waitForLine((each) => each.digest === digest)))
  checks.equal([line.host, line.url, line.route], ['shop.example', `${base}/fails`, '/fails'], 'its line')
  checks.lacks(JSON.stringify(line), /127\.0\.1\./, 'a log that is shown around names no visitor')
}

async function checkForms(checks: Checks, { ask, origin }: Visitor, { base }: Place) {
  for (const [headers, expected] of [
    [{ origin }, 303],
    [{ origin, 'sec-fetch-site': 'same-origin' }, 303],
    [{}, 303],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'https://evil.example', ...FORGED }, 403],
    [{ origin: 'null' }, 403],
    [{ origin, 'sec-fetch-site': 'same-site' }, 403],
  ] as const) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await ask({ path: `${base}/notes`, method: 'POST', headers: { ...type, ...headers }, body: 'text=x' })
    const location = expected === 303 ? `${base}/notes` : undefined
    checks.equal([sent.status, sent.headers.location], [expected, location], `a form with ${JSON.stringify(headers)}`)
  }
}

async function checkStream(checks: Checks, visitor: Visitor, { base, answering }: Place, name: string) {
  const gate = `${name}${base.length}`
  let releasedAt = -1
  const { status, headers, body } = await visitor.ask({
    path: `${base}/streams?gate=${gate}`,
    onText(text) {
      if (releasedAt !== -1 || !text.includes('<script type="module"')) return
      releasedAt = text.length
      for (const { port } of answering) void release(visitor, base, port, gate)
    },
  })
  checks.equal(status, 200, 'the status of a stream')
  checks.match(body.slice(0, releasedAt), /<h1>The shell<\/h1>.*Waiting/s, 'the shell has come before the release')
  checks.match(body.slice(releasedAt), /id="slow">The slow part/, 'the slow part comes after it')
  checks.match(body, /<\/body><\/html>$/, 'and the document is complete')
  checks.equal(headers['content-encoding'], 'br', 'compressed part by part')
  checks.equal(headers['content-length'], undefined, 'content-length')
  checks.equal(headers['cache-control'], 'no-store', 'cache-control')
}

/** Rejects if no server notices that the visitor has gone. */
async function checkLeaving(visitor: Visitor, { base, answering }: Place, name: string) {
  const path = `${base}/streams?gate=never-${name}`
  const isShell = (text: string) => text.includes('Waiting')
  await visitor.ask({ path, onText: (text) => !isShell(text) }).catch(() => {})
  const left = (server: SiteServer) =>
    server.waitForLine(({ msg, url }) => url === path && msg.includes('client disconnected'))
  await Promise.any(answering.map(left))
}

async function checkWebSocket(checks: Checks, port: number, { base, mounted }: Place) {
  const headers = {
    host: HOST,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
  }
  const text = await new Promise<string>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false, agent: false }
    const asked = requestTls({ ...options, path: `${base}/socket`, headers }, ({ statusCode }) =>
      reject(new Error(`It is answered ${statusCode}.`)),
    )
    asked.on('error', reject).on('upgrade', (_response, socket, head) => {
      let said = String(head)
      socket.setEncoding('utf8').on('data', (part: string) => {
        said += part
      })
      socket.on('end', () => resolve(said))
    })
    asked.end()
  })
  checks.equal(text, `${mounted}/socket ${HOST}`, 'a WebSocket')
}

// Each process has its own gates.
async function release({ ask }: Visitor, base: string, port: number, gate: string) {
  if (base === '') await fetch(`http://127.0.0.1:${port}/release/${gate}`)
  else await ask({ path: `${base}/release/${gate}` })
}

// These are not reports, which the server finds out after the limit.
async function checkReports(checks: Checks, visitor: Visitor, { base, answering }: Place, other: Visitor) {
  const report = ({ ask, origin }: Visitor) =>
    ask({
      path: `${base}/_hydrant/report`,
      method: 'POST',
      headers: { origin, 'content-type': 'text/plain', ...FORGED },
      body: 'x',
    })
  const statuses: number[] = []
  for (let count = 0; count < 2 * answering.length; count++) statuses.push((await report(visitor)).status)
  const isLimited = statuses.includes(400) && (answering.length > 1 || statuses.includes(429))
  checks.equal(isLimited, true, `a limit, with ${statuses}`)
  checks.equal((await report(other)).status, 400, 'a limit for each address is one for each visitor')
}

function sizeOf({ headers }: Answer): number {
  return Object.entries(headers).reduce((size, [name, value]) => size + name.length + String(value).length + 4, 0)
}

function askPlain(port: number, path: string): Promise<{ status: number; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { host: 'shop.example' }, agent: false }, (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, location: response.headers.location })
    })
      .on('error', reject)
      .end()
  })
}
