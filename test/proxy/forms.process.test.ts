// Forms through an nginx that passes on less than docs/proxies recommends: what the server may trust about their
// origin.

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import t from 'tap'
import { buildApp } from '../build-app.ts'
import { startSite } from '../site-server.ts'
import { startNginx } from './nginx.ts'

const dir = await buildApp(t, 'fields')
const trusting = await startSite(t, { dir })

/** Returns the status of a form. */
function send(scheme: 'http' | 'https', port: number, headers: Record<string, string>): Promise<number | undefined> {
  const options = { host: '127.0.0.1', port, path: '/notes', method: 'POST', rejectUnauthorized: false }
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return new Promise((resolve, reject) => {
    const request = (scheme === 'http' ? httpRequest : httpsRequest)(
      { ...options, headers: { ...type, ...headers } },
      (response) => response.resume().on('end', () => resolve(response.statusCode)),
    )
    request.on('error', reject).end('text=x')
  })
}

t.test('behind a proxy that terminates TLS, the site’s own forms pass without configuration', async (t) => {
  const { tlsPort } = await startNginx(t, trusting.port)
  t.equal(await send('https', tlsPort, { host: 'shop.example', origin: 'https://shop.example' }), 303)
  t.equal(await send('https', tlsPort, { host: `shop.example:${tlsPort}`, 'sec-fetch-site': 'same-origin' }), 303)
  t.equal(await send('https', tlsPort, { host: 'shop.example' }), 303, 'scripts too')
  t.equal(await send('https', tlsPort, { host: 'shop.example', origin: 'https://evil.example' }), 403)
  t.equal(await send('https', tlsPort, { host: 'shop.example', origin: 'null' }), 403)
  const both = { host: 'shop.example', origin: 'https://shop.example', 'sec-fetch-site': 'same-site' }
  t.equal(await send('https', tlsPort, both), 403)
})

t.test('a port that the proxy drops is reported', async (t) => {
  const { forwardingPort } = await startNginx(t, trusting.port)
  const host = `shop.example:${forwardingPort}`
  t.equal(await send('http', forwardingPort, { host, origin: `http://${host}` }), 403)
  const line = await trusting.waitForLine(({ msg }) => msg.includes(`Origin is "http://${host}"`))
  t.match(line.msg, 'the public host is "shop.example"')
  t.match(line.msg, 'proxy_set_header Host $http_host')
  t.equal(await send('http', forwardingPort, { host: 'shop.example', origin: 'http://shop.example' }), 303)
  const allowing = await startSite(t, { dir, env: { HYDRANT_ALLOWED_ORIGINS: `http://${host}` } })
  t.equal(await send('http', allowing.port, { host, origin: `http://${host}` }), 303)
})

t.test('behind a proxy that hides the host, forms need Sec-Fetch-Site', async (t) => {
  const { barePort } = await startNginx(t, trusting.port)
  t.equal(await send('http', barePort, { host: 'shop.example', origin: 'http://shop.example' }), 403)
  const known = { host: 'shop.example', origin: 'http://shop.example', 'sec-fetch-site': 'same-origin' }
  t.equal(await send('http', barePort, known), 303)
  // The proxy's own forwarded header counts only if the proxy is trusted.
  t.equal(await send('http', barePort, { origin: 'http://shop.example', 'x-forwarded-host': 'shop.example' }), 303)
  const doubting = await startSite(t, { dir, env: { HYDRANT_TRUST_PROXY: 'false' } })
  const forged = { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' }
  t.equal(await send('http', doubting.port, forged), 403)
})
