import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import { createTimesWriter } from '../../../src/server/admin/times-writer.ts'
import { timesOf } from '../../../src/server/http/request-times.ts'
import { timeStep } from '../../../src/server/http/timed-steps.ts'
import { SLOT_MS, type StepTimes, slotOf, type TimesBatch } from '../../../src/server/ledger/times.ts'
import { addRequestCounts, coarseCounts, createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { addTimesCounts, createStepTimes, timesSince } from '../../../src/server/metrics/step-times.ts'

let nextId = 0

/** Ends a request that took this long, with the steps of `run`. */
async function request(
  times: Pick<ReturnType<typeof createStepTimes>, 'requestTimed'>,
  durationMs: number,
  { route = '/a', url = '/a', length = '100', run = async (_request: FastifyRequest) => {} } = {},
) {
  // Node.js keeps no header that Fastify has written.
  const raw = { statusCode: 200, getHeader: () => undefined }
  // The parts of the two objects that are read.
  const given = { id: `R-${++nextId}`, method: 'GET', originalUrl: url, headers: {} } as unknown as FastifyRequest
  await run(given)
  times.requestTimed(route, 200, durationMs, given, { raw, getHeader: () => length } as unknown as FastifyReply)
  return given
}

const rowOf = (steps: readonly StepTimes[], kind: string, route = '/a') =>
  steps.find((step) => step.kind === kind && step.route === route)

t.test('adds up requests and steps by place', async (t) => {
  const times = createStepTimes('v7')
  const run = async (request: FastifyRequest) => {
    timesOf(request).places = { 'pages/a.server.ts load': 'pages/a.server.ts:4' }
    await timeStep('load', 'pages/a.server.ts', timesOf(request), () => wait(2))
  }
  await request(times, 30, { run })
  await request(times, 50, { run })
  const { steps } = times.read()
  t.match(rowOf(steps, 'request'), { count: 2, sumMs: 80, maxMs: 50, bytes: 200, maxBytes: 100 })
  t.match(rowOf(steps, 'load'), { count: 2, subject: 'pages/a.server.ts:4' })
  const before = times.read().steps
  await request(times, 10)
  t.equal(rowOf(before, 'request')?.count, 2, 'what was read does not change')
})

t.test('a step that ends after its request is added when it ends', async (t) => {
  const times = createStepTimes('v7')
  let end = () => {}
  const late = new Promise<void>((resolve) => {
    end = resolve
  })
  await request(times, 10, { run: async (one) => void timeStep('deferred', 'data.a', timesOf(one), () => late) })
  t.equal(rowOf(times.read().steps, 'deferred'), undefined)
  t.match(times.read().slowest, [{ steps: [{ kind: 'deferred', durationMs: Number }] }])
  end()
  await wait(1)
  t.match(rowOf(times.read().steps, 'deferred'), { count: 1 })
})

t.test('keeps the slowest requests of each route for a while, without secrets', async (t) => {
  let now = 1_000_000_000_000
  const times = createStepTimes('v7', () => now)
  for (const ms of [5, 30, 10, 20, 1]) await request(times, ms, { url: '/a?token=secret' })
  for (let route = 0; route < 40; route++) await request(times, route, { route: `/r/${route}` })
  const durations = (route: string) =>
    times
      .read()
      .slowest.filter((one) => one.route === route)
      .map(({ durationMs }) => durationMs)
      .sort((a, b) => a - b)
  t.strictSame(durations('/a'), [30], 'others are slower')
  t.equal(times.read().slowest.length, 20)
  t.notMatch(JSON.stringify(times.read()), 'secret')
  now += 60_000
  await request(times, 3)
  t.strictSame(durations('/a'), [3, 30])
  now += 120_000
  t.strictSame(times.read().slowest, [])
})

t.test('places beyond the limit share one name', async (t) => {
  const times = createStepTimes('v7')
  for (let route = 0; route < 2_100; route++) await request(times, 1, { route: `/r/${route}` })
  const { steps } = times.read()
  t.ok(steps.length <= 2_001)
  t.strictSame(
    steps.filter(({ route }) => route === '*').map(({ kind, subject, count }) => [kind, subject, count]),
    [['request', '', 100]],
  )
  await request(times, 1, { route: '*' })
  t.equal(times.read().steps.filter(({ route, kind }) => route === '*' && kind === 'request').length, 1)
})

t.test('a length that is no number counts as none', async (t) => {
  const times = createStepTimes('v7')
  for (const length of ['100', 'long', '1e999']) await request(times, 1, { length })
  t.match(rowOf(times.read().steps, 'request'), { count: 3, bytes: 100, maxBytes: 100 })
})

t.test('places whose names contain spaces are not mixed up', async (t) => {
  const [one, other] = [createStepTimes('v7'), createStepTimes('v7')]
  const run = (subject: string) => async (request: FastifyRequest) =>
    timeStep('load', subject, timesOf(request), () => {})
  await request(one, 1, { route: '/a b', run: run('c') })
  await request(other, 1, { route: '/a', run: run('b c') })
  const fresh = timesSince(one.read().steps, other.read().steps)
  t.match(rowOf(fresh, 'load'), { subject: 'b c', count: 1 })
})

t.test('the times of several processes are added up, and what is new can be told', async (t) => {
  const [one, other] = [createStepTimes('v7'), createStepTimes('v7')]
  await request(one, 30)
  await request(other, 300)
  const early = addTimesCounts([one.read(), other.read()])
  t.match(rowOf(early.steps, 'request'), { count: 2, sumMs: 330, maxMs: 300 })
  t.equal(early.slowest.length, 2)
  await request(one, 40)
  const later = addTimesCounts([one.read(), other.read()])
  const [fresh] = timesSince(early.steps, later.steps)
  t.match(fresh, { count: 1, sumMs: 40, maxMs: 40, bytes: 100 })
  t.strictSame(timesSince(later.steps, later.steps), [])
  const [row] = early.steps
  if (!row) return t.fail('there are times')
  const others = { ...row, route: '*', count: 5, sumMs: 400 }
  t.match(
    timesSince(early.steps, [others]),
    [{ route: '*', count: 3, sumMs: 70 }],
    'places that are gone are among the others',
  )
})

t.test('the metrics have the counts of their own bounds', async (t) => {
  const times = createStepTimes('v7')
  for (const ms of [0.4, 0.5, 0.6, 1, 2.4, 9_999, 10_001, 200_000]) await request(times, ms)
  const counts = coarseCounts(rowOf(times.read().steps, 'request')?.counts ?? [])
  t.strictSame(counts, [2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2])
})

t.test('the writer sends what happened in a slot, and nothing new without requests', async (t) => {
  let now = 100 * SLOT_MS
  const metrics = createRequestMetrics('v7')
  const batches: TimesBatch[] = []
  const lines: string[] = []
  const log = {
    warn: (_line: object, text: string) => void lines.push(text),
    info: (text: string) => void lines.push(text),
  }
  let isAway = false
  const writer = createTimesWriter(
    { counts: async () => addRequestCounts([metrics.read()]) },
    {
      async recordTimes(batch) {
        if (isAway) throw new Error('the disk is gone')
        batches.push(batch)
      },
    },
    log as Parameters<typeof createTimesWriter>[2],
    () => now,
  )
  const { requestTimed } = metrics.recorder
  await writer.flush()
  t.match(batches, [{ steps: [], requests: [] }], 'the first batch removes what is too old')
  t.equal(batches.splice(0).length, 1)
  await request({ requestTimed }, 30)
  await writer.flush()
  await writer.flush()
  await request({ requestTimed }, 50)
  await writer.flush()
  t.strictSame(
    batches.map(({ slot, steps }) => [slot, steps.map(({ count, sumMs }) => [count, sumMs])]),
    [
      [100, [[1, 30]]],
      [100, [[2, 80]]],
    ],
    'a batch has everything of its slot',
  )
  t.match(batches[1]?.requests, [{ release: 'v7', route: '/a' }])
  now += SLOT_MS
  isAway = true
  await request({ requestTimed }, 70)
  await writer.flush()
  isAway = false
  await writer.close()
  t.match(batches.at(-1), { slot: slotOf(now), steps: [{ count: 1, sumMs: 70 }] })
  t.match(lines, [/cannot be written to the ledger: the disk is gone/, /can be written to the ledger again/])
  t.equal(new Set(batches.map(({ writer }) => writer)).size, 1)
})
