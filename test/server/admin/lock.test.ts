// The lock of a console whose access is the app's own matter.

import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type onRequestAsyncHookHandler } from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../../src/server/index.ts'
import { writeTestSite } from '../../test-site.ts'
import { createLog } from '../served.ts'

const dir = writeTestSite(t.testdir({}), { '/': {} })
const ADDRESS = '198.18.7.7'
/** The request of an operator, in a browser and through a proxy. */
const HEADERS = {
  host: 'ops.example',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  accept: 'text/html',
  'accept-encoding': 'gzip, br',
  'accept-language': 'de-AT',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
  'x-forwarded-proto': 'https',
  'cf-ipcountry': 'AT',
  'x-app-version': '7',
  cookie: 'consent=yes; theme=dark',
}
const OPERATOR = { ...HEADERS, cookie: `${HEADERS.cookie}; session=operator`, authorization: 'Bearer right' }

type Options = { trustProxy?: boolean }
type Hook = onRequestAsyncHookHandler
const refuseUnless =
  (isFine: (request: Parameters<Hook>[0]) => unknown, status = 403): Hook =>
  async (request, reply) =>
    isFine(request) ? undefined : reply.code(status).send('no')

async function createApp(t: Pick<Test, 'teardown'>, hook: Hook, options: Options = {}) {
  const log = createLog()
  const app = Fastify({ ...options, logger: log.logger })
  t.teardown(() => app.close())
  await app.register(hydrant, { dir, ledger: false })
  await app.register(async (scope) => {
    scope.addHook('onRequest', hook)
    await scope.register(hydrant.admin, { prefix: '/ops', auth: 'app' })
  })
  return { app, log }
}

async function statusOf(app: FastifyInstance, headers: Record<string, string>, url = '/ops/metrics', method = 'GET') {
  return (await app.inject({ method: method as 'GET', url, headers, remoteAddress: ADDRESS })).statusCode
}

const RESERVED = /^(?:0|10|127|169\.254|192\.0\.2|192\.168|198\.51\.100|203\.0\.113|22[4-9]|23\d|24\d|25\d)\./
let maintenance = true

t.test(
  'a hook that refuses requests for another reason than their credentials does not open the console',
  async (t) => {
    const hooks: Record<string, [Hook, Options?]> = {
      'addresses that no client has': [refuseUnless(({ ip }) => !RESERVED.test(ip))],
      'bots by their name': [refuseUnless(({ headers }) => /^Mozilla/.test(String(headers['user-agent'])))],
      'clients that send no Sec-Fetch-Site': [refuseUnless(({ headers }) => headers['sec-fetch-site'])],
      'clients that send no Sec-Fetch-User': [refuseUnless(({ headers }) => headers['sec-fetch-user'])],
      'clients that accept no encoding': [refuseUnless(({ headers }) => headers['accept-encoding'], 406)],
      'another language': [refuseUnless(({ headers }) => headers['accept-language'] === 'de-AT', 404)],
      'another country': [refuseUnless(({ headers }) => headers['cf-ipcountry'] === 'AT', 451)],
      'another version of the app': [refuseUnless(({ headers }) => headers['x-app-version'] === '7', 426)],
      'another host': [refuseUnless(({ hostname }) => hostname === 'ops.example', 421)],
      'visitors without a cookie': [
        async ({ headers, url }, reply) =>
          /consent=./.test(headers.cookie ?? '') ? undefined : reply.redirect(`/consent?to=${url}`),
      ],
      'paths that it does not know': [refuseUnless(({ url }) => !url.includes('/_'), 404)],
      'everything but the metrics': [refuseUnless(({ url }) => url.startsWith('/ops/metrics'))],
      'only the API': [refuseUnless(({ url }) => !url.startsWith('/ops/api'), 401)],
      'methods that change something': [refuseUnless(({ method }) => method === 'GET', 405)],
      'plain HTTP': [
        async ({ protocol, url }, reply) =>
          protocol === 'https' ? undefined : reply.redirect(`https://x.example${url}`),
        { trustProxy: true },
      ],
      'paths with a slash at the end': [
        async ({ url }, reply) => (url === '/ops/metrics' ? undefined : reply.redirect(`${url}/`, 301)),
      ],
      'addresses of a proxy that it does not trust': [refuseUnless(({ ip }) => ip === ADDRESS)],
    }
    const open: string[] = []
    for (const [title, [hook, options]] of Object.entries(hooks)) {
      const { app, log } = await createApp(t, hook, options)
      const headers = { ...OPERATOR, 'x-forwarded-for': '8.8.8.8' }
      if ((await statusOf(app, headers)) !== 403 || !/console at \/ops is locked/.test(JSON.stringify(log.errors())))
        open.push(title)
    }
    t.strictSame(open, [])
  },
)

t.test(
  'a hook that accepts this machine does not open the console to the clients of a proxy at a socket file',
  async (t) => {
    const { app, log } = await createApp(
      t,
      refuseUnless(({ socket: { remoteAddress } }) => remoteAddress === undefined || remoteAddress === '127.0.0.1'),
    )
    // A socket's path has at most 107 bytes.
    const dir = mkdtempSync(join(tmpdir(), 'hydrant-'))
    t.teardown(() => rmSync(dir, { recursive: true }))
    const path = join(dir, 'app.sock')
    await app.listen({ path })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ socketPath: path, path: '/ops/metrics', headers: HEADERS }, resolve).on('error', reject)
    })
    answer.resume()
    t.equal(answer.statusCode, 403)
    t.match(JSON.stringify(log.errors()), /console at \/ops is locked/)
  },
)

t.test('a hook that fails, or asks for patience, opens nothing', async (t) => {
  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    // The check comes between the two requests.
    let count = 0
    const { app } = await createApp(t, async (_request, reply) =>
      ++count % 2 === 1 ? undefined : reply.code(status).send(),
    )
    t.equal(await statusOf(app, OPERATOR), 503, `${status}`)
  }
  // The console is open to nobody while a client can only say that it was first.
  for (const mayRun of [(count: number) => count <= 1, (_: number, running: number) => running <= 1]) {
    let count = 0
    let running = 0
    const { app, log } = await createApp(t, async (_request, reply) => {
      reply.raw.once('close', () => running--)
      return mayRun(++count, ++running) ? undefined : reply.code(403).send('no')
    })
    t.equal(await statusOf(app, HEADERS), 403, `${mayRun}: the response to a copy of the request`)
    t.match(JSON.stringify(log.lines), /refused a copy of a request that it had accepted/)
  }
  const { app } = await createApp(t, async ({ headers }) => {
    if (!headers.authorization) throw new Error('the database is away')
  })
  t.equal(await statusOf(app, OPERATOR), 503)
})

t.test('each way to protect a console opens it for operators only', async (t) => {
  const guards: Record<string, [Hook, Options?]> = {
    'a header': [refuseUnless(({ headers }) => headers.authorization === 'Bearer right', 401)],
    'a cookie': [refuseUnless(({ headers }) => /session=operator/.test(headers.cookie ?? ''), 404)],
    'a redirect to sign in': [
      async ({ headers, url }, reply) =>
        /session=operator/.test(headers.cookie ?? '') ? undefined : reply.redirect(`/sign-in?from=${url}`),
    ],
    'a page to sign in': [
      async ({ headers }, reply) => (headers.authorization ? undefined : reply.code(200).send('Sign in')),
    ],
    'a proxy that signs in': [refuseUnless(({ headers }) => headers['x-auth-request-email'])],
    'a query': [refuseUnless(({ query }) => (query as { pass?: string }).pass === 'right')],
    'a list of addresses': [refuseUnless(({ ip }) => ip === '8.8.8.8'), { trustProxy: true }],
  }
  const wrong: string[] = []
  for (const [title, [hook, options]] of Object.entries(guards)) {
    const { app } = await createApp(t, hook, options)
    const operator = { ...OPERATOR, 'x-forwarded-for': '8.8.8.8', 'x-auth-request-email': 'ada@example.org' }
    for (const url of ['/ops/metrics?pass=right', '/ops?pass=right'])
      if ((await statusOf(app, operator, url)) !== 200) wrong.push(`${title} ${url}`)
    const stranger = await app.inject({ url: '/ops/metrics', headers: HEADERS, remoteAddress: ADDRESS })
    if (/hydrant_/.test(stranger.body)) wrong.push(`${title}, a stranger`)
  }
  t.strictSame(wrong, [])
})

t.test('a console that is protected for a while only is locked afterwards', async (t) => {
  const { app } = await createApp(
    t,
    refuseUnless(({ headers }) => !maintenance || headers.authorization === 'Bearer right', 403),
  )
  t.equal(await statusOf(app, OPERATOR), 200)
  maintenance = false
  const now = performance.now.bind(performance)
  t.intercept(performance, 'now', { value: () => now() + 61_000 })
  t.equal(await statusOf(app, HEADERS), 403)
})

t.test('a hook that protects only what changes something does not open the console', async (t) => {
  const { app } = await createApp(
    t,
    refuseUnless(({ method, headers }) => method === 'GET' || headers.authorization, 401),
  )
  // The hook protects no GET, so the console stays locked, whatever comes first.
  for (const method of ['POST', 'DELETE', 'GET'])
    t.equal(
      await statusOf(app, { ...OPERATOR, 'sec-fetch-site': 'same-origin' }, '/ops/api/cache/empty', method),
      403,
      method,
    )
})
