// Attacks with host names in a request. CVE-2024-34351: the server sent requests to the host in a Host header. Links
// and caches poisoned by Host or X-Forwarded-Host, open redirects with `//host`, headers split by CRLF.

import t from 'tap'
import { type ActionContext, type LoadContext, redirect } from '../../src/server/index.ts'
import { findFailing } from '../find-failing.ts'
import { linesOfResponse } from '../server/lines.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'

const site = {
  '/': {
    load: ({ url }: LoadContext) => ({ href: url.href }),
    Component: ({ data }: { data: { href: string } }) => <output>{data.href}</output>,
  },
  '/fails': () => {
    throw new Error('broken')
  },
  '/moved': { Component: () => null, load: () => redirect('/?moved') },
  '/login': {
    Component: () => null,
    load: ({ url }: LoadContext) => redirect(url.searchParams.get('to') ?? '/'),
    action: ({ form, reply }: ActionContext) => void reply.redirect(String(form.get('to')), 303),
  },
}

const EVIL = 'evil.example'
const FORWARDED = {
  'x-forwarded-host': EVIL,
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '127.0.0.1, 10.6.6.6',
  'x-forwarded-port': '6666',
  'x-forwarded-prefix': `//${EVIL}`,
  'x-forwarded-server': EVIL,
  'x-host': EVIL,
  'x-original-url': '/fails',
  'x-rewrite-url': '/fails',
  'x-http-method-override': 'DELETE',
  forwarded: `host=${EVIL};proto=https;for=10.6.6.6`,
}

t.test('forwarded headers of untrusted clients change nothing and appear nowhere', async (t) => {
  const { get, log } = await testSite(t, site)
  const own = { ...HTML, host: 'shop.example' }
  const page = await get('/?a=1', { ...own, ...FORWARDED })
  t.equal(page.statusCode, 200)
  t.match(page.body, '<output>http://shop.example/?a=1</output>')
  const changed: unknown[] = []
  for (const path of ['/?a=1', '/fails', '/moved', '/nowhere', '/moved/', '/_hydrant/assets/none.js']) {
    for (const accept of [HTML, JSON_ONLY]) {
      const plain = await get(path, { ...accept, host: 'shop.example' })
      const spoofed = await get(path, { ...accept, host: 'shop.example', ...FORWARDED })
      const isSame = spoofed.statusCode === plain.statusCode && spoofed.headers.location === plain.headers.location
      const text = JSON.stringify([spoofed.headers, spoofed.body])
      if (!isSame || /evil|6666|10\.6\.6\.6/.test(text)) changed.push([path, accept, spoofed.statusCode, text])
    }
  }
  t.strictSame(changed, [])
  t.notMatch(JSON.stringify(log.errors().map(({ host }) => host)), 'evil')
})

t.test('redirects lead to a path, whatever the host of the request', async (t) => {
  const { get } = await testSite(t, site)
  const failing = await findFailing(
    [EVIL, `user@${EVIL}`, `${EVIL}:80@shop.example`, 'shop.example:6666', ''],
    async (host) => [
      (await get('/moved', { ...HTML, host })).headers.location,
      (await get('/moved/', { ...HTML, host })).headers.location,
    ],
    () => ['/?moved', '/moved'],
  )
  t.strictSame(failing, [])
})

const AWAY = [
  `//${EVIL}`,
  `///${EVIL}`,
  `/\\${EVIL}`,
  `\\\\${EVIL}`,
  `/\t/${EVIL}`,
  `/\n/${EVIL}`,
  `\t//${EVIL}`,
  ` https://${EVIL}`,
  `https:${EVIL}`,
  `https:/${EVIL}`,
  `HTTPS://${EVIL}`,
  `javascript:alert(1)`,
  `data:text/html,x`,
  `/.//${EVIL}`,
  `/..//${EVIL}`,
  `/%2e%2e//${EVIL}`,
  `.//${EVIL}`,
  `/a/..//${EVIL}`,
  `@${EVIL}`,
  `:80@${EVIL}`,
  `/x\r\nset-cookie: a=1`,
  `/x\u0000`,
  `/\u2028/${EVIL}`,
]

t.test('a redirect to a target from the visitor stays on the site', async (t) => {
  const { get } = await testSite(t, site)
  const failing = await findFailing(AWAY, async (to) => {
    const { statusCode, headers } = await get(`/login?${new URLSearchParams({ to })}`)
    const { origin } = new URL(headers.location ?? '/', 'http://shop.example/login')
    const stays = [302, 500].includes(statusCode) && origin === 'http://shop.example' && !('set-cookie' in headers)
    return stays ? undefined : { statusCode, headers }
  })
  t.strictSame(failing, [])
})

t.test('an action that redirects to any target of the visitor runs no script', async (t) => {
  const { app } = await testSite(t, site)
  const form = { ...HTML, ...navigationHeaders(), 'content-type': 'application/x-www-form-urlencoded' }
  const post = (to: string) =>
    app.inject({
      method: 'POST',
      url: '/login?_hydrant',
      headers: form,
      payload: `${new URLSearchParams({ to })}`,
    })
  const failing = await findFailing(
    ['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'blob:x'],
    async (to) => /.*(?:redirect|script|data:).*/i.exec((await post(to)).body)?.[0],
  )
  t.strictSame(failing, [])
  t.strictSame(linesOfResponse(await post('/moved')), [['redirect', '/moved']], 'what leads to a page is told')
})

t.test('paths with slashes at both ends do not redirect to another host', async (t) => {
  const { send } = await listenRaw(t, (await testSite(t, site)).app)
  const targets = [
    `//${EVIL}/`,
    `///${EVIL}//`,
    `/\\${EVIL}/`,
    `/%5c${EVIL}/`,
    `/%2f${EVIL}/`,
    `/%2f%2f${EVIL}/`,
    `/.${EVIL}/..//`,
    `//${EVIL}/%2e%2e/`,
    `//user@${EVIL}/`,
    `/%0d%0aset-cookie:a=1/`,
    `//${EVIL}%2f..%2f/`,
  ]
  const failing = await findFailing(targets, async (target) => {
    const { status, headers } = parseRaw(await send(rawRequest(`GET ${target} HTTP/1.1`, ['Host: shop.example'])))
    const location = headers.find((line) => /^location: /i.test(line))?.slice('location: '.length) ?? '/'
    const stays = status >= 300 && status < 500 && new URL(location, 'http://shop.example').host === 'shop.example'
    return stays && !headers.some((line) => /^set-cookie/i.test(line)) ? undefined : { status, headers }
  })
  t.strictSame(failing, [])
})

t.test('the host in a request target that is a whole URL is not trusted', async (t) => {
  const { send } = await listenRaw(t, (await testSite(t, site)).app)
  for (const target of [`http://${EVIL}/?a=1`, `https://${EVIL}:6666/?a=1`, `http://user:pass@${EVIL}/?a=1`]) {
    const { status, body, headers } = parseRaw(await send(rawRequest(`GET ${target} HTTP/1.1`, ['Host: shop.example'])))
    t.ok([200, 400, 404].includes(status), `${target}: ${status}`)
    if (status === 200) t.match(body, '<output>http://shop.example/?a=1</output>')
    t.notMatch(headers.join('\n'), EVIL)
    t.notMatch(body, /<output>[^<]*evil/)
  }
})

t.test('a text that is not a host name is shown nowhere and is in no URL', async (t) => {
  const { send } = await listenRaw(t, (await testSite(t, site)).app)
  const shown: unknown[] = []
  for (const host of [
    `user:pass@${EVIL}`,
    `shop.example@${EVIL}`,
    `shop.example:80@${EVIL}`,
    `shop.example/${EVIL}`,
    `shop.example?${EVIL}`,
    `shop.example#${EVIL}`,
    `shop.example\\${EVIL}`,
    `shop.example:65536${EVIL}`,
    `shop.example:-1`,
    `shop.example:0x50`,
    `"><script>${EVIL}`,
    `shop.example, ${EVIL}`,
    `shop.example ${EVIL}`,
    `%65vil.example`,
  ]) {
    for (const path of ['/', '/fails', '/nowhere']) {
      const { status, headers, body } = parseRaw(await send(rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${host}`])))
      const text = headers.join('\n') + body
      const isExpected = [200, 400, 404, 500].includes(status) && !/evil\.example|<script>evil|vil\.example/.test(text)
      if (!isExpected || (status === 200 && !body.includes('<output>http://localhost/</output>')))
        shown.push([path, host, status, text])
    }
  }
  t.strictSame(shown, [])
})

t.test('of two hosts the second does not count, and control characters are refused', async (t) => {
  const { send } = await listenRaw(t, (await testSite(t, site)).app)
  for (const lines of [
    ['Host: shop.example', `Host: ${EVIL}`],
    ['Host: shop.example', `hOST: ${EVIL}`],
  ]) {
    const { status, body } = parseRaw(await send(rawRequest('GET / HTTP/1.1', lines)))
    if (status !== 400) t.match(body, '<output>http://shop.example/</output>', 'the first')
    t.notMatch(body, EVIL)
  }
  for (const line of [`Host: shop.example\r${EVIL}`, `Host: shop\u0000.example`, `Host : ${EVIL}`, `Host\t: ${EVIL}`]) {
    t.equal(parseRaw(await send(rawRequest('GET / HTTP/1.1', [line]))).status, 400, JSON.stringify(line))
  }
  t.equal(parseRaw(await send(rawRequest('GET / HTTP/1.1'))).status, 400, 'without a host')
})
