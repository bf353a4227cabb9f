// The header `Server-Timing`, and the last line of a streamed navigation in development.

import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, type SiteModules, testSite } from '../../test-site.ts'

const CACHE = { maxAgeS: 60 }
const HTML = { accept: 'text/html' }
const later = () => new Promise((done) => setImmediate(done))

const SITE: SiteModules = {
  '/plain': { load: () => ({ name: 'plain' }) },
  '/stored': { cache: CACHE, load: () => null },
  '/visitor-part': { cache: CACHE, load: () => null, loadVisitor: () => 'visitor' },
  '/reads': {
    cache: CACHE,
    load: ({ request }: { request: { headers: object } }) => later().then(() => request.headers),
  },
  '/fails': {
    cache: CACHE,
    load() {
      throw new Error('no data')
    },
  },
  '/waits': { load: () => later().then(() => 'waited') },
}

const timingOf = (headers: Record<string, unknown>) => String(headers['server-timing'] ?? '')
const cacheOf = (headers: Record<string, unknown>) => /cache;desc="([^"]*)"/.exec(timingOf(headers))?.[1] ?? null

t.test('in development, the header says whether the page would be stored', async (t) => {
  const { app } = await testSite(t, SITE, { mode: 'development', serverTiming: true })
  const cases: [string, string | null][] = [
    ['/plain', null],
    ['/stored', 'stored in production'],
    ['/visitor-part', 'stored in production'],
    ['/reads', 'pass: read (it reads request)'],
    ['/fails', 'pass'],
  ]
  const cacheAt = async (url: string) => cacheOf((await app.inject({ url, headers: HTML })).headers)
  t.strictSame(
    await findFailing(
      cases,
      ([url]) => cacheAt(url),
      ([, expected]) => expected,
    ),
    [],
  )
})

t.test('in production, the header says why a page was not stored', async (t) => {
  const { app } = await testSite(t, SITE, { serverTiming: true })
  const cases: [string, string][] = [
    ['/stored', 'miss'],
    ['/stored', 'hit'],
    ['/reads', 'pass: read'],
    ['/reads', 'pass'],
  ]
  const found: unknown[] = []
  for (const [url] of cases) found.push([url, cacheOf((await app.inject({ url, headers: HTML })).headers)])
  t.strictSame(found, cases)
})

t.test(
  'in development, the last line of a streamed navigation has the steps that the header cannot have',
  async (t) => {
    const url = '/waits?_hydrant'
    for (const [mode, isSent] of [
      ['development', true],
      ['production', false],
    ] as const) {
      const { app } = await testSite(t, SITE, { mode, serverTiming: true })
      const { headers, body } = await app.inject({ url, headers: navigationHeaders() })
      t.notMatch(timingOf(headers), 'load;', `${mode}: the headers are sent before the load`)
      const [kind, metrics] = JSON.parse(body.trimEnd().split('\n').at(-1) ?? '')
      t.equal(kind === 'times', isSent, mode)
      if (isSent)
        t.match(metrics, [
          { name: 'total', duration: Number },
          { name: 'route', description: '/waits' },
          { name: 'load', description: 'pages/waits.server.ts (18 characters)', duration: Number },
          { name: 'data', duration: Number },
        ])
    }
  },
)

t.test('the header follows what the site has set itself', async (t) => {
  const set = (value: string | string[]) => (app: FastifyInstance) =>
    app.addHook('onRequest', async (_, reply) => void reply.header('server-timing', value))
  const cases: [string | string[], RegExp][] = [
    ['db;dur=53', /^db;dur=53, total;dur=[\d.]+, route;desc="\/plain", load;/],
    [['db;dur=53', 'app'], /^db;dur=53, ?app, total;dur=/],
  ]
  for (const [value, expected] of cases) {
    const { app } = await testSite(t, SITE, { serverTiming: true, server: set(value) })
    t.match(timingOf((await app.inject({ url: '/plain', headers: HTML })).headers), expected)
  }
})
