// Attacks on the operators' and developers' own interfaces: on the ledger and the console by another site, with a
// name that resolves to this machine (DNS rebinding) or around the token, and on the development server
// (GHSA-vg6x-rcgg-rjx6 of Vite: pages of other sites could request anything from it).

import t from 'tap'
import { isAllowedHost, isForeign, isSameOrigin } from '../../scripts/dev/http/dev-access.ts'
import { failureOf, serveAdmin } from '../server/admin/served-admin.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { testSite } from '../test-site.ts'
import { parseRaw, rawRequest, sendRaw } from './raw.ts'

const SECRET = 'only-for-operators'
const DIGEST = '7K2M9QX4-3F8ZC1'
const TOKEN = 'correct-horse-battery'

const INSIDE = [
  '/',
  '/api/failures',
  '/api/failures/7K2M9QX4',
  '/api/events',
  '/metrics',
  '/failures/7K2M9QX4',
  '/find?digest=7K2M9QX4',
  '/slow',
  '/api/slow',
]

/** Other spellings of a path that requires the token. */
const SPELLINGS = (path: string) => [
  path,
  path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  `/${path}`,
  `/.${path}`,
  `/x/..${path}`,
  `${path}/`,
  `${path}%00`,
  `${path};x`,
  `${path}#`,
  `/sign-in/..${path}`,
  `/sign-in%2f..${path}`,
  `/sign-in?x=${path}`,
  `/favicon.svg/..${path}`,
  `/_hydrant/assets/..${path}`,
  `/_hydrant/assets/../..${path}`,
  `/_hydrant/assets/%2e%2e/%2e%2e${path}`,
  `${path}?_hydrant`,
  `/${path}?_hydrant`,
  `/_hydrant/..${path}?_hydrant`,
  `${path}?_hydrant&_hydrant=1`,
  `/%5fhydrant${path}?_hydrant`,
  `http://127.0.0.1${path}`,
  `http://evil.example/_hydrant/assets/..${path}`,
  `http://evil.example${path}?_hydrant`,
]

const TRICKS: string[][] = [
  [],
  ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1;host=localhost'],
  ['X-Original-URL: /sign-in', 'X-Rewrite-URL: /sign-in', 'X-Middleware-Subrequest: 1'],
  ['Authorization: Bearer', 'Cookie: hydrant_console=99999999999999.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['Cookie: hydrant_console=; hydrant_console=1e99.x'],
]

t.test('no request passes the admin listener without its token', async (t) => {
  const admin = await serveAdmin(t, { token: TOKEN })
  await admin.keep(failureOf(DIGEST, { message: SECRET }))
  const { body } = await admin.ask('/api/failures', { authorization: `Bearer ${TOKEN}` })
  t.match(body, SECRET, 'there is something to see')
  const passed: string[] = []
  for (const path of ['/', '/api/failures', '/metrics', '/failures/7K2M9QX4']) {
    for (const [index, target] of SPELLINGS(path).entries()) {
      for (const lines of index < 1 ? TRICKS : TRICKS.slice(0, 1)) {
        const request = rawRequest(`GET ${target} HTTP/1.1`, ['Host: localhost', 'Accept: */*', ...lines])
        const answer = await sendRaw(admin.port, request)
        const isLeak = /only-for-operators|hydrant_requests_total|TypeError|^event: /m.test(answer)
        if (isLeak || !(parseRaw(answer).status < 500)) passed.push(`${target}: ${answer}`)
      }
    }
  }
  t.strictSame(passed, [])
})

t.test('without a token a name that resolves to this machine shows nothing', async (t) => {
  const admin = await serveAdmin(t)
  await admin.keep(failureOf(DIGEST, { message: SECRET }))
  const own = `127.0.0.1:${admin.port}`
  t.match((await admin.ask('/api/failures')).body, SECRET)
  const passed: string[] = []
  for (const host of [
    `evil.example:${admin.port}`,
    `127.0.0.1.evil.example:${admin.port}`,
    `127.0.0.1:${admin.port}.evil.example`,
    `evil.example@${own}`,
    `${own}@evil.example`,
    `${own}, evil.example`,
    `0.0.0.0:${admin.port}`,
    `[::ffff:127.0.0.1]:${admin.port}`,
    `127.1:${admin.port}`,
    '127.0.0.1',
    '',
  ]) {
    for (const path of ['/', '/api/failures', '/metrics']) {
      for (const target of [path, `http://${own}${path}`]) {
        const lines = [`Host: ${host}`, `X-Forwarded-Host: ${own}`, `Forwarded: host=${own}`, 'Accept: */*']
        const answer = await sendRaw(admin.port, rawRequest(`GET ${target} HTTP/1.1`, lines))
        if (/only-for-operators|hydrant_requests_total/.test(answer)) passed.push(`${host} ${target}: ${answer}`)
      }
    }
  }
  t.strictSame(passed, [])
})

t.test('the operators’ data is not available at the visitors’ port', async (t) => {
  const { app, get } = await testSite(t, { '/': {} })
  const found: string[] = []
  for (const path of [
    ...INSIDE.slice(1),
    '/sign-in',
    '/console',
    '/admin',
    '/debug',
    '/_hydrant/metrics',
    '/_hydrant/api',
  ]) {
    for (const headers of [
      HTML,
      JSON_ONLY,
      { ...JSON_ONLY, authorization: `Bearer ${TOKEN}`, host: 'localhost:9320' },
    ]) {
      const { statusCode } = await get(path, headers)
      if (statusCode !== 404) found.push(`${path}: ${statusCode}`)
    }
  }
  t.strictSame(found, [])
  const post = await app.inject({ method: 'POST', url: '/api/failures/7K2M9QX4/solve' })
  t.equal(post.statusCode, 404)
})

t.test('the development server responds only under this machine’s own names', async (t) => {
  const others = [
    undefined,
    '',
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    'evillocalhost',
    'localhost@evil.example',
    'evil.example#localhost',
    'evil.example/.localhost',
    'evil.example\\.localhost',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.example',
    'local%68ost.evil.example',
    'localhost, evil.example',
    'localhost evil.example',
    '[::1].evil.example',
  ]
  const own = ['localhost:3000', 'a.localhost', '127.0.0.1', '[::1]:3000', '10.0.0.5:3000', 'DEV.example']
  t.strictSame(
    [...others, ...own].filter((host) => isAllowedHost(host, 'dev.example')),
    own,
  )
})

t.test('the development server gives nothing to a page of another site', async (t) => {
  const host = 'localhost:3000'
  for (const headers of [
    { host, origin: 'https://evil.example' },
    { host, origin: 'http://localhost.evil.example:3000' },
    { host, origin: 'null' },
    { host, origin: '' },
    { host, origin: 'http://evil.example#localhost:3000' },
    { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://evil.example' },
    { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'websocket' },
    { host, 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
  ]) {
    t.ok(isForeign(headers, ['https://friend.example']), JSON.stringify(headers))
    t.notOk(isSameOrigin(headers), JSON.stringify(headers))
  }
  t.notOk(isSameOrigin({ host, 'sec-fetch-site': 'same-site', origin: 'http://localhost:4000' }), 'of another port')
  for (const headers of [
    { host },
    { host, origin: 'http://localhost:3000' },
    { host, 'sec-fetch-site': 'same-origin' },
  ]) {
    t.notOk(isForeign(headers, []), JSON.stringify(headers))
    t.ok(isSameOrigin(headers), JSON.stringify(headers))
  }
})
