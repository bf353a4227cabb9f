import t from 'tap'
import { createMemoryLedger, createNullLedger } from '../../../src/server/ledger/memory-ledger.ts'
import { createLedger } from '../../../src/server/ledger/open-ledger.ts'
import {
  addTimes,
  BOUNDS_MS,
  bucketOf,
  oldestOf,
  percentile,
  SLOT_MS,
  type StepTimes,
  slotOf,
} from '../../../src/server/ledger/times.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { findFailing } from '../../find-failing.ts'
import { testTimes } from './contract-times.ts'
import { NOW } from './entries.ts'
import { place, slowRequest } from './times-entries.ts'

/** Returns the times of these durations, as a process counts them. */
function timesOf(durations: readonly number[]): StepTimes {
  const counts = [...BOUNDS_MS, 0].map(() => 0)
  for (const duration of durations) counts[bucketOf(duration)] = (counts[bucketOf(duration)] ?? 0) + 1
  const sumMs = durations.reduce((sum, duration) => sum + duration, 0)
  return place('a', { count: durations.length, sumMs, maxMs: Math.max(0, ...durations), counts })
}

t.test('a bucket holds the durations up to its bound', async (t) => {
  t.equal(BOUNDS_MS.length, 61)
  t.strictSame([BOUNDS_MS[0], BOUNDS_MS[10], BOUNDS_MS[60]], [0.1, 1, 100_000])
  t.strictSame(
    BOUNDS_MS,
    BOUNDS_MS.toSorted((a, b) => a - b),
  )
  for (const [index, bound] of BOUNDS_MS.entries()) {
    t.equal(bucketOf(bound), index, `${bound}`)
    t.equal(bucketOf(bound * 1.000_001), index + 1, `above ${bound}`)
  }
  t.strictSame([0, -1, 0.05, Infinity].map(bucketOf), [0, 0, 0, 61])
})

t.test('a percentile is within a quarter of the true one', async (t) => {
  t.equal(percentile(timesOf([]), 0.95), 0)
  t.equal(percentile(timesOf([7]), 1), 7, 'never above the longest')
  t.equal(percentile(timesOf([250_000]), 1), 250_000, 'beyond all bounds')
  const durations = Array.from({ length: 1_000 }, (_, index) => 0.2 * 1.01 ** index)
  const failing = await findFailing(
    [0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 1],
    (portion) => {
      const exact = durations[Math.ceil(portion * durations.length) - 1] ?? 0
      const found = percentile(timesOf(durations), portion)
      return found >= exact / 1.27 && found <= exact * 1.27
    },
    () => true,
  )
  t.strictSame(failing, [])
})

t.test('a percentile of durations in one bucket lies around their mean', async (t) => {
  const found = (durations: readonly number[], portions = [0.01, 0.5, 0.95, 1]) =>
    portions.map((portion) => Math.round(percentile(timesOf(durations), portion) * 10) / 10)
  t.strictSame(found([300, 300, 300, 300, 300]), [300, 300, 300, 300], 'equal ones')
  t.strictSame(found([0.07, 0.07], [0.5]), [0.1], 'in the first bucket')
  t.strictSame(found([300_000, 300_000], [0.5]), [300_000], 'beyond all bounds')
  t.strictSame(found([260, 270, 280, 290, 300], [0, 0.5, 1]), [260, 280, 300])
  t.strictSame(found([252, 310, 310, 310], [0, 1]), [281, 310])
  t.strictSame(found([252, 252, 252, 310], [0, 1]), [250, 310], 'never below the bucket')
  t.strictSame(found([5, 300, 300, 300], [0.5]), [266.7], 'several buckets')
})

t.test('the times of a place are added up, and no argument is changed', async (t) => {
  const [one, other] = [timesOf([1, 50, 3]), timesOf([0.2, 900])]
  const elsewhere = [place('b'), place('a', { kind: 'render' }), place('a', { route: '/' })]
  const before = structuredClone([one, other])
  const [sum, ...others] = addTimes([one, ...elsewhere, other])
  const both = timesOf([1, 50, 3, 0.2, 900])
  t.strictSame(sum, { ...both, blockedMs: 0.5, bytes: 2_000, maxBytes: 700 })
  t.strictSame(others, elsewhere)
  t.strictSame([one, other], before)
  const [longer] = addTimes([place('a', { counts: [1] }), place('a', { counts: [1, 2, 3] })])
  t.strictSame(longer?.counts, [2, 2, 3], 'whichever is longer')
})

t.test('what is kept with a slot is a day old at most', async (t) => {
  t.equal(NOW - oldestOf(slotOf(NOW)) * SLOT_MS, 24 * 60 * 60 * 1_000)
})

testTimes(t, async (_t, limits) => createMemoryLedger(limits))

const BATCH = { writer: 'w1', slot: slotOf(NOW), steps: [place('a')], requests: [slowRequest('R-1')] }

t.test('a site without a ledger keeps no times', async (t) => {
  const ledger = createNullLedger()
  await ledger.recordTimes(BATCH)
  t.strictSame(await ledger.times(0), { steps: [], requests: [], oldestSlot: null })
  t.equal(await ledger.slowRequest('R-1'), null)
})

t.test('times are kept in memory if the ledger cannot be written', async (t) => {
  const warnings: unknown[] = []
  const options = resolveOptions({ given: { ledger: '/proc/none/errors.db' } })
  const ledger = createLedger(t.testdir({}), options, { warn: (...words: unknown[]) => void warnings.push(words) })
  t.teardown(() => ledger.close())
  await ledger.recordTimes(BATCH)
  t.strictSame(await ledger.times(0), { steps: BATCH.steps, requests: BATCH.requests, oldestSlot: BATCH.slot })
  t.strictSame(await ledger.slowRequest('r-1'), BATCH.requests[0])
  t.match(warnings, [[{ err: { code: 'HYD_LEDGER_UNWRITABLE' } }]])
})
