import t from 'tap'
import { describeErrors, readRequest } from '../../scripts/commands/errors.ts'
import { createPaint } from '../../scripts/terminal/text.ts'
import type { FailureRecord, KeptError } from '../../src/server/errors/failure-record.ts'
import type { Ledger } from '../../src/server/ledger/ledger.ts'
import { parseDigest } from '../../src/shared/wire/digest-format.ts'
import { DAY, ERROR, failure, frame, HOUR, ledgerOf, MINUTE, NOW } from './failed-ledger.ts'

const NAME = '/site/ledger.db'

interface Asked {
  flags?: Parameters<typeof readRequest>[1]
  width?: number
  hasColors?: boolean
}

/** Returns the output for a ledger. Without a digest it is the list. */
async function print(ledger: Ledger, digest: string | null, { flags = {}, width, hasColors = false }: Asked = {}) {
  const request = readRequest(digest === null ? null : parseDigest(digest), flags, NOW)
  const view = { paint: createPaint(hasColors), width: width ?? Number.POSITIVE_INFINITY, now: NOW }
  return describeErrors(request, { ledger, name: NAME, words: ' ./my-site' }, view)
}

const ofError = (error: Partial<KeptError>, parts: Partial<FailureRecord> = {}) =>
  failure({ error: { ...ERROR, ...error }, ...parts })

t.test('lists failures, last seen first', async (t) => {
  const ledger = await ledgerOf(
    failure(),
    failure({ digest: '7F3KQ2M9-000002', time: NOW - 2 * MINUTE }),
    ofError(
      { type: 'Error', message: 'gone', stack: [] },
      { fingerprint: 'AAAAAAAA', side: 'client', time: NOW - 5 * HOUR },
    ),
  )
  t.equal(
    await print(ledger, null),
    [
      'fingerprint  side    count  last seen  source                           message',
      '7F3KQ2M9     server      2  2 min ago  pages/products/[id].server.ts:9  TypeError: cannot read price of product 7',
      'AAAAAAAA     client      1  5 h ago    –                                Error: gone',
      '',
      '2 failures, seen 3 times. Ledger: /site/ledger.db',
      'Details of one: hydrant errors 7F3KQ2M9 ./my-site',
    ].join('\n'),
  )
})

t.test('lists the selected failures, and says when there are more', async (t) => {
  const ledger = await ledgerOf(
    failure({ fingerprint: 'AAAAAAAA', time: NOW - MINUTE, route: '/a' }),
    failure({ fingerprint: 'BBBBBBBB', time: NOW - DAY, side: 'client' }),
    failure({ fingerprint: 'CCCCCCCC', time: NOW - 9 * DAY }),
  )
  await ledger.setSolved('AAAAAAAA', NOW)
  const fingerprints = async (flags: Asked['flags']) =>
    [...(await print(ledger, null, { flags: { ...flags } })).matchAll(/^([A-C]{8}) /gm)]
      .map(([, fingerprint]) => fingerprint?.[0])
      .join('')
  t.equal(await fingerprints({}), 'ABC')
  t.equal(await fingerprints({ since: '2d' }), 'AB')
  t.equal(await fingerprints({ side: 'client' }), 'B')
  t.equal(await fingerprints({ route: '/a' }), 'A')
  t.equal(await fingerprints({ open: true }), 'BC')
  t.equal(await fingerprints({ limit: '2' }), 'AB')
  t.match(await print(ledger, null), /^AAAAAAAA .*solved: TypeError/m)
  t.match(await print(ledger, null, { flags: { limit: '2' } }), '2 failures, seen 2 times, last seen first; --limit 4')
  t.notMatch(await print(ledger, null, { flags: { limit: '3' } }), '--limit')
  t.match(await print(ledger, null, { flags: { since: '2d' } }), '2 failures, seen 2 times in total.')
  const notes: string[] = []
  for (const limit of ['2', '3']) {
    const request = readRequest(null, { limit, json: true }, NOW)
    const view = { paint: createPaint(false), width: Number.POSITIVE_INFINITY, now: NOW }
    await describeErrors(request, { ledger, name: NAME, words: '' }, view, (text) => notes.push(text))
  }
  t.strictSame(notes, ['Only 2 failures are shown; --limit 4 shows more.'])
})

t.test('says that nothing has failed, and who says so', async (t) => {
  t.equal(await print(await ledgerOf(), null), 'Nothing has failed yet. Ledger: /site/ledger.db')
  const ledger = await ledgerOf(failure())
  const flags = { side: 'client' }
  t.equal(await print(ledger, null, { flags }), 'No failure matches. Ledger: /site/ledger.db')
  t.equal(await print(ledger, null, { flags: { ...flags, json: true } }), '[]')
})

t.test('cuts messages to the width of a terminal, including wide characters', async (t) => {
  const ledger = await ledgerOf(ofError({ message: '価格を読み込めません'.repeat(20) }))
  const [, row = ''] = (await print(ledger, null, { width: 100 })).split('\n')
  const wide = [...row].filter((letter) => letter > '\u2fff').length
  t.ok(row.endsWith('…'))
  t.ok([...row].length + wide <= 100 && [...row].length + wide >= 98, `${[...row].length} and ${wide}`)
})

const HOSTILE = 'a\u001b[2J\u001b]0;owned\u0007 b\r\u009b31m\u0000\u202e c\nError: forged'
const OBEYED = /[\p{Cc}\u202e]/u

t.test('no text of a failure controls the terminal', async (t) => {
  const hostile = frame(`pages/${HOSTILE}.tsx`, 1, {
    function: HOSTILE,
    code: { firstLine: 1, lines: [HOSTILE] },
    unmapped: HOSTILE,
  })
  const inner = { type: HOSTILE, message: HOSTILE, stack: [hostile] }
  const ledger = await ledgerOf(
    failure({
      error: { ...inner, cause: inner, errors: [inner] },
      message: `${HOSTILE} once`,
      ...{ path: HOSTILE, host: HOSTILE, requestId: HOSTILE, release: HOSTILE, route: HOSTILE, pending: [HOSTILE] },
    }),
    failure({ digest: '7F3KQ2M9-000002', path: HOSTILE, host: HOSTILE, time: NOW }),
  )
  for (const digest of [null, '7F3KQ2M9', '7F3KQ2M9-K4D2P1']) {
    const text = await print(ledger, digest)
    t.notMatch(text.replaceAll('\n', ''), OBEYED, String(digest))
  }
  const list = (await print(ledger, null)).split('\n')
  t.equal(list.length, 5, 'no line is forged')
  t.notMatch(await print(ledger, '7F3KQ2M9'), /^Error: forged/m)
  const json = await print(ledger, '7F3KQ2M9', { flags: { json: true } })
  t.notMatch(json.replaceAll('\n', ''), OBEYED, 'JSON')
  t.equal(JSON.parse(json).occurrences.at(-1).message, `${HOSTILE} once`)
})

t.test('shows one failure with the requested occurrence', async (t) => {
  const ledger = await ledgerOf(
    failure({ time: NOW - DAY, release: 'v0', digest: '7F3KQ2M9-000001' }),
    failure({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }),
    failure({ time: NOW, digest: '7F3KQ2M9-000003', message: 'cannot read price of product 8', statusSent: null }),
  )
  t.equal(
    await print(ledger, '7f3kq2m9 k4d2p1'),
    `TypeError: cannot read price of product 7

  fingerprint  7F3KQ2M9
  side         server, load
  seen         3 times
  first seen   2026-11-20 19:43:28 UTC (1 day ago)
  last seen    2026-11-21 19:43:28 UTC (just now)
  releases     v0 to v1

This occurrence: 7F3KQ2M9-K4D2P1
  time        2026-11-21 19:40:28 UTC (3 min ago)
  route       /products/[id]
  request     GET /products/7 on shop.example
  request id  req-1
  trace       4bf92f3577b34da6a3ce929d0e0e4736, span 00f067aa0ba902b7
  user agent  browser
  status      500
  release     v1

load (pages/products/[id].server.ts:9:10)
     7 | export async function load({ params }) {
     8 |   const product = find(params.id)
  >  9 |   return product.price
       |          ^
    10 | }

Stack
  at load (pages/products/[id].server.ts:9:10)
  at call (/app/node_modules/some/index.js:12:10)

Other occurrences
  7F3KQ2M9-000003  2026-11-21 19:43:28 UTC (just now)   –    GET /products/7  shop.example
  7F3KQ2M9-000001  2026-11-20 19:43:28 UTC (1 day ago)  500  GET /products/7  shop.example`,
  )
})

t.test('shows the last occurrence for a first half', async (t) => {
  const ledger = await ledgerOf(
    failure(),
    failure({ time: NOW, digest: '7F3KQ2M9-000003', message: 'cannot read price of product 8', isRecovered: true }),
  )
  const text = await print(ledger, '7F3KQ2M9')
  t.match(text, /^Last occurrence: 7F3KQ2M9-000003$/m)
  t.match(text, /^ {2}message +cannot read price of product 8$/m)
  t.match(text, /^ {2}recovered +the browser showed the page anyway$/m)
})

t.test('says when the requested occurrence is no longer kept', async (t) => {
  const text = await print(await ledgerOf(failure()), '7F3KQ2M9-ZZZZZZ')
  t.match(
    text,
    /^The occurrence 7F3KQ2M9-ZZZZZZ is no longer kept, or has never been\. What follows is what is known of the failure\.$/m,
  )
  t.match(text, /^ {2}7F3KQ2M9-K4D2P1 /m)
})

t.test('shows the cause of an error, and the errors of an AggregateError', async (t) => {
  const stack = [frame('lib/db.ts', 3, { function: 'query' })]
  const cause = { type: 'Error', message: 'refused', stack, cause: { type: 'Error', message: 'no route', stack: [] } }
  const errors = [
    { type: 'Error', message: 'first', stack },
    { type: 'RangeError', message: 'second', stack: [] },
  ]
  const text = await print(await ledgerOf(ofError({ cause, errors })), '7F3KQ2M9')
  t.match(
    text,
    `
Caused by: Error: refused
  at query (lib/db.ts:3:10)

Caused by: Error: no route

Error 1 of 2: Error: first
  at query (lib/db.ts:3:10)

Error 2 of 2: RangeError: second`,
  )
})

t.test('takes the source from an error’s cause if the error itself has no frame in the site', async (t) => {
  const cause = { type: 'Error', message: 'inner', stack: ERROR.stack }
  const ledger = await ledgerOf(ofError({ stack: [], cause }))
  t.match(await print(ledger, '7F3KQ2M9'), / {2}> {2}9 \| {3}return product\.price/)
  t.match(await print(ledger, null), 'pages/products/[id].server.ts:9')
})

t.test('says once why frames have no source', async (t) => {
  const unmapped = 'the source map of this script is missing'
  const stack = [
    frame('pages/a.tsx', 1),
    ...[1, 2].map((line) => frame('https://shop.example/react.js', line, { isSite: false, unmapped })),
    frame('https://shop.example/b.js', 1, { isSite: false, unmapped: 'no map' }),
  ]
  t.match(
    await print(await ledgerOf(ofError({ stack })), '7F3KQ2M9'),
    `
  at load (https://shop.example/react.js:1:10)
  at load (https://shop.example/react.js:2:10)
  at load (https://shop.example/b.js:1:10)
  2 frames are not in the source: the source map of this script is missing
  1 frame is not in the source: no map`,
  )
})

t.test('shows a failure outside any request, and one without a stack', async (t) => {
  const outside = {
    route: null,
    method: null,
    path: null,
    host: null,
    requestId: null,
    statusSent: null,
    userAgent: null,
  }
  const ledger = await ledgerOf(ofError({ stack: [] }, { phase: 'process', ...outside }))
  const text = await print(ledger, '7F3KQ2M9')
  t.match(text, 'server, process')
  t.match(text, 'No frame of its stack is in the site.')
  t.notMatch(text, /null|undefined| request /)
})

t.test('has colors when they are wanted, and the same text', async (t) => {
  const ledger = await ledgerOf(failure())
  for (const digest of [null, '7F3KQ2M9']) {
    const colored = await print(ledger, digest, { hasColors: true })
    t.match(colored, '\u001b[1m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are made of them
    t.equal(colored.replace(/\u001b\[\d+m/g, ''), await print(ledger, digest))
  }
  const other = await print(ledger, '7F3KQ2M9', { hasColors: true })
  t.match(
    other,
    '\u001b[2m  at call (/app/node_modules/some/index.js:12:10)\u001b[22m',
    'what is not of the site is dim',
  )
})

t.test('says that the place is only a function, a component or a page', async (t) => {
  const place = frame('pages/a.server.ts', 3)
  const noError = 'The thrown value is not an Error, so the place is only the'
  const noLine = 'The stack has no line of the site, so the place is only the'
  for (const [type, stack, note] of [
    ['string', { ...place, standIn: 'function' }, `${noError} function.`],
    ['undefined', { ...place, standIn: 'component' }, `${noError} component.`],
    ['Object', { ...place, standIn: 'page' }, `${noError} page.`],
    ['Error', { ...place, standIn: 'function' }, `${noLine} function.`],
    ['Error', { ...place, standIn: 'page', line: 0 }, `${noLine} page.`],
    ['Error', { ...place, standIn: 'function', line: 0 }, null],
    ['HydrantError', { ...place, standIn: 'function' }, null],
    ['string', place, null],
    ['Error', place, null],
  ] as const) {
    const lines = (await print(await ledgerOf(ofError({ type, stack: [stack] })), '7F3KQ2M9')).split('\n')
    t.equal(lines.find((line) => line.includes('the place is only')) ?? null, note, `${type} ${stack.line}`)
  }
})

t.test('names the nearest failures when a digest is unknown', async (t) => {
  const ledger = await ledgerOf(failure(), failure({ fingerprint: '7F3KQ2N8' }), failure({ fingerprint: 'ZZZZZZZZ' }))
  await t.rejects(print(ledger, '7F3KQ2M8-K4D2P1'), {
    code: 'HYD_DIGEST_UNKNOWN',
    message: 'the ledger /site/ledger.db has no failure 7F3KQ2M8; the nearest: 7F3KQ2M9, 7F3KQ2N8',
  })
  await t.rejects(print(ledger, 'AAAAAAAA'), { message: 'the ledger /site/ledger.db has no failure AAAAAAAA' })
})

t.test('prints one failure completely as JSON', async (t) => {
  const ledger = await ledgerOf(failure({ pending: ['data.reviews'] }))
  await ledger.setSolved('7F3KQ2M9', NOW)
  const { stack, ...json } = JSON.parse(await print(ledger, '7F3KQ2M9', { flags: { json: true } }))
  t.strictSame(stack, [
    { file: 'pages/products/[id].server.ts', line: 9, column: 10, function: 'load', isSite: true },
    { file: '/app/node_modules/some/index.js', line: 12, column: 10, function: 'call', isSite: false },
  ])
  t.strictSame(json, {
    ...{ fingerprint: '7F3KQ2M9', side: 'server', phase: 'load', type: 'TypeError', message: ERROR.message, count: 1 },
    firstSeen: '2026-11-21T19:40:28.000Z',
    lastSeen: '2026-11-21T19:40:28.000Z',
    ...{ firstRelease: 'v1', lastRelease: 'v1', route: '/products/[id]', solvedAt: '2026-11-21T19:43:28.000Z' },
    source: {
      ...{ file: 'pages/products/[id].server.ts', line: 9, column: 10, function: 'load' },
      code: ERROR.stack[0]?.code,
    },
    note: null,
    causes: [],
    errors: [],
    occurrences: [
      {
        ...{ digest: '7F3KQ2M9-K4D2P1', phase: 'load', message: ERROR.message, route: '/products/[id]', method: 'GET' },
        ...{ path: '/products/7', host: 'shop.example', requestId: 'req-1', release: 'v1', userAgent: 'browser' },
        ...{ statusSent: 500, isRecovered: false, pending: ['data.reviews'], time: '2026-11-21T19:40:28.000Z' },
      },
    ],
  })
})

t.test('prints a chain of causes as JSON, each once', async (t) => {
  const inner = { type: 'Error', message: 'no route', stack: [] }
  const cause = { type: 'Error', message: 'refused', stack: [], cause: inner }
  const ledger = await ledgerOf(ofError({ cause, errors: [cause] }))
  const { causes, errors } = JSON.parse(await print(ledger, '7F3KQ2M9', { flags: { json: true } }))
  t.strictSame(causes, [{ type: 'Error', message: 'refused', stack: [] }, inner])
  t.strictSame(errors, [cause])
})

t.test('prints a list as JSON, without stacks and occurrences', async (t) => {
  const [one, ...others] = JSON.parse(await print(await ledgerOf(failure()), null, { flags: { json: true } }))
  t.strictSame(others, [])
  t.strictSame(Object.keys(one), [
    ...[
      'fingerprint',
      'side',
      'phase',
      'type',
      'message',
      'count',
      'firstSeen',
      'lastSeen',
      'firstRelease',
      'lastRelease',
    ],
    ...['route', 'solvedAt', 'source'],
  ])
  t.strictSame(one.source, { file: 'pages/products/[id].server.ts', line: 9, column: 10, function: 'load', code: null })
})
