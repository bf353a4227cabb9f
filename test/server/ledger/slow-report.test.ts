import t from 'tap'
import { bytesText, msText, percentText } from '../../../src/server/ledger/slow-hints.ts'
import { reportSlow, reportSlowRequest } from '../../../src/server/ledger/slow-report.ts'
import type { SlowRequest, StepTimes, TimedKind } from '../../../src/server/ledger/times.ts'
import { findFailing } from '../../find-failing.ts'
import { requestOf, slowShop, stepOf, timesOf } from './slow-times.ts'

const NOW = Date.UTC(2026, 10, 21, 19, 43, 28)

/** Returns the hints of the first step of a kind, in a site whose requests took 1 s and have these steps too. */
function hintsOf(kind: TimedKind, steps: readonly StepTimes[], requests: readonly SlowRequest[] = []): string[] {
  const whole = steps.some((step) => step.kind === 'request') ? [] : [timesOf('/a', 'request', '', [1_000])]
  const { routes } = reportSlow({ steps: [...whole, ...steps], requests: [...requests] })
  const rows = routes.flatMap((route) => [route, ...route.steps])
  return rows.find((row) => row.kind === kind)?.hints ?? ['there is no such row']
}

t.test('says what makes a step slow', async (t) => {
  const load = (more: Parameters<typeof timesOf>[4], durations = [500, 500]) =>
    timesOf('/a', 'load', 'pages/a.server.ts:3', durations, more)
  const whole = (bytes: number, durations = [1_000, 1_000]) => timesOf('/a', 'request', '', durations, { bytes })
  const guard = (...durations: number[]) => timesOf('/a', 'guard', 'pages/layout.server.ts:2', durations)
  const render = (...durations: number[]) => timesOf('/a', 'render', '', durations)
  const rendered = (bytes: number, durations = [500, 500]) => timesOf('/a', 'render', '', durations, { bytes })
  const written = (...durations: number[]) => timesOf('/a', 'data', '', durations)
  const store = (...durations: number[]) => timesOf('/a', 'store', 'get', durations)
  const waits = 'waits for a database, a service or a file'
  const cases: [TimedKind, StepTimes[], string[]][] = [
    ['load', [load({})], [waits]],
    ['load', [load({}, [80])], []],
    ['load', [load({ blockedMs: 90 })], [waits]],
    [
      'load',
      [load({ blockedMs: 300 })],
      ['blocks the event loop, or waits while other code does: 150 ms each time on average, 300 ms in all'],
    ],
    [
      'load',
      [load({ blockedMs: 620 })],
      ['computes, and blocks the event loop: 310 ms each time on average, 620 ms in all'],
    ],
    ['load', [load({ bytes: 2_400_000 }, [20, 20])], ['returns much data: 1.2 MB each time']],
    ['load', [load({ bytes: 199_000 }, [20, 20])], []],
    ['request', [whole(200_000), load({}), rendered(4_800_000)], ['large document: 2.4 MB']],
    ['request', [whole(999_000), load({}, [900, 900])], []],
    [
      'request',
      [whole(1_000_000), load({}, [150, 150])],
      [
        'large response: 500.0 kB',
        '85 % of its time is in no step: hooks and routes of server.ts, a slow client, or a blocked event loop',
      ],
    ],
    ['request', [whole(0, [40, 40])], []],
    ['guard', [guard(80, 80)], ['slow guard: all pages below its folder wait for it']],
    ['guard', [guard(20, 20)], []],
    [
      'store',
      [store(60, 60)],
      ['the store of the cache answers slowly: pages that this process has not stored wait for it'],
    ],
    ['store', [store(40, 40)], []],
    ['request', [whole(0), store(995, 995)], []],
    ['render', [whole(200_000), rendered(4_800_000, [400, 400])], ['rendering takes the time: 2.4 MB of HTML']],
    ['render', [render(400)], ['rendering takes the time: many elements, or components that compute']],
    ['render', [render(60)], []],
    ['data', [written(400)], ['writing the data of the loads as JSON takes the time']],
    ['data', [written(60)], []],
    ['render', [whole(0, [100, 20]), render(15, 15)], []],
    [
      'loop',
      [timesOf('', 'loop', '', [60, 240])],
      ['a timer, a hook, or a step after an await blocked the event loop: 300 ms in all, up to 240 ms at a time'],
    ],
  ]
  const failing = await findFailing(
    cases,
    ([kind, steps]) => hintsOf(kind, steps),
    ([, , expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('says that functions of perRequest run one after another in a load', async (t) => {
  const load = stepOf('load', 'pages/a.server.ts:3', 10, 100)
  const kept = (...steps: SlowRequest['steps']) => requestOf('A-1', { route: '/a', steps: [load, ...steps] })
  const one = stepOf('perRequest', 'data/one.ts:1', 10, 50)
  const other = stepOf('perRequest', 'data/other.ts:2', 60.5, 49)
  const hint =
    'runs one after another: data/one.ts:1, data/other.ts:2; start those together that do not need each other (Promise.all)'
  const cases: [string, SlowRequest[], string[]][] = [
    ['one after another', [kept(one, other)], [hint]],
    ['in half of the requests', [kept(one, other), kept(one)], [hint]],
    ['in a third of the requests', [kept(one, other), kept(one), kept()], []],
    ['at the same time', [kept(one, { ...other, startMs: 12 })], []],
    ['for a part of the load', [kept(one, { ...other, durationMs: 20 })], []],
    ['one alone', [kept({ ...one, durationMs: 99 })], []],
    ['after the load', [kept(one, { ...other, startMs: 90 })], []],
    ['on another route', [{ ...kept(one, other), route: '/b' }], []],
  ]
  const times = timesOf('/a', 'load', 'pages/a.server.ts:3', [90])
  const failing = await findFailing(
    cases,
    ([, requests]) => hintsOf('load', [times], requests),
    ([, , expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('a function of perRequest that is called after an await is of the only load around it', async (t) => {
  const page = stepOf('load', 'pages/a.server.ts:3', 10, 1_000)
  const layout = stepOf('load', 'pages/layout.server.ts:2', 10, 1_000)
  const inner = [stepOf('perRequest', 'data/one.ts:1', 10, 500), stepOf('perRequest', 'data/other.ts:2', 511, 480)]
  const times = [page, layout, ...inner].map((step) => timesOf('/a', step.kind, step.subject, [step.durationMs]))
  function loadHints(...loads: SlowRequest['steps']) {
    const kept = requestOf('A-1', { route: '/a', steps: [...loads, ...inner] })
    const { routes } = reportSlow({ steps: [timesOf('/a', 'request', '', [1_000]), ...times], requests: [kept] })
    const rows = routes[0]?.steps.filter(({ kind }) => kind === 'load')
    return rows?.map(({ hints }) => hints.map((hint) => hint.split(/[ :]/)[0]).join())
  }
  t.strictSame(loadHints(page, layout), ['waits', 'slow,waits'])
  t.strictSame(loadHints(page, { ...layout, durationMs: 400 }), ['runs', 'slow,waits'])
})

t.test('says of the functions of perRequest that they wait, not also of the load that calls them', async (t) => {
  const steps = [stepOf('load', 'a.ts:3', 10, 400), stepOf('perRequest', 'b.ts:1', 10, 200)]
  const kept = [requestOf('A-1', { route: '/a', steps: [...steps, stepOf('perRequest', 'c.ts:2', 210, 200)] })]
  const load = timesOf('/a', 'load', 'a.ts:3', [400])
  const inner = (blockedMs: number) => timesOf('/a', 'perRequest', 'b.ts:1', [200], { blockedMs })
  const waits = 'waits for a database, a service or a file'
  t.strictSame(hintsOf('perRequest', [load, inner(0)], kept), [waits])
  t.match(hintsOf('load', [load, inner(0)], kept), [/^runs one after/])
  t.equal(hintsOf('load', [load, inner(0)], kept).length, 1)
  t.match(hintsOf('load', [load, inner(190)], kept), [/^runs one after/, waits], 'they do not wait')
  t.strictSame(hintsOf('load', [load, inner(0)], [requestOf('A-1', { route: '/a', steps })]), [waits], 'one alone')
})

t.test(
  'says which calls run one after another in a load, a guard or an action, and what a load waits for',
  async (t) => {
    const ONE = 'GET http://one.example'
    const OTHER = 'GET http://other.example'
    const call = (subject: string, startMs: number, durationMs: number, inside: number) =>
      stepOf('call', subject, startMs, durationMs, { inside })
    const layout = stepOf('load', 'layout.server.ts:2', 10, 130)
    const one = call(ONE, 11, 60, 0)
    const other = call(OTHER, 72, 60, 0)
    const runs = (text: string) => [
      `runs one after another: ${text}; start those together that do not need each other (Promise.all)`,
    ]
    const cases: [string, SlowRequest['steps'], string[]][] = [
      ['one after another', [one, other], runs(`${ONE} (60 ms), ${OTHER} (60 ms)`)],
      ['the same server', [one, call(ONE, 72, 60, 0)], runs(`2 × ${ONE} (60 ms each)`)],
      [
        'one of another load at the same time',
        [one, layout, other, call(ONE, 11, 100, 2)],
        runs(`${ONE} (60 ms), ${OTHER} (60 ms)`),
      ],
      ['at the same time', [call(ONE, 11, 118, 0), call(OTHER, 11, 60, 0)], [`waits for ${ONE}, ${OTHER}`]],
      ['one alone', [call(ONE, 11, 118, 0)], [`waits for ${ONE}`]],
      ['for a part of the step', [call(ONE, 11, 40, 0)], ['waits for a database, a service or a file']],
      [
        'of another load',
        [layout, call(ONE, 11, 60, 1), call(OTHER, 72, 60, 1)],
        ['waits for a database, a service or a file'],
      ],
    ]
    const failing = await findFailing(
      [...cases].flatMap((one) => (['load', 'guard', 'action'] as const).map((kind) => [kind, ...one] as const)),
      ([kind, , steps]) => {
        const times = [
          timesOf('/a', kind, 'a.server.ts:3', [120]),
          timesOf('/a', 'call', ONE, [60]),
          timesOf('/a', 'call', OTHER, [60]),
        ]
        const kept = requestOf('A-1', { route: '/a', steps: [stepOf(kind, 'a.server.ts:3', 10, 122), ...steps] })
        return hintsOf(kind, times, [kept]).filter((hint) => !hint.startsWith('slow guard'))
      },
      ([, , , expected]) => expected,
    )
    t.strictSame(failing, [])
  },
)

t.test('lists calls below the step that makes them, and never as what to mend first', async (t) => {
  const steps = [
    stepOf('load', 'a.server.ts:3', 0, 100),
    stepOf('perRequest', 'b.ts:1', 1, 99, { inside: 0 }),
    stepOf('call', 'GET http://one.example', 1, 98, { inside: 1 }),
  ]
  const kept = [requestOf('A-1', { route: '/a', steps })]
  const times = [
    timesOf('/a', 'request', '', [110]),
    timesOf('/a', 'call', 'GET http://one.example', [98, 98]),
    timesOf('/a', 'render', '', [5]),
    timesOf('/a', 'perRequest', 'b.ts:1', [60]),
    timesOf('/a', 'load', 'a.server.ts:3', [100]),
  ]
  const { routes, first } = reportSlow({ steps: times, requests: kept })
  t.strictSame(
    routes[0]?.steps.map(({ kind, depth }) => [kind, depth]),
    [
      ['load', 0],
      ['perRequest', 1],
      ['call', 2],
      ['render', 0],
    ],
  )
  t.match(first, { kind: 'load' })
  const [request] = kept.map(reportSlowRequest)
  t.strictSame(
    request?.steps.map(({ depth }) => depth),
    [0, 1, 2],
  )
})

t.test('says that the page cache stores nothing of a page', async (t) => {
  const steps = [timesOf('/a', 'request', '', [20])]
  const kept = (cache: string | null) => requestOf('A-1', { route: '/a', cache })
  t.strictSame(hintsOf('request', steps, [kept('pass: read'), kept('miss')]), [
    'the page cache does not store it: pass: read',
  ])
  t.strictSame(hintsOf('request', steps, [kept('miss'), kept('hit'), kept('pass: read')]), [])
  t.strictSame(hintsOf('request', steps, [kept(null)]), [])
})

t.test('sorts routes and steps by their share of all time', async (t) => {
  const { requests, totalMs, routes, slowest } = reportSlow(slowShop(NOW))
  t.equal(requests, 1_312)
  t.equal(Math.round(totalMs), 354_094)
  t.strictSame(
    routes.map(({ route, share }) => [route, percentText(share)]),
    [
      ['/products/[id]', '90 %'],
      ['/reports', '8 %'],
      ['/', '2 %'],
      ['', '<1 %'],
    ],
  )
  t.strictSame(
    routes[0]?.steps.map(({ kind, subject, share }) => `${percentText(share)} ${kind} ${subject}`.trim()),
    [
      '83 % load pages/products/[id].server.ts:12',
      '48 % perRequest data/stock.ts:8',
      '33 % perRequest data/reviews.ts:21',
      '2 % render',
      '1 % load pages/layout.server.ts:11',
      '<1 % guard pages/layout.server.ts:4',
    ],
  )
  t.strictSame(
    slowest.map(({ id }) => id),
    ['8MZ2K0QV-9', '8MZ2K0QV-3'],
  )
  t.notOk(slowest.some((request) => 'steps' in request))
  const [, second] = routes
  t.match(second, { count: 12, maxMs: 3741.67, meanBytes: 2_400_000 })
  t.ok(second && second.p50Ms > 1_900 && second.p50Ms < 3_000 && second.p95Ms >= second.p50Ms)
})

t.test('reports one route, with its share of the time of all', async (t) => {
  const all = reportSlow(slowShop(NOW))
  const { routes, requests, totalMs, slowest, first } = reportSlow(slowShop(NOW), { route: '/reports' })
  t.strictSame(routes, [all.routes[1]])
  t.strictSame([requests, totalMs], [all.requests, all.totalMs])
  t.strictSame(
    slowest.map(({ route }) => route),
    ['/reports'],
  )
  t.match(first, { kind: 'load', subject: 'pages/reports.server.ts:31' })
  t.match(reportSlow(slowShop(NOW), { route: '/nothing' }), { routes: [], first: null })
})

t.test('names what to mend first', async (t) => {
  const whole = (route: string, ms: number) => timesOf(route, 'request', '', [ms])
  const guard = (route: string, ms: number) => timesOf(route, 'guard', 'pages/layout.server.ts:2', [ms])
  const load = (route: string, ms: number) => timesOf(route, 'load', `pages${route}.server.ts:3`, [ms])
  const stock = (ms: number) => timesOf('/a', 'perRequest', 'data/stock.ts:8', [ms])
  const steps = [
    stepOf('load', 'pages/a.server.ts:3', 0, 90),
    stepOf('load', 'pages/layout.server.ts:2', 0, 95),
    stepOf('perRequest', 'data/stock.ts:8', 1, 80, { inside: 0 }),
  ]
  const requests = [requestOf('A-1', { route: '/a', steps })]
  const cases: [string, StepTimes[], string | undefined][] = [
    ['the longest step', [whole('/a', 100), load('/a', 60), guard('/a', 30)], 'load pages/a.server.ts:3 /a 0.6'],
    [
      'a guard of several routes',
      [whole('/a', 100), whole('/b', 100), load('/a', 60), guard('/a', 30), guard('/b', 90)],
      'guard pages/layout.server.ts:2 /a,/b 0.6',
    ],
    [
      'what takes most of the longest step',
      [whole('/a', 100), load('/a', 90), stock(75)],
      'perRequest data/stock.ts:8 /a 0.75',
    ],
    ['not what takes a part of it', [whole('/a', 100), load('/a', 90), stock(60)], 'load pages/a.server.ts:3 /a 0.9'],
    [
      'not what takes most of another step',
      [whole('/a', 100), timesOf('/a', 'load', 'pages/layout.server.ts:2', [95]), load('/a', 90), stock(80)],
      'load pages/layout.server.ts:2 /a 0.95',
    ],
    [
      'not what takes most of it only with its time on other routes',
      [whole('/a', 100), whole('/b', 50), load('/a', 90), stock(60), { ...stock(20), route: '/b' }],
      'load pages/a.server.ts:3 /a 0.6',
    ],
    [
      'not a store, which is in no load',
      [whole('/a', 100), load('/a', 50), timesOf('/a', 'store', 'look-up', [45])],
      'load pages/a.server.ts:3 /a 0.5',
    ],
    ['what is in no step', [whole('/api/:id', 500), whole('/a', 100), load('/a', 90)], 'request  /api/:id 0.83'],
    ['code of no known step', [whole('/a', 100), timesOf('', 'loop', '', [700, 700])], 'loop   14'],
    ['a short block', [whole('/a', 100), timesOf('', 'loop', '', [700])], 'request  /a 1'],
    ['renders of one page', [whole('/a', 100), timesOf('/a', 'render', '', [80])], 'render  /a 0.8'],
    ['nothing', [], undefined],
  ]
  const failing = await findFailing(
    cases,
    ([, steps]) => {
      const { first } = reportSlow({ steps, requests })
      return first ? `${first.kind} ${first.subject} ${first.routes} ${Math.round(first.share * 100) / 100}` : undefined
    },
    ([, , expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('reports one request with the hints that apply to it', async (t) => {
  const [report, product] = slowShop(NOW).requests.map(reportSlowRequest)
  t.strictSame(report?.hints, ['large document: 2.4 MB', 'the page cache does not store it: pass: read'])
  t.strictSame(
    report?.steps.map(({ kind, hints }) => [kind, ...hints]),
    [
      ['cache'],
      ['load', 'returns much data: 1.2 MB each time', 'computes, and blocks the event loop: 1.4 s in all'],
      ['render', 'rendering takes the time: 2.4 MB of HTML', 'blocks the event loop: 1.1 s in all'],
    ],
  )
  t.match(product?.steps[1], { kind: 'load', startMs: 10, hints: [/^runs one after another/] })
})

t.test('formats durations, sizes and shares', async (t) => {
  t.strictSame([0, 0.44, 9.96, 310.4, 999.6, 4_230, 99_949, 312_000].map(msText), [
    ...['0.0 ms', '0.4 ms', '10 ms', '310 ms', '1.0 s', '4.2 s', '99.9 s', '312 s'],
  ])
  t.strictSame([0, 999, 1_000, 1_240_000, 2e12].map(bytesText), ['0 B', '999 B', '1.0 kB', '1.2 MB', '2000.0 GB'])
  t.strictSame([0, 0.004, 0.01, 0.544, 1.2].map(percentText), ['0 %', '<1 %', '1 %', '54 %', '120 %'])
})
