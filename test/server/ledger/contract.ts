// The contract of every ledger, whatever its storage.

import type { Test } from 'tap'
import { hourOf } from '../../../src/server/ledger/entries.ts'
import type { Ledger } from '../../../src/server/ledger/ledger.ts'
import type { Side } from '../../../src/shared/wire/public-error.ts'
import { testOrders, testReleases } from './contract-lists.ts'
import { testTimes } from './contract-times.ts'
import { type CreateLedger, entry, entryOfAll, HOUR_MS, LIMITS, NOW, name } from './entries.ts'

export function testLedger(t: Test, createLedger: CreateLedger) {
  testReading(t, createLedger)
  testLists(t, createLedger)
  testOrders(t, createLedger)
  testReleases(t, createLedger)
  testSolving(t, createLedger)
  testBuilds(t, createLedger)
  testLimits(t, createLedger)
  testTimes(t, createLedger)
}

function testReading(t: Test, createLedger: CreateLedger) {
  t.test('an empty ledger returns nothing', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    t.strictSame(await ledger.list({}), [])
    t.equal(await ledger.read('AAAAAAAA'), null)
    t.strictSame(await ledger.fingerprints(), [])
    t.strictSame(await ledger.releases(), [])
    t.strictSame(await ledger.hours(0), [])
    t.equal(await ledger.markRecovered('AAAAAAAA-000001'), false)
    t.equal(await ledger.setSolved('AAAAAAAA', NOW), false)
    t.match(await ledger.stats(), { failures: 0, occurrences: 0 })
    t.match(await ledger.record([]), /^(?:stored|memory)$/)
    t.strictSame(await ledger.fingerprints(), [])
  })

  t.test('returns a failure as it was written', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const origin = { build: 'b1', replica: 'web-1', worker: '2', pid: 4711 }
    const kept = entry({ pending: ['data.reviews'], ...origin })
    await ledger.record([kept])
    const summary = {
      ...{
        fingerprint: 'AAAAAAAA',
        side: 'server',
        phase: 'load',
        type: 'TypeError',
        message: 'no price for 7',
        count: 1,
      },
      ...{ firstSeen: NOW, lastSeen: NOW, firstRelease: 'r1', lastRelease: 'r1', route: '/products/[id]' },
      source: { file: 'pages/products/[id].server.ts', line: 8, column: 52, function: 'load', isSite: true },
      solvedAt: null,
    }
    t.strictSame(await ledger.list({}), [summary])
    t.strictSame(await ledger.read('AAAAAAAA'), { ...summary, error: kept.error, occurrences: kept.occurrences })
    t.strictSame(await ledger.fingerprints(), ['AAAAAAAA'])
    t.match(await ledger.stats(), { failures: 1, occurrences: 1, bytes: Number })
  })

  t.test('returns values that are difficult to store', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const hostile = '\0 \\u0000 \\ \' " ; DROP TABLE failures -- $1 @fingerprint ü 💧 \u2028 %_'
    const kept = entry({ message: hostile, path: hostile, route: null, method: null, statusSent: null })
    await ledger.record([kept])
    const found = await ledger.read('AAAAAAAA')
    t.strictSame(found?.error, kept.error)
    t.strictSame(found?.occurrences, kept.occurrences)
    t.equal(found?.route, null)
    t.equal((await ledger.list({ search: 'drop table FAILURES' })).length, 1)
    // A lone surrogate cannot be written as UTF-8. It must not keep the rest from being written.
    await ledger.record([entry({ fingerprint: 'BBBBBBBB', message: 'half \ud83d of one', requestId: '\udca7' })])
    t.match(await ledger.read('BBBBBBBB'), { message: /^half .+ of one$/ })
  })

  t.test('adds up repeated occurrences, and keeps the last error', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([entry({ time: NOW }), entry({ fingerprint: 'BBBBBBBB', time: NOW + 5 })])
    const again = {
      time: NOW + HOUR_MS,
      message: 'no price for 8',
      release: 'r2',
      route: '/offers',
      phase: 'render',
    } as const
    await ledger.record([
      entryOfAll([
        { ...again, digest: 'AAAAAAAA-000002' },
        { ...again, digest: 'AAAAAAAA-000003', time: NOW + HOUR_MS + 1 },
      ]),
    ])
    const found = await ledger.read('AAAAAAAA')
    t.match(found, {
      ...{ count: 3, firstSeen: NOW, lastSeen: NOW + HOUR_MS + 1, firstRelease: 'r1', lastRelease: 'r2' },
      ...{ message: 'no price for 8', route: '/offers', phase: 'render', error: { message: 'no price for 8' } },
    })
    const digests = found?.occurrences.map(({ digest }) => digest)
    t.strictSame(digests, ['AAAAAAAA-000003', 'AAAAAAAA-000002', 'AAAAAAAA-000001'], 'newest first')
    t.equal((await ledger.read('BBBBBBBB'))?.count, 1)
    t.strictSame((await ledger.fingerprints()).sort(), ['AAAAAAAA', 'BBBBBBBB'])
  })

  t.test('counts the occurrences of a batch that are not kept', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([{ ...entry(), count: 500, hours: { [hourOf(NOW)]: 400, [hourOf(NOW) + 1]: 100 } }])
    await ledger.record([entry()])
    t.equal((await ledger.read('AAAAAAAA'))?.count, 501)
    t.strictSame(await ledger.hours(hourOf(NOW) + 1), [{ fingerprint: 'AAAAAAAA', hour: hourOf(NOW) + 1, count: 100 }])
    const all = (await ledger.hours(0)).sort((a, b) => a.hour - b.hour)
    t.strictSame(
      all.map(({ count }) => count),
      [401, 100],
    )
  })

  t.test('keeps an error without a position, and the route of an earlier occurrence', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([entry()])
    const error = { type: 'string', message: 'x', stack: [] }
    await ledger.record([entry({ route: null, phase: 'process', time: NOW + 1, error })])
    t.match(await ledger.read('AAAAAAAA'), { route: '/products/[id]', phase: 'process', source: null, error })
  })

  t.test('reads as many occurrences as requested, with the requested one first', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const times = Array.from({ length: 60 }, (_, index) => ({
      digest: `AAAAAAAA-${name(index, 6)}`,
      time: NOW + index,
    }))
    await ledger.record([entryOfAll(times)])
    t.equal((await ledger.read('AAAAAAAA'))?.occurrences.length, 50)
    const found = await ledger.read('AAAAAAAA', { limit: 3, occurrence: '000007' })
    const digests = found?.occurrences.map(({ digest }) => digest)
    t.strictSame(digests, ['AAAAAAAA-000007', 'AAAAAAAA-000059', 'AAAAAAAA-000058'])
    const none = await ledger.read('AAAAAAAA', { limit: 1, occurrence: 'ZZZZZZ' })
    t.equal(none?.occurrences[0]?.digest, 'AAAAAAAA-000059', 'one that is not kept changes nothing')
  })

  t.test('marks an occurrence as recovered', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([entryOfAll([{ digest: 'AAAAAAAA-000001' }, { digest: 'AAAAAAAA-000002', time: NOW + 1 }])])
    t.equal(await ledger.markRecovered('AAAAAAAA-000001'), true)
    t.equal(await ledger.markRecovered('AAAAAAAA-000009'), false)
    const marks = (await ledger.read('AAAAAAAA'))?.occurrences.map(({ isRecovered }) => isRecovered)
    t.strictSame(marks, [false, true])
  })
}

function testLists(t: Test, createLedger: CreateLedger) {
  t.test('lists failures last seen first, and applies the filters', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([
      entry({ fingerprint: 'CCCCCCCC', time: NOW + 2, side: 'client', route: '/cart' }),
      entryOfAll([
        { fingerprint: 'AAAAAAAA', time: NOW - 5, route: '/old' },
        { fingerprint: 'AAAAAAAA', time: NOW + 3, route: '/new' },
      ]),
      entry({ fingerprint: 'BBBBBBBB', time: NOW + 1, message: 'Straße 100% taken' }),
    ])
    await ledger.setSolved('BBBBBBBB', NOW + 9)
    const found = async (query: Parameters<Ledger['list']>[0]) =>
      (await ledger.list(query)).map(({ fingerprint }) => fingerprint[0]).join('')
    t.equal(await found({}), 'ACB')
    t.equal(await found({ limit: 2 }), 'AC')
    t.equal(await found({ since: NOW + 2 }), 'AC', 'that very time is among them')
    t.equal(await found({ side: 'client' }), 'C')
    t.equal(await found({ route: '/old' }), 'A', 'the route of an earlier occurrence')
    t.equal(await found({ route: '/old', side: 'client' }), '')
    t.equal(await found({ isSolved: true }), 'B')
    t.equal(await found({ isSolved: false }), 'AC')
    t.equal(await found({ search: 'STRASSE' }), '')
    t.equal(await found({ search: 'STRAßE 100%' }), 'B')
    t.equal(await found({ search: '1__%' }), '', 'nothing in it is a pattern')
    t.equal(await found({ search: 'cccccc' }), 'C', 'by name')
    t.equal(await found({ search: 'typeerror' }), 'ACB', 'by type')
    t.equal(await found({ search: '[ID].server.ts:8 load' }), 'ACB', 'by place')
    t.equal(await found({ search: 'typeerror', since: NOW + 1, isSolved: false, limit: 1 }), 'A')
  })
}

function testSolving(t: Test, createLedger: CreateLedger) {
  t.test(
    'a solved failure stays solved in a release that was seen before, and is open again in a later release',
    async (t) => {
      const ledger = await createLedger(t, LIMITS)
      await ledger.record([entry({ time: NOW }), entry({ fingerprint: 'BBBBBBBB', time: NOW + 1, release: 'r2' })])
      t.equal(await ledger.setSolved('AAAAAAAA', NOW + 10), true)
      const solvedAt = async () => (await ledger.read('AAAAAAAA'))?.solvedAt
      t.equal(await solvedAt(), NOW + 10)
      await ledger.record([entry({ time: NOW + 20 })])
      t.equal(await solvedAt(), NOW + 10, 'a replica that runs the old release')
      await ledger.record([entry({ time: NOW + 21, release: 'r2' })])
      t.equal(await solvedAt(), NOW + 10, 'a release that another failure has made known before')
      await ledger.record([entry({ time: NOW + 22, release: 'r3' })])
      t.equal(await solvedAt(), null, 'a new release')
      await ledger.setSolved('AAAAAAAA', NOW + 30)
      await ledger.record([entryOfAll([{ time: NOW + 31 }, { time: NOW + 32, release: 'r4' }])])
      t.equal(await solvedAt(), null, 'a new release among occurrences of an old one')
      await ledger.setSolved('AAAAAAAA', NOW + 40)
      t.equal((await ledger.list({ isSolved: true })).length, 1)
      await ledger.setSolved('AAAAAAAA', null)
      t.equal(await solvedAt(), null)
    },
  )
}

function testBuilds(t: Test, createLedger: CreateLedger) {
  t.test('a solved failure is open again if it occurs in a new build of the same release', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    await ledger.record([entry({ build: 'b1' })])
    await ledger.setSolved('AAAAAAAA', NOW + 10)
    const solvedAt = async () => (await ledger.read('AAAAAAAA'))?.solvedAt
    await ledger.record([entry({ time: NOW + 20, build: 'b1' })])
    t.equal(await solvedAt(), NOW + 10, 'a replica that has the old build')
    await ledger.record([entry({ time: NOW + 21, release: 'b1', build: 'b1' })])
    t.equal(await solvedAt(), NOW + 10, 'a page of the old build, whose release is not known')
    await ledger.record([entry({ time: NOW + 22 })])
    t.equal(await solvedAt(), NOW + 10, 'one whose build is not known')
    await ledger.record([entry({ time: NOW + 23, build: 'b2' })])
    t.equal(await solvedAt(), null, 'the new build')
    await ledger.setSolved('AAAAAAAA', NOW + 30)
    await ledger.record([
      entryOfAll([
        { time: NOW + 31, build: 'b2' },
        { time: NOW + 32, build: 'b3' },
      ]),
    ])
    t.equal(await solvedAt(), null, 'a new build among occurrences of an old one')
  })

  t.test('remembers a build for as long as it has failures', async (t) => {
    const ledger = await createLedger(t, { ...LIMITS, maxAgeMs: 24 * HOUR_MS })
    await ledger.record([entry({ time: NOW - 48 * HOUR_MS, build: 'b1' })])
    await ledger.record([entry({ build: 'b1' })])
    await ledger.record([])
    await ledger.setSolved('AAAAAAAA', NOW + 1)
    await ledger.record([entry({ time: NOW + 2, build: 'b1' })])
    t.equal((await ledger.read('AAAAAAAA'))?.solvedAt, NOW + 1)
  })
}

function testLimits(t: Test, createLedger: CreateLedger) {
  t.test('keeps the failures last seen', async (t) => {
    const ledger = await createLedger(t, { ...LIMITS, maxFailures: 3 })
    for (const number of [1, 2, 3]) await ledger.record([entry({ fingerprint: name(number), time: NOW + number })])
    await ledger.record([entry({ fingerprint: name(1), time: NOW + 9 })])
    await ledger.record([4, 5].map((number) => entry({ fingerprint: name(number), time: NOW + 10 + number })))
    t.strictSame(
      (await ledger.fingerprints()).sort(),
      [1, 4, 5].map((number) => name(number)),
    )
    t.match(await ledger.stats(), { failures: 3, occurrences: 4 })
    const counted = (await ledger.hours(0)).map(({ fingerprint }) => fingerprint)
    t.strictSame(
      counted.sort(),
      [1, 4, 5].map((number) => name(number)),
      'nothing of the others is left',
    )
  })

  t.test('keeps within the limit during a storm of new failures', async (t) => {
    const ledger = await createLedger(t, { ...LIMITS, maxFailures: 20 })
    for (let batch = 0; batch < 5; batch++) {
      const numbers = Array.from({ length: 100 }, (_, index) => batch * 100 + index)
      await ledger.record(numbers.map((number) => entry({ fingerprint: name(number), time: NOW + number })))
    }
    t.equal((await ledger.stats()).failures, 20)
    t.equal((await ledger.list({}))[0]?.fingerprint, name(499))
  })

  t.test('reports of browsers push out no server failures', async (t) => {
    for (const [limits, message] of [
      [{ ...LIMITS, maxFailures: 20 }, ''],
      [{ ...LIMITS, maxBytes: 500_000 }, 'x'.repeat(10_000)],
    ] as const) {
      const ledger = await createLedger(t, limits)
      const add = (from: number, to: number, side: Side) => {
        const numbers = Array.from({ length: to - from }, (_, index) => from + index)
        return ledger.record(
          numbers.map((number) =>
            entry({ fingerprint: name(number), time: NOW + number, side, message: message || 'no' }),
          ),
        )
      }
      await add(0, 5, 'server')
      for (let number = 100; number < 400; number += 20) await add(number, number + 20, 'client')
      const left = await ledger.list({})
      t.equal(left.filter(({ side }) => side === 'server').length, 5, 'all of the server')
      const clients = left.filter(({ side }) => side === 'client').map(({ fingerprint }) => fingerprint)
      t.ok(clients.length >= 5, 'and some of browsers')
      t.equal(clients[0], name(399), 'the newest')
      for (let number = 500; number < 700; number += 20) await add(number, number + 20, 'server')
      const [newest] = await ledger.list({ limit: 1 })
      t.equal(newest?.fingerprint, name(699), 'nor does the server keep itself from telling what is new')
    }
  })

  t.test('messages that differ each time push out no failures of other places', async (t) => {
    for (const [limits, message] of [
      [{ ...LIMITS, maxFailures: 40 }, ''],
      [{ ...LIMITS, maxBytes: 500_000 }, 'x'.repeat(7_500)],
    ] as const) {
      const ledger = await createLedger(t, limits)
      const { error } = entry()
      const elsewhere = Array.from({ length: 20 }, (_, number) => {
        const stack = error.stack.map((frame) => ({ ...frame, line: frame.line + number }))
        return entry({ fingerprint: name(number), time: NOW + number, error: { ...error, stack } })
      })
      await ledger.record(elsewhere)
      for (let number = 100; number < 400; number += 20) {
        const numbers = Array.from({ length: 20 }, (_, index) => number + index)
        await ledger.record(
          numbers.map((one) => entry({ fingerprint: name(one), time: NOW + one, message: `${message}${one}` })),
        )
      }
      const left = (await ledger.list({})).map(({ fingerprint }) => fingerprint)
      t.equal(
        left.filter((fingerprint) => fingerprint < name(20) && fingerprint !== name(0)).length,
        19,
        'all that failed elsewhere',
      )
      t.equal(left[0], name(399), 'the newest of the others')
      t.ok(left.length > 22, 'as many of them as there is room for')
    }
  })

  t.test('keeps the newest occurrences of a failure, and its total count', async (t) => {
    const ledger = await createLedger(t, { ...LIMITS, maxOccurrences: 3 })
    for (let batch = 0; batch < 3; batch++) {
      const times = [0, 1].map((index) => ({ time: NOW + batch * 2 + index, requestId: `R-${batch * 2 + index}` }))
      await ledger.record([entryOfAll(times)])
    }
    const found = await ledger.read('AAAAAAAA')
    t.equal(found?.count, 6)
    t.strictSame(
      found?.occurrences.map(({ requestId }) => requestId),
      ['R-5', 'R-4', 'R-3'],
    )
  })

  t.test('forgets failures that are too old', async (t) => {
    const ledger = await createLedger(t, { ...LIMITS, maxAgeMs: 24 * HOUR_MS })
    const longAgo = NOW - 48 * HOUR_MS
    await ledger.record([
      entryOfAll([{ fingerprint: 'AAAAAAAA', time: longAgo }, { fingerprint: 'AAAAAAAA' }]),
      entry({ fingerprint: 'BBBBBBBB', time: longAgo }),
    ])
    await ledger.record([])
    t.strictSame(await ledger.fingerprints(), ['AAAAAAAA'])
    t.match(await ledger.read('AAAAAAAA'), { count: 2, occurrences: { length: 1 } })
    t.strictSame(await ledger.hours(0), [{ fingerprint: 'AAAAAAAA', hour: hourOf(NOW), count: 1 }])
  })

  t.test('forgets releases without failures for a long time', async (t) => {
    const ledger = await createLedger(t, { ...LIMITS, maxAgeMs: 24 * HOUR_MS })
    await ledger.record([entry({ fingerprint: 'BBBBBBBB', time: NOW - 48 * HOUR_MS, release: 'old' }), entry()])
    await ledger.record([])
    await ledger.setSolved('AAAAAAAA', NOW + 1)
    await ledger.record([entry({ time: NOW + 2, release: 'old' })])
    t.equal((await ledger.read('AAAAAAAA'))?.solvedAt, null, 'it is met as a new one')
  })

  t.test('keeps within its size, and keeps the failures last seen', async (t) => {
    const maxBytes = 1_000_000
    const ledger = await createLedger(t, { ...LIMITS, maxBytes })
    const message = 'x'.repeat(20_000)
    for (let number = 0; number < 100; number++) {
      await ledger.record([entry({ fingerprint: name(number), time: NOW + number, message })])
    }
    const { bytes, failures } = await ledger.stats()
    t.ok(bytes <= maxBytes, `${bytes} bytes`)
    t.ok(bytes > maxBytes / 2, `${bytes} bytes: no more is removed than has to be`)
    t.equal((await ledger.list({}))[0]?.fingerprint, name(99))
    t.ok(failures > 5 && failures < 90, `${failures} failures`)
  })

  t.test('keeps the failure last seen even if it alone is too large', async (t) => {
    const ledger = await createLedger(t, { ...LIMITS, maxBytes: 1 })
    await ledger.record([entry()])
    await ledger.record([entry({ fingerprint: 'BBBBBBBB', time: NOW + 1 })])
    t.strictSame(await ledger.fingerprints(), ['BBBBBBBB'])
  })
}
