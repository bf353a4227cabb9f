import t from 'tap'
import { SLOT_MS, slotOf } from '../../../src/server/ledger/times.ts'
import { keepTimes, requestOf, slowShop, stepOf, timesOf } from '../ledger/slow-times.ts'
import { failureOf, type ServedAdmin, serveAdmin } from './served-admin.ts'

const HOUR = 3_600_000

interface Listed {
  failures: { fingerprint: string; solvedAt: string | null }[]
}

async function fingerprintsOf(admin: ServedAdmin, search: string): Promise<string[]> {
  const { body } = await admin.ask(`/api/failures${search}`)
  return (JSON.parse(body) as Listed).failures.map(({ fingerprint }) => fingerprint)
}

async function serveFilled(t: Parameters<typeof serveAdmin>[0]): Promise<ServedAdmin> {
  const admin = await serveAdmin(t)
  const now = Date.now()
  await admin.keep(
    failureOf('7K2M9QX4-000001', { time: now - 30 * HOUR }),
    failureOf('7K2M9QX4-000002', { time: now - 3 * HOUR }),
    failureOf('AAAAAAAA-000001', { side: 'client', phase: 'client', time: now - 2 * HOUR, route: '/cart' }),
    failureOf('BBBBBBBB-000001', { time: now - 50 * HOUR, error: { type: 'RangeError', message: 'far', stack: [] } }),
  )
  await admin.store.ledger.setSolved('BBBBBBBB', now)
  return admin
}

t.test('lists failures, last seen first', async (t) => {
  const admin = await serveFilled(t)
  t.strictSame(await fingerprintsOf(admin, ''), ['AAAAAAAA', '7K2M9QX4', 'BBBBBBBB'])
  t.strictSame(await fingerprintsOf(admin, '?side=client'), ['AAAAAAAA'])
  t.strictSame(await fingerprintsOf(admin, '?since=24h'), ['AAAAAAAA', '7K2M9QX4'])
  t.strictSame(await fingerprintsOf(admin, '?solved=true'), ['BBBBBBBB'])
  t.strictSame(await fingerprintsOf(admin, '?solved=false&limit=1'), ['AAAAAAAA'])
  t.strictSame(await fingerprintsOf(admin, '?route=/cart'), ['AAAAAAAA'])
  t.strictSame(await fingerprintsOf(admin, '?search=RANGEerror'), ['BBBBBBBB'])
  const answer = await admin.ask('/api/failures?search=7K2M')
  t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  t.match(JSON.parse(answer.body), {
    failures: [
      {
        fingerprint: '7K2M9QX4',
        side: 'server',
        type: 'TypeError',
        count: 2,
        lastSeen: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
        source: { file: 'pages/products/[id].server.ts', line: 12, function: 'load' },
      },
    ],
  })
})

t.test('pages through a list and filters it by release', async (t) => {
  const admin = await serveAdmin(t)
  const now = Date.now()
  await admin.keep(
    failureOf('7K2M9QX4-000001', { time: now - 30 * HOUR, release: '1.3.0' }),
    failureOf('7K2M9QX4-000002', { time: now - 1 * HOUR, release: '1.4.0' }),
    failureOf('AAAAAAAA-000001', { time: now - 2 * HOUR, release: '1.4.0' }),
    failureOf('BBBBBBBB-000001', { time: now - 3 * HOUR, release: '1.3.0' }),
  )
  const found: string[] = []
  let next: string | null = ''
  for (let page = 0; next !== null && page < 9; page++) {
    const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`
    const { body } = await admin.ask(`/api/failures?sort=count&limit=1${after}`)
    const answer = JSON.parse(body) as Listed & { next: string | null }
    found.push(...answer.failures.map(({ fingerprint }) => fingerprint))
    next = answer.next
  }
  t.strictSame(found, ['7K2M9QX4', 'AAAAAAAA', 'BBBBBBBB'])
  t.strictSame(await fingerprintsOf(admin, '?sort=first'), ['AAAAAAAA', 'BBBBBBBB', '7K2M9QX4'])
  t.strictSame(await fingerprintsOf(admin, '?release=1.3.0'), ['7K2M9QX4', 'BBBBBBBB'])
  t.strictSame(await fingerprintsOf(admin, '?new=true'), ['AAAAAAAA'], 'new in the release that is served')
  t.strictSame(await fingerprintsOf(admin, '?new=true&release=1.3.0'), ['7K2M9QX4', 'BBBBBBBB'])
})

t.test('an invalid filter is 400 and names the valid values', async (t) => {
  const admin = await serveAdmin(t)
  const answer = await admin.ask('/api/failures?side=both')
  t.equal(answer.status, 400)
  t.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8')
  t.match(JSON.parse(answer.body), {
    status: 400,
    detail: '"side" must be server or client.',
    instance: '/api/failures',
  })
})

t.test('a failure is found by its digest in any spelling', async (t) => {
  const admin = await serveFilled(t)
  for (const typed of ['7K2M9QX4-000001', '7k2m9qx4ooooo1', '7K2M9QX4%20OOOOOL', 'digest:%207K2M9QX4-000001']) {
    const { status, body } = await admin.ask(`/api/failures/${typed}`)
    t.equal(status, 200, typed)
    t.match(JSON.parse(body), {
      fingerprint: '7K2M9QX4',
      source: { line: 12, code: { firstLine: 10 } },
      stack: [{ isSite: true }, { isSite: false }],
      occurrences: [
        { digest: '7K2M9QX4-000001', requestId: 'REQ-1', route: '/products/[id]' },
        { digest: '7K2M9QX4-000002' },
      ],
    })
  }
  const byFingerprint = JSON.parse((await admin.ask('/api/failures/7k2m9qx4?limit=1')).body) as {
    occurrences: object[]
  }
  t.match(byFingerprint.occurrences, [{ digest: '7K2M9QX4-000002' }])
  t.equal(byFingerprint.occurrences.length, 1)
})

t.test('an unknown digest is 404 with similar ones', async (t) => {
  const admin = await serveFilled(t)
  const { status, body, headers } = await admin.ask('/api/failures/7K2M9QX5-000001')
  t.equal(status, 404)
  t.match(headers['content-type'], 'application/problem+json')
  t.match(JSON.parse(body), { status: 404, nearest: ['7K2M9QX4'] })
  t.strictSame((JSON.parse((await admin.ask('/api/failures/@@@')).body) as { nearest: string[] }).nearest, [])
  t.equal((await admin.ask('/api/failures/7K2M9QX5/solve', {}, 'POST')).status, 404)
})

t.test('solves and reopens, whatever body a client sends', async (t) => {
  const admin = await serveFilled(t)
  for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }]) {
    const solved = await admin.ask('/api/failures/7k2m9qx4-000001/solve', headers, 'POST')
    t.equal(solved.status, 200)
    t.match(JSON.parse(solved.body), { fingerprint: '7K2M9QX4', solvedAt: /^20/ })
    t.type((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, 'number')
    const reopened = await admin.ask('/api/failures/7K2M9QX4/reopen', headers, 'POST')
    t.match(JSON.parse(reopened.body), { solvedAt: null })
    t.equal((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, null)
  }
  t.equal((await admin.ask('/api/failures/7K2M9QX4/solve')).status, 404, 'not by GET')
  t.equal((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, null)
})

t.test('a site without a ledger has nothing to show, and says so', async (t) => {
  const admin = await serveAdmin(t, { hasLedger: false })
  await admin.keep(failureOf('7K2M9QX4-000001'))
  t.strictSame(await fingerprintsOf(admin, ''), [])
  t.equal((await admin.ask('/api/failures/7K2M9QX4')).status, 404)
  t.match((await admin.ask('/')).body, 'No failures are kept here')
})

t.test('an unreadable ledger is 503, and the log has the reason', async (t) => {
  const admin = await serveAdmin(t)
  admin.store.ledger.fingerprints = () => Promise.reject(new Error('the disk is gone'))
  const answer = await admin.ask('/api/failures/7K2M9QX4')
  t.equal(answer.status, 503)
  t.notMatch(answer.body, 'disk')
  t.ok(admin.log.errors().some(({ msg }) => msg.includes('the disk is gone')))
  const page = await admin.ask('/failures/none')
  t.equal(page.status, 503)
  t.match(page.body, 'The ledger is not available')
  t.notMatch(page.body, 'disk is gone')
})

t.test(
  'the console and its API contain no character of a client that a terminal obeys or that turns a text',
  async (t) => {
    const admin = await serveAdmin(t)
    const poison = '\u001b[2J\u009b1m\u0007\u007f\u202egnp.exe\u2066\u200f\u2028'
    await admin.keep(
      failureOf('7K2M9QX4-000001', {
        route: `/${poison}`,
        path: `/${poison}`,
        host: poison,
        method: poison,
        requestId: poison,
        error: {
          type: poison,
          message: `first\n${poison}`,
          stack: [{ file: poison, line: 1, column: 1, function: poison, isSite: true }],
          cause: { type: poison, message: poison, stack: [] },
        },
      }),
    )
    await keepTimes(admin.store.ledger, {
      steps: [timesOf(`/${poison}`, 'request', '', [900]), timesOf(`/${poison}`, 'load', poison, [800])],
      requests: [requestOf(poison, { route: `/${poison}`, path: poison, steps: [stepOf('load', poison, 0, 800)] })],
    })
    const url = encodeURIComponent(poison)
    const paths = [
      '/',
      '/failures/7K2M9QX4',
      `/find?digest=${url}`,
      `/failures/${url}`,
      '/cache',
      '/slow',
      `/slow/${url}`,
      `/slow/x${url}`,
    ]
    const pages = paths.flatMap((path) =>
      ['text/html', 'application/json', 'text/markdown'].map((accept) => [path, accept]),
    )
    const api = [
      '/api/failures',
      '/api/failures/7K2M9QX4',
      `/api/failures/${url}`,
      '/api/slow',
      `/api/slow/${url}`,
    ].map((path) => [path, 'application/json'])
    const raw: string[] = []
    for (const [path = '', accept = ''] of [...pages, ...api]) {
      const answer = await admin.ask(path, { accept })
      // The data for the script of the page has the address as the operator's browser has sent it.
      const body = path.includes(url) ? answer.body.replace(/<script[\s\S]*?<\/script>/g, '') : answer.body
      if (/(?![\n\t])\p{Cc}|[\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(body))
        raw.push(`${accept} ${path}`)
    }
    t.strictSame(raw, [])
    const { body } = await admin.ask('/failures/7K2M9QX4', { accept: 'text/html' })
    t.match(body, '\\u202egnp.exe', 'the characters are shown')
    const { failures } = JSON.parse((await admin.ask('/api/failures')).body)
    t.equal(failures[0].message, `first\n${poison}`, 'JSON has the same value')
  },
)

t.test('shows what makes pages slow', async (t) => {
  const admin = await serveAdmin(t)
  const read = async (path: string) => JSON.parse((await admin.ask(path)).body)
  t.match(await read('/api/slow'), { requests: 0, first: null, routes: [], slowest: [] })
  const now = Date.now()
  await keepTimes(admin.store.ledger, slowShop(now), now - 3 * HOUR)
  t.match(await read('/api/slow?since=&route='), { requests: 0 }, 'of the last hour')
  t.match(await read('/api/slow?since=24h&limit=1'), {
    since: new Date(slotOf(now - 3 * HOUR) * SLOT_MS).toISOString(),
    requests: 1_312,
    first: { kind: 'load', subject: 'pages/products/[id].server.ts:12', routes: ['/products/[id]'] },
    routes: [
      {
        route: '/products/[id]',
        hints: [],
        steps: [{ kind: 'load', hints: { 0: /^runs one after another/, length: 1 } }],
      },
    ],
    moreRoutes: 3,
    slowest: [{ id: '8MZ2K0QV-9', time: new Date(now - HOUR / 2).toISOString() }],
  })
  t.match(await read('/api/slow?since=24h&route=/reports'), { routes: [{ route: '/reports' }] })
  t.match(await read('/api/slow/8mz2k0qv-3'), { id: '8MZ2K0QV-3', steps: [{ kind: 'guard', startMs: 1 }] })
  for (const [path, status, problem] of [
    ['/api/slow?since=2d', 400, '"since" must be like 10m'],
    ['/api/slow?limit=0', 400, '"limit" must be a whole number from 1 to 1000.'],
    ['/api/slow/8MZ2K0QV-4', 404, 'The ledger has no times of this request.'],
  ] as const) {
    const answer = await admin.ask(path)
    t.equal(answer.status, status, path)
    t.match(answer.headers['content-type'], 'application/problem+json')
    t.match(answer.body.replaceAll('\\', ''), problem)
  }
})
