// What the writer of times sends to a ledger, with a clock and counts that the test sets.

import t from 'tap'
import { createTimesWriter } from '../../../src/server/admin/times-writer.ts'
import { BOUNDS_MS, bucketOf, SLOT_MS, type StepTimes, type TimesBatch } from '../../../src/server/ledger/times.ts'
import { addRequestCounts } from '../../../src/server/metrics/request-metrics.ts'

function createWriter() {
  const ledger = {
    now: 100 * SLOT_MS,
    isAway: false,
    reads: 0,
    batches: [] as TimesBatch[],
    untilWritten: async () => {},
  }
  const counts = BOUNDS_MS.map(() => 0)
  const sums = { count: 0, sumMs: 0, maxMs: 0, counts, blockedMs: 0, bytes: 0, maxBytes: 0 }
  const times: StepTimes = { route: '/a', kind: 'request', subject: '', ...sums }
  const writer = createTimesWriter(
    {
      async counts() {
        ledger.reads++
        const steps = times.count === 0 ? [] : [structuredClone(times)]
        return { ...addRequestCounts([]), times: { steps, slowest: [] } }
      },
    },
    {
      async recordTimes(batch) {
        if (ledger.isAway) throw new Error('the disk is gone')
        await ledger.untilWritten()
        ledger.batches.push(batch)
      },
    },
    // The functions that are used.
    { warn() {}, info() {} } as unknown as Parameters<typeof createTimesWriter>[2],
    () => ledger.now,
  )

  /** Ends a request that took this long. */
  function request(durationMs: number) {
    const bucket = bucketOf(durationMs)
    times.count++
    times.sumMs += durationMs
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  const written = () => ledger.batches.map(({ slot, steps }) => [slot, ...steps.map(({ sumMs }) => sumMs)])
  return { writer, ledger, request, written }
}

t.test('no time is lost when the ledger is away at the end of a slot', async (t) => {
  const { writer, ledger, request, written } = createWriter()
  t.teardown(writer.close)
  request(30)
  await writer.flush()
  ledger.isAway = true
  request(40)
  await writer.flush()
  ledger.now += SLOT_MS
  await writer.flush()
  ledger.isAway = false
  request(70)
  await writer.flush()
  request(1)
  await writer.flush()
  t.strictSame(written(), [
    [100, 30],
    [101, 110],
    [101, 111],
  ])
})

t.test('a clock that is set back changes no earlier batch, and no later slot', async (t) => {
  const { writer, ledger, request, written } = createWriter()
  t.teardown(writer.close)
  request(30)
  await writer.flush()
  ledger.now += SLOT_MS
  request(40)
  await writer.flush()
  ledger.now -= SLOT_MS
  request(50)
  await writer.flush()
  request(1)
  await writer.flush()
  t.strictSame(written(), [
    [100, 30],
    [101, 40],
    [100, 50],
    [100, 51],
  ])
  const [first, second, third, fourth] = ledger.batches.map(({ writer }) => writer)
  t.equal(second, first)
  t.not(third, first, 'otherwise it would replace the first batch')
  t.equal(fourth, third)
})

t.test('what is too old is removed when the writer begins, and once an hour without requests', async (t) => {
  const { writer, ledger, written } = createWriter()
  t.teardown(writer.close)
  await writer.flush()
  await writer.flush()
  ledger.now += 5 * SLOT_MS
  await writer.flush()
  t.strictSame(written(), [[100]])
  ledger.now += SLOT_MS
  await writer.flush()
  t.strictSame(written(), [[100], [106]])
})

t.test('readers that follow one another share one report of the workers', async (t) => {
  const { writer, ledger, request } = createWriter()
  t.teardown(writer.close)
  ledger.isAway = true
  request(30)
  await writer.refresh()
  ledger.isAway = false
  await writer.refresh()
  t.equal(ledger.batches.length, 1, 'a write that has failed is tried again')
  for (let reader = 0; reader < 5; reader++) await writer.refresh()
  t.equal(ledger.reads, 2)
  await writer.flush()
  t.equal(ledger.reads, 3)
})

t.test('writes what is new since a batch that is being written when it ends', async (t) => {
  const { writer, ledger, request, written } = createWriter()
  let end = () => {}
  const isWritten = new Promise<void>((resolve) => {
    end = resolve
  })
  ledger.untilWritten = () => isWritten
  request(30)
  void writer.flush()
  await new Promise(setImmediate)
  request(40)
  const closed = writer.close()
  end()
  await closed
  t.strictSame(written(), [
    [100, 30],
    [100, 70],
  ])
})
