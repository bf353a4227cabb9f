// Request targets and headers as bytes, as no client writes them: whatever one visitor sends, the others get the page that
// they ask for. CVE-2024-46982 of Next.js and the research on web cache entanglement
// (https://portswigger.net/research/web-cache-entanglement) used such differences between a cache's key and its page.

import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { findDifferences } from '../differences.ts'
import { type TestSiteOptions, testSite } from '../test-site.ts'
import { listenRaw, parseRaw, type RawServer, rawRequest } from './raw.ts'
import type { VisitorContext } from './visitors-plugin.ts'

const SECRET = 'secret-of-alice'

const cached = (load: (ctx: VisitorContext) => unknown) => ({
  Component: ({ data }: { data: unknown }) => <p>{JSON.stringify(data)}</p>,
  cache: { maxAgeS: 600, search: ['page'] },
  load: async (ctx: VisitorContext) => load(ctx),
})
const site = {
  '/': {},
  '/page': cached(({ url }) => ({ href: url.href, host: url.host })),
  '/items/[id]': cached(({ url, params }) => ({ id: params.id, path: url.pathname })),
  '/files/[...rest]': cached(({ url, params }) => ({ rest: params.rest, path: url.pathname })),
  '/user': cached(({ request }) => ({ of: request.user })),
  '/slow/[id]': cached(async ({ params }) => {
    await new Promise((resolve) => setImmediate(resolve))
    return { slow: params.id }
  }),
}
async function server(app: FastifyInstance) {
  app.decorateRequest('user', null)
  app.addHook('onRequest', async (request) => {
    Object.assign(request, { user: request.headers['x-user'] ?? null })
  })
}

interface Seen {
  status: number
  /** The response without what differs for each one and for each server: nonces and ports. */
  body: string
  /** The text of the page. */
  shown: string | undefined
}

interface Site extends RawServer {
  /** Asks for a document. */
  ask(target: string, headers?: readonly string[], version?: string): Promise<Seen>
}

async function start(options: TestSiteOptions = {}): Promise<Site> {
  const { app } = await testSite(t, site, { server, ledger: false, ...options })
  const raw = await listenRaw(t, app)
  return {
    ...raw,
    async ask(target, headers = [`Host: 127.0.0.1:${raw.port}`], version = 'HTTP/1.1') {
      const answer = await raw.send(rawRequest(`GET ${target} ${version}`, [...headers, 'Accept: text/html']))
      const body = parseRaw(answer)
        .body.replaceAll(/ nonce="[^"]*"/g, '')
        .replaceAll(String(raw.port), 'PORT')
      return { status: parseRaw(answer).status, body, shown: /<p>.*<\/p>/.exec(body)?.[0] }
    },
  }
}

const ALICE = [`X-User: ${SECRET}`, `Cookie: session=${SECRET}`, `Authorization: Bearer ${SECRET}`]

/** Targets that some software reads as `/page`, `/user` or `/items/a`, or as other hosts. */
const TARGETS = [
  `http://${SECRET}.example/page`,
  `HTTP://${SECRET}.example/page`,
  `https://${SECRET}.example:443/page`,
  `http://${SECRET}@127.0.0.1/page`,
  `http://127.0.0.1/page?page=${SECRET}`,
  `http://127.0.0.1`,
  `http:/page`,
  `http:page`,
  `http:///page`,
  `//${SECRET}.example/page`,
  `//page`,
  `///page`,
  '/./page',
  '/page/.',
  '/x/../page',
  '/page/../user',
  '/user/../page',
  '/%2e/page',
  '/x/%2e%2e/page',
  '/x/..%2fpage',
  '/x/%2e%2e%2fpage',
  '/page%00',
  `/page%00${SECRET}`,
  '/page%00.css',
  '/page\\',
  '\\page',
  '/x\\..\\page',
  '/x%5c..%5cpage',
  '/page;x=1',
  `/page;${SECRET}`,
  '/page%3bx',
  `/page%3fpage=${SECRET}`,
  `/page%23${SECRET}`,
  `/page#${SECRET}`,
  `/page?#${SECRET}`,
  `/page?page=1#${SECRET}`,
  `/page??page=${SECRET}`,
  `/page?&page=${SECRET}`,
  '/page/',
  '/page//',
  '/PAGE',
  '/%70age',
  '/p%61ge',
  '/page%20',
  '/page%09',
  '/page%0d%0aX-Injected:%20yes',
  '/page%E2%80%8B',
  '/page%ff',
  '/page%c0%ae',
  '/page%u0061',
  '/page%',
  '/page%2',
  '/items/a%2fb',
  '/items/a%252fb',
  '/items/..',
  '/items/%2e%2e',
  '/files/../user',
  '/files/..%2fuser',
  '/files//user',
  '/files/./user',
  '/user.json',
  '/user.css',
  '/user/x.css',
  '*',
  'page',
  '',
] as const

/** The pages that all visitors ask for. */
const PAGES = ['/page', '/page?page=1', '/items/a', '/items/a%2Fb', '/files/user', '/files/x/user', '/user', '/']

t.test('no target changes what the others get, or gets what is not stored for it', async (t) => {
  const cachedSite = await start()
  const plainSite = await start({ pageCache: { maxBytes: 0 } })
  const before = new Map<string, string>()
  for (const path of PAGES) before.set(path, (await cachedSite.ask(path)).body)
  const others: Record<string, unknown> = {}
  for (const target of TARGETS) {
    const [host, plainHost] = [cachedSite, plainSite].map(({ port }) => `Host: 127.0.0.1:${port}`)
    await cachedSite.ask(target, [host ?? '', ...ALICE])
    const { status, shown, body } = await cachedSite.ask(target, [host ?? ''])
    const plain = await plainSite.ask(target, [plainHost ?? ''])
    const isSame = status === plain.status && shown === plain.shown
    if (!isSame || body.includes(`of&quot;:&quot;${SECRET}`))
      others[target] = { cached: { status, shown, body }, plain: { status: plain.status, shown: plain.shown } }
  }
  t.strictSame(others, {}, 'each is as without a cache')
  for (const path of PAGES) t.equal((await cachedSite.ask(path)).body, before.get(path), path)
})

t.test('no spelling of the host changes what the others get', async (t) => {
  const site = await start()
  const expected = (await site.ask('/page')).body
  const own = `Host: 127.0.0.1:${site.port}`
  const asked = [
    ['two hosts', [own, `Host: ${SECRET}.example`], 'HTTP/1.1'],
    ['two hosts, the other first', [`Host: ${SECRET}.example`, own], 'HTTP/1.1'],
    ['a folded host', [`Host: 127.0.0.1:${site.port}\r\n ${SECRET}.example`], 'HTTP/1.1'],
    ['a folded header before the host', [`X-A: b\r\n Host: ${SECRET}.example`, own], 'HTTP/1.1'],
    ['a folded header after the host', [own, `X-A: b\r\n\tX-Forwarded-Host: ${SECRET}.example`], 'HTTP/1.1'],
    ['a host with a path', [`Host: 127.0.0.1:${site.port}/${SECRET}`], 'HTTP/1.1'],
    ['a host with a user', [`Host: ${SECRET}@127.0.0.1:${site.port}`], 'HTTP/1.1'],
    ['a host with a query', [`Host: 127.0.0.1:${site.port}?${SECRET}`], 'HTTP/1.1'],
    ['a host with markup', [`Host: "><script>${SECRET}</script>`], 'HTTP/1.1'],
    ['a host with a comma', [`Host: 127.0.0.1:${site.port}, ${SECRET}.example`], 'HTTP/1.1'],
    ['an empty host', ['Host:'], 'HTTP/1.1'],
    ['a host with spaces around it', [`Host:  \t127.0.0.1:${site.port} \t`], 'HTTP/1.1'],
    ['no host', [], 'HTTP/1.1'],
    ['HTTP/1.0 without a host', [], 'HTTP/1.0'],
    ['HTTP/1.0 with a host', [own], 'HTTP/1.0'],
    ['HTTP/1.0 with another host', [`Host: ${SECRET}.example`], 'HTTP/1.0'],
    ['HTTP/0.9', [own], 'HTTP/0.9'],
  ] as const
  const nameOf = ([name]: (typeof asked)[number]) => name
  const differences = await findDifferences(asked, nameOf, async (checks, [, headers, version]) => {
    checks.lacks((await site.ask('/page', headers, version)).body, `<script>${SECRET}`, 'markup')
    checks.equal((await site.ask('/page')).body, expected, 'what others get')
    checks.equal((await site.ask('/page', [own], 'HTTP/1.0')).body, expected, 'what others get by HTTP/1.0')
  })
  t.strictSame(differences, {})
})

t.test('pipelined requests get their own responses in their order, stored or not', async (t) => {
  const { port, send, ask } = await start()
  await ask('/items/stored')
  const paths = ['/slow/1', '/items/stored', '/slow/2', '/user', '/items/stored', '/slow/1', '/items/new', '/slow/3']
  const request = (path: string, own: readonly string[]) =>
    [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Accept: text/html', ...own, '', ''].join('\r\n')
  for (let turn = 0; turn < 3; turn++) {
    const text = await send(
      paths.map((path, at) => request(path, at % 2 === 0 ? [] : ALICE)).join('') +
        request('/user', ['Connection: close']),
    )
    const seen = [...text.matchAll(/<p>\{&quot;(?:id|slow|of)&quot;:(?:&quot;)?([\w-]+)/g)].map(([, value]) => value)
    t.strictSame(seen, ['1', 'stored', '2', SECRET, 'stored', '1', 'new', '3', 'null'])
  }
})
