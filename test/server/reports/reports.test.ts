import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { buildFolder, readManifest } from '../../../src/server/build-output/read-build.ts'
import type { CreateServerOptions } from '../../../src/server/create-server.ts'
import { hydrant } from '../../../src/server/plugin.ts'
import { type ReportedError, withoutQueries } from '../../../src/shared/wire/report-format.ts'
import { findFailing } from '../../find-failing.ts'
import { createRandom } from '../../shared/random.ts'
import { testSite, writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { buildFiles, createLog, serve } from '../served.ts'

const site = { '/': {}, '/products/[id]': {} }

async function server(app: FastifyInstance) {
  app.addHook('preHandler', async () => {
    throw Object.assign(new Error('members only'), { statusCode: 401 })
  })
}

const SAME_ORIGIN = {
  origin: 'http://shop.example',
  host: 'shop.example',
  'user-agent': 'Mozilla/5.0 (X11) Firefox/150.0',
}
const error: ReportedError = { type: 'Error', message: 'broken', stack: '' }
const report = { kind: 'failure', build: 'some', path: '/products/5', isRecovered: false, error }

async function start(t: Test, options: Partial<CreateServerOptions> = {}) {
  const { app, log } = await testSite(t, site, { server, ...options })
  const post = (payload: unknown, headers: Record<string, string> = {}, url = '/_hydrant/report') =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...SAME_ORIGIN, ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
  return { app, log, post }
}

t.test('a report gets an empty response and is logged as a failure', async (t) => {
  const { log, post } = await start(t, { base: '/shop', release: 'r7' })
  const response = await post({ ...report, path: '/shop/products/5' }, {}, '/shop/_hydrant/report')
  t.equal(response.statusCode, 204)
  t.equal(response.headers['cache-control'], 'no-store')
  t.equal(response.body, '')
  const [line, ...more] = log.errors()
  t.same(more, [])
  t.match(line, {
    side: 'client',
    phase: 'client',
    route: '/products/[id]',
    method: 'GET',
    url: '/shop/products/5',
    host: 'shop.example',
    reqId: String(response.headers['x-request-id']),
    err: { type: 'Error', message: 'broken', stack: 'Error: broken\n    at pages/products/[id].tsx' },
  })
})

t.test('works below the prefix of an app, whose own parsers and error handler do not interfere', async (t) => {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send('mine'))
  app.addContentTypeParser('application/json', (_request, _body, done) => done(new Error('mine')))
  const dir = writeTestSite(t.testdir({}), site, { server })
  await app.register(hydrant, { dir, base: '/shop', prefix: '/own' })
  const post = (payload: object) =>
    app.inject({ method: 'POST', url: '/own/shop/_hydrant/report', headers: SAME_ORIGIN, payload })
  t.equal((await post({ ...report, path: '/own/shop/products/5' })).statusCode, 204)
  t.match(log.errors(), [{ route: '/products/[id]' }])
  t.equal((await post({})).statusCode, 400)
})

const PAGE = 'https://shop.example/search'
const CHROME = [`    at find (${PAGE}:4:9)`, `    at ${PAGE}:7:1`]

t.test('URLs in stacks lose their query', async (t) => {
  const queries = [
    '?',
    '?q=SECRET',
    '#SECRET',
    '?t=12:30:45&q=SECRET',
    '?q=f(SECRET),)',
    '?u=https://a.example/?q=SECRET#SECRET',
  ]
  const stacks: [name: string, stackOf: (query: string) => string, frames: string[]][] = [
    ['Chrome', (query) => `Error: broken\n    at find (${PAGE}${query}:4:9)\n    at ${PAGE}${query}:7:1`, CHROME],
    ['Firefox', (query) => `find@${PAGE}${query}:4:9\n@${PAGE}${query}:7:1\n`, CHROME],
    ['Safari', (query) => `find@${PAGE}${query}:4:9\nglobal code@${PAGE}${query}:7:1`, CHROME],
    [
      'code that Chrome has evaluated',
      (query) => `    at eval (eval at run (eval at find (${PAGE}${query}:4:9)), <anonymous>:1:7)`,
      [`    at eval (eval at run (eval at find (${PAGE}:4:9)), <anonymous>:1:7)`],
    ],
    [
      'code that Firefox has evaluated',
      (query) => `@${PAGE}${query} line 4 > eval:1:7\nfind@${PAGE}${query}:4:9`,
      [`    at find (${PAGE}:4:9)`],
    ],
    [
      'a stack that was cut',
      (query) => `    at find (${PAGE}:4:9)\n    at ${PAGE}${query}`,
      [`    at find (${PAGE}:4:9)`, `    at ${PAGE}`],
    ],
    ['a private method', (query) => `    at Shop.#find (${PAGE}${query}:4:9)`, [`    at Shop.#find (${PAGE}:4:9)`]],
  ]
  const { log, post } = await start(t, { reports: { maxPerAddress: 100 } })
  const cases = stacks.flatMap(([name, stackOf, frames]) =>
    queries.map((query) => ({ name, query, stack: stackOf(query), frames })),
  )
  const failing = await findFailing(cases, async ({ stack, frames }) => {
    const cause = { ...error, stack }
    await post({ ...report, error: { ...error, stack, cause }, componentStack: stack })
    const line = log.errors().at(-1)
    const isRight =
      [line?.err, line?.err?.cause].every((logged) => logged?.stack?.includes(`\n${frames.join('\n')}`)) &&
      !/SECRET/.test(JSON.stringify(line))
    return isRight ? undefined : line
  })
  t.strictSame(failing, [])
})

// A quadratic pattern would take hours for these, and the test would end by its timeout.
t.test('the search for queries takes linear time', async (t) => {
  const times = 300_000
  const parts = ['://', '://?', '?', '#', ':', ':1', ':1:1', ')', ',', '),', '?)', ' ', 'a']
  const failing = await findFailing(
    parts.flatMap((part) =>
      ['', '://', '://a?'].flatMap((start) => ['', ':1:1)', '!'].map((end) => ({ start, part, end }))),
    ),
    ({ start, part, end }) => withoutQueries(start + part.repeat(times) + end).length > 0,
    () => true,
  )
  t.strictSame(failing, [])
})

t.test('a failure in a page of an unknown build belongs to no release', async (t) => {
  const folder = t.testdir({})
  const first = readManifest(buildFolder(await buildFiles(folder, {}))).buildId
  const changed = 'export default function Page() {\n  return <p>changed</p>\n}\n'
  const second = readManifest(buildFolder(await buildFiles(folder, { 'pages/index.tsx': changed }))).buildId
  t.not(first, second)
  const releases: string[] = []
  const { app } = await serve(t, folder, { release: 'r7', onFailure: ({ release }) => void releases.push(release) })
  for (const build of [second, first, 'some', '0123456789abcdef', '../manifest', `../kept/${first}`, ''])
    await app.inject({ method: 'POST', url: '/_hydrant/report', headers: SAME_ORIGIN, payload: { ...report, build } })
  await until(() => releases.length === 7)
  t.strictSame(releases, ['r7', first, 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'])
})

t.test('accepts a beacon with plain text too', async (t) => {
  const { log, post } = await start(t)
  t.equal((await post(report, { 'content-type': 'text/plain;charset=UTF-8' })).statusCode, 204)
  t.equal(log.errors().length, 1)
})

const withErrors = (errors: unknown) => ({ ...report, error: { ...error, errors } })

t.test('the largest report of an AggregateError is accepted', async (t) => {
  const { log, post } = await start(t)
  const text = { type: 'x'.repeat(100), message: 'x'.repeat(2_000) }
  const inner = { ...text, stack: 'x'.repeat(1_500) }
  const errors = Array(5).fill({ ...inner, cause: inner })
  const largest = { ...report, path: `/${'x'.repeat(1_999)}`, componentStack: 'x'.repeat(4_000) }
  t.equal((await post({ ...largest, error: { ...text, stack: 'x'.repeat(5_000), errors } })).statusCode, 204)
  t.equal(log.errors()[0]?.err?.errors?.length, 5)
})

t.test('a body that is not a report is refused and logged at info', async (t) => {
  const { log, post } = await start(t)
  const cases: [unknown, Record<string, string>, number, RegExp][] = [
    ['{"kind"', {}, 400, /not JSON/],
    ['', {}, 400, /not JSON|empty/i],
    [[], {}, 400, /must be an object/],
    [{ ...report, kind: 'other' }, {}, 400, /"kind" must be/],
    [{ ...report, more: 1 }, {}, 400, /unknown field "more"/],
    [{ ...report, path: 'products' }, {}, 400, /"path" must begin/],
    [{ ...report, path: 5 }, {}, 400, /"path" must be a string/],
    [{ ...report, error: { ...error, type: 'x'.repeat(101) } }, {}, 400, /"type" must have at most 100/],
    [withErrors('x'), {}, 400, /"errors" must be a list of at most 5/],
    [withErrors(Array(6).fill(error)), {}, 400, /"errors" must be a list of at most 5/],
    [withErrors([{ ...error, errors: [{ ...error, cause: error }] }]), {}, 400, /"cause" must not be nested deeper/],
    [withErrors([1]), {}, 400, /"errors" must be an object/],
    [withErrors([{ ...error, stack: 'x'.repeat(1_501) }]), {}, 400, /"stack" must have at most 1500/],
    [
      withErrors([{ ...error, cause: { ...error, stack: 'x'.repeat(1_501) } }]),
      {},
      400,
      /"stack" must have at most 1500/,
    ],
    [
      { ...report, error: { ...error, cause: { ...error, stack: 'x'.repeat(5_001) } } },
      {},
      400,
      /"stack" must have at most 5000/,
    ],
    [withErrors(Array(5).fill({ ...error, errors: [error, error] })), {}, 400, /more than 10 others/],
    [{ kind: 'recovered', build: '', path: '/', digest: 'x' }, {}, 400, /"digest"/],
    [report, { 'content-type': 'application/xml' }, 415, /media type/i],
    [{ ...report, build: 'x'.repeat(65_537) }, {}, 413, /too large/],
    [report, { origin: 'https://other.example' }, 403, /another site/],
    [report, { 'sec-fetch-site': 'cross-site' }, 403, /another site/],
    [report, { origin: 'null' }, 403, /another site/],
  ]
  const refusals: unknown[] = []
  for (const [payload, headers] of cases) {
    const { length } = log.lines
    const response = await post(payload, headers)
    const { 'content-type': type, 'cache-control': caching } = response.headers
    refusals.push([response.statusCode, type, caching, response.json().detail, log.lines.slice(length)])
  }
  t.match(
    refusals,
    cases.map(([, , status, detail]) => {
      const lines = [{ level: 30, statusCode: status }]
      return [status, 'application/problem+json', /^no-store$/, detail, lines]
    }),
  )
  t.same(log.errors(), [])
})

t.test('a report without information about its origin is not from a browser', async (t) => {
  const { app, log } = await start(t)
  const response = await app.inject({ method: 'POST', url: '/_hydrant/report', payload: report })
  t.equal(response.statusCode, 403)
  t.match(
    log.lines.filter(({ level }) => level === 30),
    [{ msg: /Only browsers/ }],
  )
  t.equal(
    (
      await app.inject({
        method: 'POST',
        url: '/_hydrant/report',
        payload: report,
        headers: { 'sec-fetch-site': 'same-origin' },
      })
    ).statusCode,
    204,
  )
})

t.test('reports beyond the limits are refused, and the log counts them in one line', async (t) => {
  const { log, post } = await start(t, { reports: { maxPerAddress: 3 } })
  const statuses = []
  for (let count = 0; count < 6; count++) statuses.push((await post(report)).statusCode)
  t.same(statuses, [204, 204, 204, 429, 429, 429])
  t.equal(log.errors().length, 3)
  t.match(
    log.lines.filter(({ level }) => level === 30),
    [{ msg: /^refused with 429: 1 browser report over the limits / }],
  )
  const all = await start(t, { reports: { maxPerAddress: 1 }, trustProxy: true })
  const totals = []
  for (let count = 0; count < 12; count++) {
    totals.push((await all.post(report, { 'x-forwarded-for': `203.0.113.${count}` })).statusCode)
  }
  t.same(totals, [...Array(10).fill(204), 429, 429], 'ten times as many from all addresses together')
})

t.test('with reports off there is no route', async (t) => {
  const { log, post } = await start(t, { reports: { enabled: false } })
  t.notMatch((await post(report)).statusCode, 204)
  t.same(log.errors(), [])
})

t.test('reports of visitors who send DNT or Sec-GPC are dropped if the option says so', async (t) => {
  const { log, post } = await start(t, { reports: { respectPrivacySignals: true } })
  for (const header of ['dnt', 'sec-gpc']) t.equal((await post(report, { [header]: '1' })).statusCode, 204)
  t.same(log.errors(), [])
  await post(report)
  t.equal(log.errors().length, 1)
})

t.test('no field of a report can imitate anything else', async (t) => {
  const { log, post } = await start(t)
  const lure = 'x\n    at load (pages/index.server.ts:1:1)\r\n\u001b[2J\u202e{"level":50}'
  const cookie = 'session=abcdef123456'
  await post(
    {
      ...report,
      path: `/products/5?token=abc${lure}`,
      error: {
        type: lure,
        message: `${lure} abcdef123456 https://user:secret@db/`,
        stack: `Error: x\n    at ${'\u001b[31m'}a (https://shop.example/_hydrant/assets/../maps/x.js:1:1)\n    at b (file:///etc/passwd:1:1)\n    at c (https://shop.example/_hydrant/assets/gone-ABCDEFGH.js:1:1)`,
        cause: { type: 'Error', message: lure, stack: '' },
      },
    },
    { cookie },
  )
  const [line] = log.errors()
  const text = JSON.stringify(line)
  t.notMatch(text, /\\u001b|\u202e|\\r|abcdef123456|secret@|passwd:1:1\)"/)
  t.notMatch(line?.err?.type, /\n/)
  t.notMatch(line?.err?.message, /\n\s*at /)
  const places = line?.err?.stack.split('\n').filter((frame) => frame.startsWith('    at '))
  t.notOk(
    places?.some((frame) => frame.includes('index.server.ts')),
    'no frame is made of a message',
  )
  t.equal(line?.url, '/products/5')
})

t.test('a reported browser failure never has the fingerprint of a server failure', async (t) => {
  const { log, post } = await start(t)
  await post(report)
  const load = () => Promise.reject(Object.assign(new Error('broken'), { stack: '' }))
  const other = await testSite(t, { '/products/[id]': { load } })
  await other.get('/products/5')
  const fingerprints = [log.errors()[0], other.log.errors()[0]].map((line) => line?.digest?.slice(0, 8))
  t.equal(fingerprints.filter(Boolean).length, 2)
  t.not(fingerprints[0], fingerprints[1])
})

t.test('any body gets 204 or a refusal', async (t) => {
  const { log, post } = await start(t, { reports: { maxPerAddress: 1_000 } })
  const { next: random, pick } = createRandom(7)
  const value = (depth: number): unknown =>
    pick<() => unknown>([
      () => null,
      () => random() * 1e9,
      () =>
        pick([
          '',
          '/',
          'failure',
          'recovered',
          '\u0000',
          'ABCDEFGH-123456',
          'Error: x\n    at a (b:1:1)',
          '@:1:1',
          'é'.repeat(300),
        ]),
      () => random() < 0.5,
      () => (depth > 3 ? {} : Array.from({ length: 3 }, () => value(depth + 1))),
      () => object(depth + 1),
    ])()
  const object = (depth: number): unknown =>
    depth > 4
      ? {}
      : Object.fromEntries(
          [
            'kind',
            'build',
            'path',
            'isRecovered',
            'error',
            'digest',
            'type',
            'message',
            'stack',
            'cause',
            'errors',
            '__proto__',
          ]
            .filter(() => random() < 0.6)
            .map((name) => [name, value(depth)]),
        )
  const statuses = new Set<number>()
  for (let count = 0; count < 300; count++) {
    const mutated = { ...report, error: { ...error } }
    const payload = pick<() => unknown>([
      () => value(0),
      () => ({ ...mutated, [pick(['kind', 'build', 'path', 'isRecovered', 'error'])]: value(1) }),
      () => ({ ...mutated, error: { ...error, [pick(['type', 'message', 'stack', 'cause', 'errors'])]: value(2) } }),
    ])()
    statuses.add((await post(JSON.stringify(payload) ?? 'undefined')).statusCode)
  }
  t.same([...statuses].sort(), [204, 400])
  t.ok(
    log.errors().every(({ side }) => side === 'client'),
    'none of them is a failure of the server',
  )
})
