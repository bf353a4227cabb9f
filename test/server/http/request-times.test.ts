import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { loop } from '../../../src/server/http/event-loop.ts'
import {
  findTimes,
  listMetrics,
  noteLength,
  shortPlace,
  summarizeTimes,
  timesOf,
  writeServerTiming,
} from '../../../src/server/http/request-times.ts'
import { timeStep, timeWork } from '../../../src/server/http/timed-steps.ts'

const newRequest = () => ({}) as FastifyRequest

/** The time for which `block` has kept the event loop busy. */
let ownMs = 0

/** Keeps the event loop busy. */
function block(ms: number) {
  const start = performance.now()
  while (performance.now() < start + ms);
  ownMs += performance.now() - start
}

const ATTEMPTS = 5
/** A step that ends after so long a pause may count it as its own. */
const LATE_MS = 40

/** Calls `measure` again if the event loop was late and `block` is not the reason, as on a busy machine. */
async function measureAlone<T>(measure: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let [seenAt, ownBefore, lateMs] = [performance.now(), ownMs, 0]
    const see = () => {
      const now = performance.now()
      lateMs = Math.max(lateMs, now - seenAt - (ownMs - ownBefore))
      seenAt = now
      ownBefore = ownMs
    }
    const timer = setInterval(see, 5)
    const result = await measure()
    clearInterval(timer)
    see()
    if (lateMs < LATE_MS || attempt === ATTEMPTS) return result
  }
}

t.test('a step ends with its promise, its value or its error, and passes them on', async (t) => {
  const request = newRequest()
  t.equal(findTimes(request), undefined)
  const times = timesOf(request)
  t.equal(
    timeStep('guard', 'a', times, () => 1),
    1,
  )
  t.equal(await timeStep('load', 'b', times, () => wait(20, 2)), 2)
  t.throws(() => timeStep('load', 'c', times, () => Promise.reject.call(null)), TypeError)
  await t.rejects(Promise.resolve(timeStep('load', 'd', times, () => Promise.reject(new Error('no')))), {
    message: 'no',
  })
  t.throws(() => timeWork('data', times, () => JSON.parse('{')), SyntaxError)
  t.strictSame(
    times.steps.map(({ kind, subject }) => `${kind} ${subject}`),
    ['guard a', 'load b', 'load c', 'load d', 'data '],
  )
  t.notOk(times.steps.some(({ durationMs }) => Number.isNaN(durationMs)))
  t.ok((times.steps[1]?.durationMs ?? 0) >= 19)
})

t.test('a builder of a query runs its query once', async (t) => {
  let runs = 0
  // biome-ignore lint/suspicious/noThenProperty: such builders have one
  const builder = { then: (resolve: (rows: string[]) => void) => resolve([`run ${++runs}`]) }
  const result = await timeStep('load', '', timesOf(newRequest()), () => builder as PromiseLike<string[]>)
  t.strictSame(result, ['run 1'])
})

t.test('the stack of an error still has the callers of the step', async (t) => {
  async function inner(): Promise<never> {
    await wait(1)
    throw new Error('late')
  }
  async function outerLoad() {
    await timeStep('perRequest', '', timesOf(newRequest()), inner)
  }
  const error = await outerLoad().catch((thrown: unknown) => thrown)
  t.match(error, { stack: /at inner[\s\S]*at async outerLoad/ })
})

t.test('the step that computes blocks the event loop, and not the one that waits meanwhile', async (t) => {
  const outside: number[] = []
  t.teardown(loop.watch((ms) => outside.push(ms)))
  const times = await measureAlone(async () => {
    const times = timesOf(newRequest())
    const waits = timeStep('load', 'waits', times, () => wait(150))
    const computes = timeStep('load', 'computes', times, async () => {
      await wait(30)
      block(90)
    })
    const begins = timeStep('load', 'begins', times, async () => {
      block(80)
      await wait(60)
    })
    await Promise.all([waits, computes, begins])
    return times
  })
  const blocked = Object.fromEntries(times.steps.map(({ subject, blockedMs }) => [subject, blockedMs]))
  t.equal(blocked.waits, 0)
  t.ok((blocked.computes ?? 0) >= 85, `computes: ${blocked.computes}`)
  t.ok((blocked.begins ?? 0) >= 75, `begins: ${blocked.begins}`)
  block(120)
  await wait(60)
  t.ok(
    outside.some((ms) => ms >= 110),
    `outside: ${outside}`,
  )
})

t.test('what blocks after an `await` belongs to the only open step, and to none if there are others', async (t) => {
  const unknown: number[] = []
  t.teardown(loop.watch((ms) => unknown.push(ms)))
  async function compute() {
    await wait(5)
    block(100)
    await wait(40)
  }
  const alone = timesOf(newRequest())
  await timeStep('load', 'alone', alone, compute)
  t.ok((alone.steps[0]?.blockedMs ?? 0) >= 95, `alone: ${alone.steps[0]?.blockedMs}`)
  t.strictSame(unknown, [])
  const inner = timesOf(newRequest())
  await timeStep('load', 'outer', inner, () => timeStep('perRequest', 'inner', inner, compute))
  t.ok((inner.steps[1]?.blockedMs ?? 0) >= 95, `inner: ${inner.steps[1]?.blockedMs}`)
  t.equal(inner.steps[0]?.blockedMs, 0)
  t.strictSame(unknown, [])
  const several = await measureAlone(async () => {
    const times = timesOf(newRequest())
    await Promise.all([timeStep('load', 'waits', times, () => wait(200)), timeStep('load', 'computes', times, compute)])
    return times
  })
  t.strictSame(
    several.steps.map(({ blockedMs }) => blockedMs),
    [0, 0],
  )
  t.ok(
    unknown.some((ms) => ms >= 95),
    `unknown: ${unknown}`,
  )
})

t.test('what blocks before a step inside it begins belongs to the outer step', async (t) => {
  t.teardown(loop.watch(() => {}))
  const times = timesOf(newRequest())
  await timeStep('load', 'outer', times, () => {
    block(90)
    return timeStep('perRequest', 'inner', times, () => wait(1))
  })
  t.ok((times.steps[0]?.blockedMs ?? 0) >= 85)
  t.equal(times.steps[1]?.blockedMs, 0)
})

t.test('the place of a promise is told up to its first key', async (t) => {
  const places = ['data.reviews', 'data.byEmail.ann@example.org.orders', 'data.items.0.r', 'data', 'data["a b"].c']
  t.strictSame(places.map(shortPlace), ['data.reviews', 'data.byEmail.…', 'data.items.…', 'data', 'data.…'])
})

t.test('nothing blocks the event loop if nobody watches it', async (t) => {
  const times = timesOf(newRequest())
  timeStep('load', '', times, () => block(70))
  t.equal(times.steps[0]?.blockedMs, 0)
})

t.test('a step that ends after the request is passed on', async (t) => {
  const times = timesOf(newRequest())
  const late: string[] = []
  const step = timeStep('deferred', 'data.reviews', times, () => wait(5))
  times.onLate = ({ subject, durationMs }) => late.push(`${subject} ${durationMs > 0}`)
  await step
  t.strictSame(late, ['data.reviews true'])
})

t.test('the line of a request has the time of all loads together, and of the render', async (t) => {
  const request = newRequest()
  t.strictSame(summarizeTimes(request), { loadMs: undefined, renderMs: undefined, cache: undefined })
  const times = timesOf(request)
  const step = { subject: '', blockedMs: 0, bytes: 0, inside: null }
  times.cache = 'pass: read'
  times.steps.push(
    { ...step, kind: 'load', startMs: 10, durationMs: 20 },
    { ...step, kind: 'load', startMs: 15, durationMs: 30.123 },
    { ...step, kind: 'load', startMs: 16, durationMs: Number.NaN },
    { ...step, kind: 'render', startMs: 46, durationMs: 4 },
  )
  t.strictSame(summarizeTimes(request), { loadMs: 35.12, renderMs: 4, cache: 'pass: read' })
})

t.test('the header has each step that has ended, as quoted texts', async (t) => {
  const request = newRequest()
  const times = timesOf(request)
  times.places = { 'pages/a.server.ts load': 'pages/a.server.ts:3' }
  const step = { startMs: 0, blockedMs: 0, bytes: 0, inside: null }
  times.steps.push(
    { ...step, kind: 'load', subject: 'pages/a.server.ts', durationMs: 1.26 },
    { ...step, kind: 'deferred', subject: 'data["a\\b"].größe \ud800', durationMs: 2 },
    { ...step, kind: 'render', subject: '', durationMs: Number.NaN },
  )
  noteLength('pages/a.server.ts', 120, times)
  t.equal(
    writeServerTiming(listMetrics('/a', 9.04, request)),
    'total;dur=9.0, route;desc="/a", load;desc="pages/a.server.ts:3 (120 characters)";dur=1.3, ' +
      'deferred;desc="data[\\"a\\\\b\\"].gr%C3%B6%C3%9Fe %EF%BF%BD";dur=2.0',
  )
  for (let count = 0; count < 200; count++)
    times.steps.push({ ...step, kind: 'perRequest', subject: `data/file-${count}.server.ts:1`, durationMs: 1 })
  t.ok(writeServerTiming(listMetrics('/a', 9, request)).length < 2_100, 'proxies limit the length of headers')
})
