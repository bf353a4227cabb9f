import t from 'tap'
import { describeSlow, readSlowRequest, readSlowWords, type SlowFlags } from '../../scripts/commands/slow.ts'
import { createPaint } from '../../scripts/terminal/text.ts'
import type { SlowRequest, Times } from '../../src/server/ledger/times.ts'
import { findFailing } from '../find-failing.ts'
import { keepTimes, requestOf, slowShop, stepOf, timesOf } from '../server/ledger/slow-times.ts'
import { ledgerOf, MINUTE, NOW } from './failed-ledger.ts'

const NAME = '/site/ledger.db'

interface Asked {
  flags?: SlowFlags
  width?: number
  hasColors?: boolean
  /** The words that select the ledger. */
  words?: string
  /** When the times were written (an hour ago). */
  at?: number
}

/** Returns the output for a ledger with these times. Without an id it is the list. */
async function print(times: Times, id: string | null, asked: Asked = {}) {
  const { flags = {}, width, hasColors = false, words = ' ./my-site', at = NOW - 60 * MINUTE } = asked
  const ledger = await ledgerOf()
  await keepTimes(ledger, times, at)
  const view = { paint: createPaint(hasColors), width: width ?? Number.POSITIVE_INFINITY, now: NOW }
  return describeSlow(readSlowRequest(id, flags, NOW), { ledger, name: NAME, words }, view)
}

const EMPTY: Times = { steps: [], requests: [] }

t.test('names the cause first, then lists routes and steps by their share', async (t) => {
  t.equal(
    await print(slowShop(NOW), null),
    `1,312 requests since 2026-11-21 18:40:00 UTC (1 h ago), 354 s in all

Mend first: load pages/products/[id].server.ts:12 of /products/[id], 83 % of all time
  ! runs one after another: data/stock.ts:8 (425 ms), data/reviews.ts:21 (295 ms); start those together that do not need each other (Promise.all)

share  count     p50     p95     p99  route or step
 90 %    400  798 ms   1.2 s   1.3 s  /products/[id]
 83 %    400  735 ms   1.2 s   1.2 s    load pages/products/[id].server.ts:12
                                          ! runs one after another: data/stock.ts:8 (425 ms), data/reviews.ts:21 (295 ms); start those together that do not need each other (Promise.all)
 48 %    400  425 ms  671 ms  693 ms    perRequest data/stock.ts:8
                                          ! waits for a database, a service or a file
 33 %    400  295 ms  461 ms  475 ms    perRequest data/reviews.ts:21
                                          ! waits for a database, a service or a file
  2 %    400   19 ms   29 ms   30 ms    render
  1 %    400   12 ms   19 ms   20 ms    load pages/layout.server.ts:11
 <1 %    400  5.5 ms  8.6 ms  8.9 ms    guard pages/layout.server.ts:4
  8 %     12   2.3 s   3.6 s   3.7 s  /reports
                                        ! large document: 2.4 MB
                                        ! the page cache does not store it: pass: read
  5 %     12   1.4 s   2.3 s   2.4 s    load pages/reports.server.ts:31
                                          ! returns much data: 1.2 MB each time
                                          ! computes, and blocks the event loop: 1.4 s each time on average, 16.8 s in all
  2 %     12  715 ms   1.1 s   1.1 s    render
  2 %    900  7.5 ms   13 ms   14 ms  /
 <1 %     90  4.9 ms  8.5 ms  8.8 ms    store get
 <1 %    900  0.3 ms  0.4 ms  0.4 ms    cache
 <1 %      3   72 ms  417 ms  419 ms  (of no known step)
                                        ! a timer, a hook, or a step after an await blocked the event loop: 560 ms in all, up to 420 ms at a time

share: of the time of all requests. Steps that run at the same time, or inside others, add up to more than 100 %. p50 to p99 are exact to a quarter.

Slowest requests
  8MZ2K0QV-9  3.9 s  30 min ago  200  GET /reports
  8MZ2K0QV-3  1.3 s  4 min ago   200  GET /products/7  of /products/[id]

Ledger: /site/ledger.db
One request: hydrant slow 8MZ2K0QV-9 ./my-site`,
  )
})

t.test('names several routes, and what is in no step', async (t) => {
  const guard = (route: string) => timesOf(route, 'guard', 'pages/layout.server.ts:4', [90])
  const whole = (route: string) => timesOf(route, 'request', '', [100])
  const routes = ['/a', '/b', '/c']
  const guarded = await print({ ...EMPTY, steps: [...routes.map(guard), ...routes.map(whole)] }, null)
  t.match(
    guarded,
    'Mend first: guard pages/layout.server.ts:4 of /a and 2 more routes, 90 % of all time\n  ! slow guard',
  )
  const api = await print({ ...EMPTY, steps: [whole('/api/:id')] }, null)
  t.match(
    api,
    /^1 request since .*\n\nMend first: what is in no step of \/api\/:id, 100 % of all time\n {2}! 100 % of its/,
  )
  const loop = await print({ ...EMPTY, steps: [timesOf('', 'loop', '', [900]), whole('/a')] }, null)
  t.notMatch(loop, 'Mend first: code of no known step', 'a short block is nothing to mend')
  const long = await print({ ...EMPTY, steps: [timesOf('', 'loop', '', [900, 900]), whole('/a')] }, null)
  t.match(long, '\nMend first: code of no known step, 1800 % of all time\n')
})

t.test('shows one request as a timeline', async (t) => {
  t.equal(
    await print(slowShop(NOW), '8mz2k0qv-9', { width: 100 }),
    `GET /reports: 3.9 s
  ! large document: 2.4 MB
  ! the page cache does not store it: pass: read

  route       /reports
  request id  8MZ2K0QV-9
  time        2026-11-21 19:13:28 UTC (30 min ago)
  status      200
  size        2.4 MB
  page cache  pass: read
  release     v42

 start    took  0 to 3.9 s                    step
1.0 ms  1.0 ms  █···························  cache
2.0 ms   2.6 s  ███████████████████·········  load pages/reports.server.ts:31
                                                1.2 MB, blocked 1.4 s
                                                ! returns much data: 1.2 MB each time
                                                ! computes, and blocks the event loop: 1.4 s in all
 2.6 s   1.2 s  ···················████████·  render
                                                2.4 MB, blocked 1.1 s
                                                ! rendering takes the time: 2.4 MB of HTML
                                                ! blocks the event loop: 1.1 s in all`,
  )
  const bare = await print({ ...EMPTY, requests: [requestOf('A-1', { route: '/api/:id' })] }, 'A-1')
  t.match(bare, '\n\nNo step of it was measured: ')
  const late = requestOf('A-1', { durationMs: 10, steps: [stepOf('deferred', 'data.reviews', 12, 90)] })
  t.match(await print({ ...EMPTY, requests: [late] }, 'A-1', { width: 80 }), / {2}·{20,}█ {2}deferred data\.reviews$/m)
})

t.test('no line is wider than the terminal', async (t) => {
  const wide = (text: string) => text.split('\n').filter((line) => line.length > 80 && !line.startsWith('Mend first'))
  t.strictSame(wide(await print(slowShop(NOW), null, { width: 80 })), [])
  const one = await print(slowShop(NOW), '8MZ2K0QV-3', { width: 80 })
  t.strictSame(wide(one), [])
  const narrow = await print(slowShop(NOW), '8MZ2K0QV-3', { width: 66 })
  t.match(narrow, 'load …products/[id].server.ts:12\n', 'the line number stays')
})

t.test('lists one route, and says when there are more', async (t) => {
  const shop = slowShop(NOW)
  const one = await print(shop, null, { flags: { route: '/reports' } })
  t.notMatch(one, '/products')
  t.match(one, '  8 %     12   2.3 s')
  t.match(one, '1,312 requests since')
  const limited = await print(shop, null, { flags: { limit: '2' } })
  t.match(limited, '2 more routes; --limit 4 shows more. Ledger: ')
  t.notMatch(limited, /^ .* \/$/m)
  t.notMatch(await print(shop, null, { flags: { limit: '4' } }), '--limit')
  const { slowest, routes, moreRoutes } = JSON.parse(await print(shop, null, { flags: { limit: '1', json: true } }))
  t.strictSame([slowest.length, routes.length, moreRoutes], [1, 1, 3])
})

t.test('says why there is nothing, and what to do', async (t) => {
  t.equal(
    await print(EMPTY, null),
    'No request was measured since 2026-11-21 18:40:00 UTC. Ledger: /site/ledger.db\n'.replace(
      'UTC.',
      'UTC (1 h ago).',
    ) +
      'Visit a page of the site: "hydrant start" writes times every 30 s, unless "admin" is false; an app does with "hydrant.admin" only. --since 24h goes back a day, and no further.',
  )
  t.match(
    await print(slowShop(NOW), null, { flags: { route: '/reprots' } }),
    /^No request of \/reprots was measured since /,
  )
  t.match(await print(slowShop(NOW), null, { at: NOW - 90 * MINUTE }), /^No request was measured/)
  t.match(await print(slowShop(NOW), null, { at: NOW - 90 * MINUTE, flags: { since: '2h' } }), /^1,312 requests/)
  await t.rejects(print(slowShop(NOW), '8MZ2K0QV-4'), {
    code: 'HYD_REQUEST_UNKNOWN',
    message: 'the ledger /site/ledger.db has no times of the request 8MZ2K0QV-4',
  })
})

t.test('a list begins with the first times that the ledger still has', async (t) => {
  const list = await print(slowShop(NOW), null, { at: NOW, flags: { since: '24h' } })
  t.match(list, /^1,312 requests since 2026-11-21 19:40:00 UTC \(3 min ago\)/)
  const json = await print(slowShop(NOW), null, { at: NOW, flags: { since: '1m', json: true } })
  t.match(JSON.parse(json), { since: '2026-11-21T19:40:00.000Z' })
})

t.test('prints JSON', async (t) => {
  const list = JSON.parse(await print(slowShop(NOW), null, { flags: { json: true } }))
  t.match(list, {
    since: '2026-11-21T18:40:00.000Z',
    requests: 1_312,
    first: { kind: 'load', subject: 'pages/products/[id].server.ts:12', routes: ['/products/[id]'] },
    routes: [{ route: '/products/[id]', kind: 'request', count: 400, steps: [{ kind: 'load', count: 400 }] }],
    slowest: [{ id: '8MZ2K0QV-9', time: '2026-11-21T19:13:28.000Z' }],
  })
  const empty = JSON.parse(await print(EMPTY, null, { flags: { json: true } }))
  t.match(empty, { requests: 0, first: null, routes: [], slowest: [] })
  const one = JSON.parse(await print(slowShop(NOW), '8MZ2K0QV-3', { flags: { json: true } }))
  t.match(one, {
    id: '8MZ2K0QV-3',
    time: '2026-11-21T19:39:28.000Z',
    steps: [{ kind: 'guard', startMs: 1, hints: [] }],
  })
})

const HOSTILE = 'a\u001b[2J\u001b]0;owned\u0007 b\r\u009b31m\u0000\u202e c\nMend first: forged'
const OBEYED = /[\p{Cc}\u202e]/u

t.test('no text of a request controls the terminal', async (t) => {
  const steps = [stepOf('perRequest', HOSTILE, 0, 500), stepOf('load', HOSTILE, 0, 500, { blockedMs: 400 })]
  const texts: Partial<SlowRequest> = {
    route: HOSTILE,
    method: HOSTILE,
    path: HOSTILE,
    release: HOSTILE,
    cache: HOSTILE,
  }
  const times: Times = {
    steps: [timesOf(HOSTILE, 'request', '', [900]), timesOf(HOSTILE, 'load', HOSTILE, [800])],
    requests: [requestOf(HOSTILE, { ...texts, cache: `pass: ${HOSTILE}`, steps })],
  }
  const unknown = await print(times, `${HOSTILE}2`).catch(({ message }: Error) => message)
  t.match(unknown, 'has no times of the request a\\x1b[2J')
  t.notMatch(unknown, OBEYED)
  for (const id of [null, HOSTILE]) {
    for (const json of [false, true]) {
      const text = await print(times, id, { flags: { json } })
      t.notMatch(text.replaceAll('\n', ''), OBEYED, `${id} ${json}`)
      t.equal(text.match(/^Mend first/gm)?.length ?? 0, id === null && !json ? 1 : 0)
    }
  }
})

t.test('names a command that reads the slowest request, whatever its id is', async (t) => {
  const steps = [timesOf('/a', 'request', '', [900])]
  for (const [id, words, command] of [
    ['edge/7 1', ' ./my-site', "'edge/7 1' ./my-site"],
    ['-rf', ' ./my-site', '-- -rf ./my-site'],
    ['--json', ' --ledger x.db', '--ledger x.db -- --json'],
    ['--json', '', '-- --json'],
  ] as const) {
    const list = await print({ steps, requests: [requestOf(id)] }, null, { words, at: NOW })
    t.equal(list.split('\n').at(-1), `One request: hydrant slow ${command}`)
  }
})

t.test('has colors only if they are wanted', async (t) => {
  const color = '\u001b['
  for (const id of [null, '8MZ2K0QV-3']) {
    t.notOk((await print(slowShop(NOW), id)).includes(color))
    t.ok((await print(slowShop(NOW), id, { hasColors: true })).includes(color))
  }
})

const isFolder = (word: string) => ['.', './my-site', 'shop'].includes(word)

t.test('distinguishes the id of a request from a folder', async (t) => {
  const cases: [string[], unknown][] = [
    [[], { id: null, dir: '.' }],
    [['./my-site'], { id: null, dir: './my-site' }],
    [['shop'], { id: null, dir: 'shop' }],
    [['8MZ2K0QV-3'], { id: '8MZ2K0QV-3', dir: '.' }],
    [['req-1', 'shop'], { id: 'req-1', dir: 'shop' }],
    [['edge/7\\1', 'shop'], { id: 'edge/7\\1', dir: 'shop' }],
    [['./my-sit'], { id: './my-sit', dir: '.' }],
    [['--since', 'shop'], { id: '--since', dir: 'shop' }],
    [['shop', './my-site'], { id: 'shop', dir: './my-site' }],
  ]
  const failing = await findFailing(
    cases,
    ([words]) => readSlowWords(words, isFolder),
    ([, expected]) => expected,
  )
  t.strictSame(failing, [])
  t.throws(() => readSlowWords(['req-1', 'shp'], isFolder), { code: 'HYD_CLI_DIR', message: '"shp" is not a folder' })
  t.throws(() => readSlowWords(['req-1', 'shop', 'x'], isFolder), { code: 'HYD_CLI_USAGE' })
})

t.test('refuses flags with invalid values', async (t) => {
  const refuse = (flags: SlowFlags, message: string, id: string | null = null) =>
    t.throws(() => readSlowRequest(id, flags, NOW), { code: 'HYD_CLI_USAGE', message }, message)
  const expected = '--since must be like 10m, 1h or 2026-11-21T19:00:00Z, and at most 24 hours ago; got'
  refuse({ since: '25h' }, `${expected} "25h"`)
  refuse({ since: '7d' }, `${expected} "7d"`)
  refuse({ since: 'monday' }, `${expected} "monday"`)
  refuse({ since: '2026-11-20' }, `${expected} "2026-11-20"`)
  refuse({ limit: '0' }, '--limit must be a whole number from 1 to 10000; got "0"')
  refuse({ since: '1h' }, '--since applies to the list; leave out either --since or the id', 'req-1')
  refuse({ route: '/a' }, '--route applies to the list; leave out either --route or the id', 'req-1')
  t.match(readSlowRequest(null, { since: '24h' }, NOW), {
    kind: 'list',
    query: { since: NOW - 1_440 * MINUTE, limit: 10 },
  })
  t.match(readSlowRequest(null, {}, NOW), { kind: 'list', query: { since: NOW - 60 * MINUTE } })
  t.strictSame(readSlowRequest('req-1', { json: true }, NOW), { kind: 'one', isJson: true, id: 'req-1' })
})
