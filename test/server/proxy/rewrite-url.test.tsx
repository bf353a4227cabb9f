// Changes that proxies make to a request.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { CreateServerOptions } from '../../../src/server/create-server.ts'
import { redirect } from '../../../src/server/index.ts'
import { listenRaw, parseRaw, rawRequest } from '../../attacks/raw.ts'
import { navigationHeaders, writeTestSite } from '../../test-site.ts'
import { HTML, JSON_ONLY, serve } from '../served.ts'

const site = {
  '/': () => <a href="#x">home</a>,
  '/form': {
    Component: ({ url }: { url: URL }) => <p>{url.href}</p>,
    load: () => ({ a: 1 }),
    action: () => redirect('/'),
  },
  '/moved': { load: () => redirect('/form?a=1') },
  '/fails': {
    load() {
      throw new Error('no')
    },
  },
  '/shop': () => <p>the shop below the shop</p>,
}
const server = async (app: FastifyInstance) =>
  void app.get('/who', async ({ ip, ips, host, protocol, originalUrl }) => ({ ip, ips, host, protocol, originalUrl }))
const dir = writeTestSite(t.testdir({}), site, { server, publicFiles: { 'robots.txt': 'User-agent: *\n' } })

t.test('a base that the proxy strips is put back', async (t) => {
  const { app, get, log, failuresOf } = await serve(t, dir, { base: '/shop', proxyStripsBase: true })
  const home = await get('/')
  t.match(home.body, '<a href="#x">home</a>')
  const assets = [...home.body.matchAll(/"(\/shop\/_hydrant\/assets\/[\w.-]+)"/g)].map(([, url]) => url ?? '')
  t.ok(assets.length > 1, 'its assets have public URLs')
  for (const url of assets) t.equal((await get(url.slice('/shop'.length))).statusCode, 200, url)
  t.match((await get('/form?b=2')).body, '<p>http://localhost/shop/form?b=2</p>', 'url is the public URL')
  t.equal((await get('/?q')).statusCode, 200)
  t.equal((await get('/robots.txt')).body, 'User-agent: *\n')
  t.match((await get('/who')).json(), { originalUrl: '/shop/who' })
  t.match((await get('/shop')).body, 'the shop below the shop', 'also for a path that begins with the base')
  t.equal((await get('/moved')).headers.location, '/shop/form?a=1')
  t.equal((await get('/form/')).headers.location, '/shop/form')
  const posted = await app.inject({ method: 'POST', url: '/form', headers: HTML })
  t.match([posted.statusCode, posted.headers.location], [303, '/shop'])
  const data = await get('/form?_hydrant', navigationHeaders())
  t.match(data.body, '["data",0,', 'also for a navigation')
  t.equal((await get('/_hydrant/ready')).statusCode, 200, 'also for a health check')
  const failed = await get('/fails')
  t.match(failuresOf(failed), [{ url: '/shop/fails', route: '/fails' }])
  t.match((await get('/nowhere', JSON_ONLY)).json(), { status: 404, instance: '/shop/nowhere' })
  const { send } = await listenRaw(t, app)
  const whole = parseRaw(await send(rawRequest('GET http://evil.example/form HTTP/1.1', ['Host: a'])))
  t.match(whole.body, '<p>http://a/shop/form</p>', 'a whole URL counts as its path')
  const twice = parseRaw(await send(rawRequest('GET http://evil.example/shop/form HTTP/1.1', ['Host: a'])))
  t.equal(twice.status, 404, 'no page has a second URL that the proxy does not guard')
  t.ok(log.lines.some(({ url }) => url === '/shop/nowhere'))
})

t.test('without a base nothing is put back', async (t) => {
  const { get } = await serve(t, dir, { proxyStripsBase: true })
  t.match((await get('/form')).body, '<p>http://localhost/form</p>')
})

t.test('the header Forwarded names the client if the option says that the proxy sends it', async (t) => {
  const forwarded = 'for="[2001:db8::1]:99";host="shop.example:8443";proto=https'
  const forged = { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' }
  const headers = { ...HTML, host: 'internal', forwarded, ...forged }
  const trusting = await serve(t, dir, { trustProxy: 'loopback', forwardedHeader: 'forwarded' })
  t.strictSame((await trusting.get('/who', headers)).json(), {
    ip: '2001:db8::1',
    ips: ['127.0.0.1', '2001:db8::1'],
    host: 'shop.example:8443',
    protocol: 'https',
    originalUrl: '/who',
  })
  t.match((await trusting.get('/form', headers)).body, '<p>https://shop.example:8443/form</p>')
  const own = { ip: '127.0.0.1', host: 'internal', protocol: 'http' }
  t.match((await trusting.get('/who', { ...forged, host: 'internal' })).json(), own, 'the other headers are ignored')
  t.match((await trusting.get('/who', { host: 'internal', forwarded: 'for="' })).json(), { ...own, ip: 'unknown' })
  for (const options of [
    { trustProxy: '10.0.0.1', forwardedHeader: 'forwarded' },
    { forwardedHeader: 'forwarded' },
  ] as const) {
    const { get } = await serve(t, dir, options)
    t.match((await get('/who', headers)).json(), own, 'also from an address that is not trusted')
  }
  const { get } = await serve(t, dir, { trustProxy: 'loopback' })
  t.match((await get('/who', headers)).json(), { ip: '6.6.6.6', host: 'evil.example', protocol: 'ftp' }, 'never both')
  t.match((await get('/who', { host: 'internal', forwarded })).json(), own)
})

t.test('with two trusted proxies, the client is the one that has connected to the outer proxy', async (t) => {
  const trustProxy = '127.0.0.1, 10.0.0.1'
  const chain = { 'x-forwarded-for': '6.6.6.6, 192.0.2.1, 10.0.0.1', 'x-forwarded-host': 'shop.example' }
  const { get } = await serve(t, dir, { trustProxy })
  t.match((await get('/who', chain)).json(), { ip: '192.0.2.1', host: 'shop.example' })
  const standard = await serve(t, dir, { trustProxy, forwardedHeader: 'forwarded' })
  const forwarded =
    'for=6.6.6.6;host=evil.example, for=192.0.2.1;host=shop.example;proto=https, for=10.0.0.1;proto=http'
  t.match((await standard.get('/who', { forwarded })).json(), {
    ip: '192.0.2.1',
    host: 'shop.example',
    protocol: 'https',
  })
})

t.test('a proxy can strip the base and send Forwarded', async (t) => {
  const options = { base: '/shop', proxyStripsBase: true, trustProxy: true, forwardedHeader: 'forwarded' } as const
  const { get } = await serve(t, dir, options)
  const page = await get('/form', { ...HTML, forwarded: 'for=192.0.2.1;host=shop.example;proto=https' })
  t.match(page.body, '<p>https://shop.example/shop/form</p>')
})

t.test('a connection through a socket file comes from this machine', async (t) => {
  // The system limits the length of a socket's path.
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const listen = async (name: string, options: Partial<CreateServerOptions>) => {
    const { app } = await serve(t, dir, options)
    await app.listen({ path: join(folder, name) })
    return (line: string, headers: readonly string[]) => sendTo(join(folder, name), rawRequest(line, headers))
  }
  const trusting = await listen('trusting', { trustProxy: 'loopback' })
  const who = parseRaw(
    await trusting('GET /who HTTP/1.1', ['Host: a', 'X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Host: b']),
  )
  t.match(JSON.parse(who.body), { ip: '192.0.2.1', host: 'b' })
  const doubting = await listen('doubting', {})
  const report = ['Host: a', 'Origin: http://a', 'Content-Type: text/plain', 'Content-Length: 0']
  t.equal(
    parseRaw(await doubting('POST /_hydrant/report HTTP/1.1', report)).status,
    400,
    'rate limits work without an address',
  )
})

async function sendTo(path: string, bytes: string): Promise<string> {
  const socket = connect(path)
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  socket.write(bytes)
  await once(socket, 'close')
  return text
}
