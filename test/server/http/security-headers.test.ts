import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { buildForBrowser, type Files, HTML, JSON_ONLY, serve } from '../served.ts'

const page = (body: string) => `export default function Page() {\n  return ${body}\n}\n`
const dir = await buildForBrowser(t.testdir({}), {
  'pages/fails.tsx': "export default function Page() {\n  throw new Error('no')\n}\n",
  'pages/moved.tsx': page('null'),
  'pages/moved.server.ts': "import { redirect } from 'hydrant'\nexport const load = () => redirect('/')\n",
  'pages/data.tsx': page('<p>data</p>'),
  'pages/data.server.ts': 'export const load = () => ({ a: 1 })\n',
  'pages/own.tsx': page('<p>own</p>'),
  'pages/own.server.ts': `export const load = ({ reply }) => {
  reply.headers({ 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY', 'strict-transport-security': 'max-age=0', 'cross-origin-opener-policy': 'unsafe-none' })
}
`,
  'pages/broken.tsx': page('<p>never</p>'),
  'public/robots.txt': 'User-agent: *\n',
  'server.ts': `export default async function server(app) {
  app.get('/own-route', async () => ({ own: true }))
  app.addHook('onSend', async (request) => { if (request.url === '/broken') throw new Error('onSend') })
}
`,
} satisfies Files)

const HTTPS = { ...HTML, 'x-forwarded-proto': 'https', host: 'shop.example' }
const trusting = { trustProxy: true }
const { app, get } = await serve(t, dir, trusting)

const scriptOf = (file: string) => readFileSync(join(dir, '.hydrant/client', file), 'utf8')
const scripts = readdirSync(join(dir, '.hydrant/client')).filter((name) => name.endsWith('.js'))

t.test('every response has nosniff', async (t) => {
  const asset = `/_hydrant/assets/${scripts[0]}`
  const paths = [
    '/',
    '/data',
    '/fails',
    '/moved',
    '/broken',
    '/nowhere',
    '/nowhere/',
    '/own-route',
    '/robots.txt',
    asset,
  ]
  const requests = [...paths, '/_hydrant/assets/none.js', '/_hydrant/live', '/data?_hydrant', '/%zz']
    .flatMap((url): InjectOptions[] => [HTML, JSON_ONLY].map((headers) => ({ url, headers })))
    .concat((['OPTIONS', 'POST', 'HEAD'] as const).map((method) => ({ method, url: '/' })))
  const failing = await findFailing(
    requests,
    async (request) => (await app.inject(request)).headers['x-content-type-options'],
    () => 'nosniff',
  )
  t.strictSame(failing, [])
  const { get: getBelow } = await serve(t, dir, { base: '/shop' })
  t.equal((await getBelow('/')).headers['x-content-type-options'], 'nosniff', 'outside of the base')
})

t.test('a document restricts framing and referrers', async (t) => {
  // These are not needed, or would be without effect.
  const others = ['x-frame-options', 'strict-transport-security', 'cross-origin-opener-policy']
  const failing = await findFailing(
    ['/', '/fails', '/nowhere'],
    async (path) => {
      const { headers } = await get(path)
      return {
        framing: String(headers['content-security-policy']).split('; ').at(-1),
        referrers: headers['referrer-policy'],
        others: others.filter((name) => name in headers),
      }
    },
    () => ({ framing: "frame-ancestors 'self'", referrers: 'strict-origin-when-cross-origin', others: [] }),
  )
  t.strictSame(failing, [])
})

t.test('over https a document has more headers', async (t) => {
  for (const path of ['/', '/fails']) {
    const { headers } = await get(path, HTTPS)
    t.equal(headers['strict-transport-security'], 'max-age=31536000')
    t.equal(headers['cross-origin-opener-policy'], 'same-origin-allow-popups')
  }
  for (const host of ['localhost', 'shop.localhost', 'localhost:8443']) {
    const { headers } = await get('/', { ...HTTPS, host })
    t.notOk('strict-transport-security' in headers, `${host} is shared with whatever else is developed there`)
  }
  const { get: getUntrusting } = await serve(t, dir)
  t.notOk('strict-transport-security' in (await getUntrusting('/', HTTPS)).headers, 'not if the header is not trusted')
})

t.test('headers that a load has set stay', async (t) => {
  t.match((await get('/own', HTTPS)).headers, {
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'strict-transport-security': 'max-age=0',
    'cross-origin-opener-policy': 'unsafe-none',
  })
})

t.test('without a policy, an older header prevents framing', async (t) => {
  const { get } = await serve(t, dir, { csp: false })
  t.equal((await get('/')).headers['x-frame-options'], 'SAMEORIGIN')
  t.equal((await get('/fails')).headers['x-frame-options'], 'SAMEORIGIN')
  t.notOk('content-security-policy' in (await get('/fails', JSON_ONLY)).headers)
})

t.test('the headers can be turned off', async (t) => {
  const { get } = await serve(t, dir, { ...trusting, securityHeaders: false })
  const { headers } = await get('/', HTTPS)
  for (const name of ['x-content-type-options', 'referrer-policy', 'strict-transport-security']) {
    t.notOk(name in headers, name)
  }
  t.ok('content-security-policy' in headers, 'it has its own option')
})

t.test('responses that are not documents have a policy that forbids everything', async (t) => {
  const failing = await findFailing(
    ['/fails', '/nowhere', '/broken', '/%zz'],
    async (path) => (await get(path, JSON_ONLY)).headers['content-security-policy'],
    () => "default-src 'none'; frame-ancestors 'none'",
  )
  t.strictSame(failing, [])
  t.match((await get('/%zz')).headers['content-security-policy'], /^script-src 'none';/)
  const report = await app.inject({ method: 'POST', url: '/_hydrant/report', payload: '{}' })
  t.equal(report.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
})

t.test('a nonce never comes from the request', async (t) => {
  const chosen = 'AAAAAAAAAAAAAAAAAAAAAAAA'
  const headers = {
    ...HTML,
    nonce: chosen,
    'x-nonce': chosen,
    'csp-nonce': chosen,
    'x-csp-nonce': chosen,
    'content-security-policy': `script-src 'nonce-${chosen}'`,
    'content-security-policy-report-only': `script-src 'nonce-${chosen}'`,
    cookie: `nonce=${chosen}; cspNonce=${chosen}`,
  }
  const seen = new Set<string | undefined>()
  for (const path of ['/', '/data', '/fails', '/nowhere', '/broken']) {
    const url = `${path}?nonce=1&cspNonce[script]=1`
    const answer = await get(path === '/broken' ? path : url, headers)
    t.notMatch(JSON.stringify([answer.headers, answer.body]), chosen, path)
    seen.add(nonceOf(answer))
  }
  t.equal(seen.size, 5, 'each document has its own nonce')
  t.notOk(seen.has(undefined))
})

t.test('documents need neither inline handlers nor eval', async (t) => {
  const documents = await Promise.all(['/', '/data', '/fails', '/nowhere', '/broken', '/%zz'].map((path) => get(path)))
  const handlers = documents.flatMap(({ body }) => body.match(/<[^>]+\son\w+\s*=|javascript:/gi) ?? [])
  t.strictSame(handlers, [], 'no inline handler')
  t.ok(scripts.length > 3)
  const evaluates = /(?<![\w$.])eval\(|(?<![\w$.])Function\(["'`]|\bset(?:Timeout|Interval)\(\s*["'`]/
  t.strictSame(await findFailing(scripts, (name) => evaluates.exec(scriptOf(name))?.[0]), [])
})

t.test('a site can have its own policy with its own nonce', async (t) => {
  // The example in docs/security.md.
  async function server(app: FastifyInstance) {
    // The type of the decorator is that of @fastify/helmet.
    app.decorateReply('cspNonce', null as never)
    app.addHook('onRequest', async (_request, reply) => {
      const nonce = randomBytes(18).toString('base64')
      Object.assign(reply, { cspNonce: { script: nonce } })
      reply.header(
        'content-security-policy',
        `script-src 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors https://partner.example`,
      )
    })
  }
  const { get } = await testSite(t, { '/': {} }, { server })
  const answer = await get('/')
  const nonce = nonceOf(answer)
  t.match(answer.headers['content-security-policy'], /frame-ancestors https:\/\/partner\.example$/)
  t.notOk('x-frame-options' in answer.headers)
  const others = answer.body.match(/<script[^>]*>/g)?.filter((script) => !script.includes(`nonce="${nonce}"`))
  t.strictSame(others, [])
})

function nonceOf({ headers }: LightMyRequestResponse): string | undefined {
  return /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1]
}
