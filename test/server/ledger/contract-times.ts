// The part of the contract that is about times.

import type { Test } from 'tap'
import {
  MAX_READ_REQUESTS,
  MAX_SLOTS,
  MAX_SLOW_REQUESTS,
  MAX_SLOWEST,
  MAX_TIMES,
  type ReadTimes,
  SLOT_MS,
  type StepTimes,
  slotOf,
  type TimesBatch,
} from '../../../src/server/ledger/times.ts'
import { type CreateLedger, entry, LIMITS, NOW, name } from './entries.ts'
import { place, slowRequest } from './times-entries.ts'

const SLOT = slotOf(NOW)
const NO_TIMES: ReadTimes = { steps: [], requests: [], oldestSlot: null }

const batch = (given: Partial<TimesBatch>): TimesBatch => ({
  ...{ writer: 'w1', slot: SLOT, steps: [], requests: [] },
  ...given,
})
const sorted = (steps: readonly StepTimes[]) => steps.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))

export function testTimes(t: Test, createLedger: CreateLedger) {
  testSteps(t, createLedger)
  testRequests(t, createLedger)
  testTimesLimits(t, createLedger)
}

function testSteps(t: Test, createLedger: CreateLedger) {
  t.test('returns times as they were written, and the later batch of a writer and slot', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    t.strictSame(await ledger.times(0), NO_TIMES)
    const steps = [
      place('a.server.ts:1', { sumMs: 10.123456789, maxMs: 0.1, blockedMs: 51.5, bytes: 2 ** 40, maxBytes: 7 }),
      place('data.reviews', { kind: 'deferred' }),
    ]
    const first = batch({ steps, requests: [slowRequest('R-1')] })
    await ledger.recordTimes(first)
    const written = structuredClone(steps)
    t.strictSame(sorted((await ledger.times(SLOT)).steps), written)
    await ledger.recordTimes(first)
    t.strictSame(sorted((await ledger.times(SLOT)).steps), written, 'a repeated batch changes nothing')
    for (const one of steps) one.counts[0] = 99
    t.strictSame(sorted((await ledger.times(SLOT)).steps), written, 'nor does the writer, who continues to count')
    const later = batch({ steps: [place('a.server.ts:1', { count: 5 }), place('b.server.ts:1')] })
    await ledger.recordTimes(later)
    t.strictSame(sorted((await ledger.times(SLOT)).steps), later.steps)
    t.match((await ledger.times(SLOT)).requests, [{ id: 'R-1' }], 'requests stay')
    t.strictSame(await ledger.list({}), [], 'times are no failures')
  })

  t.test('adds up the times of writers and slots, from a slot on', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const [a, b] = [place('a', { count: 2, sumMs: 4, maxMs: 3, counts: [0, 2] }), place('b')]
    await ledger.recordTimes(batch({ steps: [a, b] }))
    await ledger.recordTimes(batch({ writer: 'w2', steps: [{ ...a, maxMs: 9, counts: [1, 1] }] }))
    await ledger.recordTimes(batch({ slot: SLOT + 1, steps: [a, { ...a, route: '/other' }] }))
    const timesOf = async (slot: number) =>
      sorted((await ledger.times(slot)).steps).filter(({ route }) => route === a.route)
    t.strictSame(await timesOf(SLOT), [
      { ...a, count: 6, sumMs: 12, maxMs: 9, counts: [1, 5], bytes: 3 * a.bytes, blockedMs: 3 * a.blockedMs },
      b,
    ])
    t.strictSame(await timesOf(SLOT + 1), [a])
    t.strictSame(await ledger.times(SLOT + 2), { ...NO_TIMES, oldestSlot: SLOT })
  })

  t.test('writes texts that are difficult to store', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const hostile = '\0 \\u0000 \' " ; DROP TABLE times -- $1 @slot ü 💧 \u2028 %_'
    const request = slowRequest('R-1', { path: `${hostile} \ud83d`, route: hostile })
    // Both may be the same text when they are stored.
    const steps = ['\ud83d', '\ud83e'].map((half) => place(`${hostile} ${half} end`, { route: hostile }))
    // As long as no index could hold it, even if the database compresses it.
    const long = Array.from({ length: 5_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)))
    await ledger.recordTimes(
      batch({ steps: [...steps, place(long.join(''), { route: long.toReversed().join('') })], requests: [request] }),
    )
    const times = await ledger.times(SLOT)
    t.strictSame(times.requests, [request])
    const found = times.steps.filter(({ subject }) => /^.\s\\u0000 ' " ; DROP TABLE .+ end$/s.test(subject))
    t.equal(
      found.reduce((sum, { count }) => sum + count, 0),
      2 * place('').count,
    )
    t.ok(times.steps.some(({ subject }) => subject.startsWith(long.slice(0, 100).join(''))))
    await ledger.recordTimes(batch({ requests: [slowRequest('half \ud83d\0 of one')] }))
    t.match(await ledger.slowRequest('half \ud83d\0 of one'), { method: 'GET' })
  })
}

function testRequests(t: Test, createLedger: CreateLedger) {
  t.test('returns the requests since a slot began, the slowest first', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const at = (id: string, time: number, durationMs: number) => slowRequest(id, { time, durationMs })
    const [before, first, slow] = [at('R-1', NOW - 1, 900), at('R-2', NOW, 10.5), at('R-3', NOW + SLOT_MS, 70)]
    await ledger.recordTimes(batch({ requests: [before, first] }))
    await ledger.recordTimes(batch({ slot: SLOT + 1, requests: [slow] }))
    t.strictSame((await ledger.times(SLOT)).requests, [slow, first])
    t.strictSame((await ledger.times(SLOT - 1)).requests, [before, slow, first])
    t.strictSame(await ledger.times(SLOT + 2), NO_TIMES)
  })

  t.test('returns some requests: the slowest of all, and of each route', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const many = (route: string, count: number, slowestMs: number) =>
      Array.from({ length: count }, (_, index) =>
        slowRequest(`${route}-${index}`, { route, durationMs: slowestMs - index }),
      )
    const requests = [...many('/slow', 400, 9_000), ...many('/b', 300, 800), ...many('/a', 3, 50), ...many('/c', 90, 9)]
    await ledger.recordTimes(batch({ requests: requests.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }))
    const read = (await ledger.times(SLOT)).requests
    t.equal(read.length, MAX_READ_REQUESTS)
    t.strictSame(read.slice(0, MAX_SLOWEST), requests.slice(0, MAX_SLOWEST))
    // The slowest of the others, of which 97 have space with the three of one route.
    t.strictSame(
      read.filter(({ route }) => route !== '/slow'),
      [...requests.slice(400, 449), ...requests.slice(700, 703), ...requests.slice(703, 751)],
    )
    t.match(await ledger.slowRequest('/slow-399'), { durationMs: 8_601 })
  })

  t.test('keeps the latest request of an id', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const first = slowRequest('req-1', { time: NOW })
    const second = slowRequest('REQ-1', { time: NOW + 2 * SLOT_MS, route: '/other', durationMs: 7 })
    const third = slowRequest('Req-1', { time: NOW + 3 * SLOT_MS })
    await ledger.recordTimes(batch({ requests: [first] }))
    for (const requests of [[second], [first, second], [second, first], [first]]) {
      await ledger.recordTimes(batch({ requests }))
      t.strictSame(await ledger.slowRequest('req-1'), second)
      t.strictSame((await ledger.times(SLOT + 2)).requests, [second])
    }
    await ledger.recordTimes(batch({ requests: [second, third, first] }))
    t.strictSame((await ledger.times(SLOT)).requests, [third])
  })

  t.test('finds a request by its id, ignoring case, and keeps the first one of a time', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const [first, again] = [slowRequest('Req-Ä1'), slowRequest('rEQ-ä1', { path: '/forged' })]
    await ledger.recordTimes(batch({ requests: [first, slowRequest('Req-Ä12')] }))
    await ledger.recordTimes(batch({ writer: 'w2', requests: [first, again] }))
    for (const id of ['Req-Ä1', 'REQ-Ä1', 'req-ä1']) t.strictSame(await ledger.slowRequest(id), first, id)
    t.equal((await ledger.times(SLOT)).requests.length, 2)
    for (const id of ['', 'req-ä', 'req-_1', '%', '\0']) t.equal(await ledger.slowRequest(id), null, id)
  })
}

function testTimesLimits(t: Test, createLedger: CreateLedger) {
  t.test('forgets times and requests a day later', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const write = (slot: number, time = slot * SLOT_MS) =>
      ledger.recordTimes(batch({ slot, steps: [place(`in ${slot}`)], requests: [slowRequest(`R-${slot}`, { time })] }))
    await write(SLOT - 1)
    await write(SLOT)
    await ledger.recordTimes(batch({ requests: [slowRequest('R-last', { time: NOW - 1 })] }))
    await write(SLOT + MAX_SLOTS)
    t.strictSame(
      sorted((await ledger.times(0)).steps).map(({ subject }) => subject),
      [`in ${SLOT + MAX_SLOTS}`],
      'the slot that the writer has replaced has none',
    )
    t.strictSame((await ledger.times(0)).requests.map(({ id }) => id).sort(), [`R-${SLOT}`, `R-${SLOT + MAX_SLOTS}`])
    await write(SLOT + MAX_SLOTS + 1)
    t.strictSame((await ledger.times(0)).requests.map(({ id }) => id).sort(), [
      `R-${SLOT + MAX_SLOTS}`,
      `R-${SLOT + MAX_SLOTS + 1}`,
    ])
  })

  t.test('keeps a number of times and requests: the newest', async (t) => {
    const ledger = await createLedger(t, LIMITS)
    const places = Array.from({ length: MAX_TIMES / 2 - 10 }, (_, index) => place(name(index), { sumMs: index }))
    const third = MAX_SLOW_REQUESTS / 2 - 10
    for (const slot of [SLOT + 1, SLOT, SLOT + 2]) {
      const requests = Array.from({ length: third }, (_, index) =>
        // The slowest ones are the first ones of the slot.
        slowRequest(`R-${slot}-${index}`, { time: slot * SLOT_MS + index, durationMs: third - index }),
      )
      await ledger.recordTimes(batch({ slot, steps: places, requests }))
    }
    const { steps, oldestSlot } = await ledger.times(0)
    t.equal(oldestSlot, SLOT)
    const inSlots = (count: number) => steps.filter((times) => times.count === count * place('').count).length
    t.strictSame([2, 3].map(inSlots), [places.length - 20, 20], 'of the oldest slot, what took the longest is left')
    t.equal(steps.find(({ subject }) => subject === name(places.length - 1))?.count, 3 * place('').count)
    const left = MAX_SLOW_REQUESTS - 2 * third
    for (const slot of [SLOT + 1, SLOT + 2]) t.ok(await ledger.slowRequest(`R-${slot}-${third - 1}`))
    t.ok(await ledger.slowRequest(`R-${SLOT}-${left - 1}`), 'of the oldest slot, the slowest are left')
    t.equal(await ledger.slowRequest(`R-${SLOT}-${left}`), null)
    await ledger.recordTimes(batch({ slot: SLOT + 3, steps: places }))
    t.equal((await ledger.times(0)).oldestSlot, SLOT + 1)
  })

  t.test('times displace no failures', async (t) => {
    const failures = Array.from({ length: 30 }, (_, index) => entry({ fingerprint: name(index), time: NOW + index }))
    const measured = await createLedger(t, LIMITS)
    await measured.record(failures)
    const { bytes } = await measured.stats()
    const ledger = await createLedger(t, { ...LIMITS, maxFailures: 30, maxBytes: bytes })
    await ledger.record(failures)
    for (const slot of [SLOT, SLOT + 1, SLOT + 2]) {
      const steps = Array.from({ length: 500 }, (_, index) => place(`${index}.server.ts`))
      const requests = Array.from({ length: 100 }, (_, index) => slowRequest(`R-${slot}-${index}`))
      await ledger.recordTimes(batch({ slot, steps, requests }))
      await ledger.record([])
    }
    t.equal((await ledger.fingerprints()).length, 30)
    t.equal((await ledger.times(SLOT)).steps.length, 500)
    await ledger.record([entry({ fingerprint: name(99), time: NOW + 99 })])
    t.equal((await ledger.fingerprints()).length, 30, 'failures have their limits all the same')
  })
}
