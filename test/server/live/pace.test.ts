// Needs a process of its own: the timers are those of the test.

import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { createPace } from '../../../src/server/live/pace.ts'

const TICK_MS = 5
const BURST = 20
/** The calls in a tick at most, and the ticks between two looks at the event loop. */
const MOST = 25
const LOOK = 20

/** Runs `total` calls of work in a pace. Returns how many were made at once, and how many in each tick. */
function runAll(t: Test, total: number, busy: (tick: number) => number) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let tick = 0
  let done = 0
  const pace = createPace(() => busy(tick))
  pace.run(() => ++done < total)
  const atOnce = done
  const ticks: number[] = []
  /** Lets one tick pass. Returns the calls in it. */
  function step(): number {
    const before = done
    tick++
    mock.timers.tick(TICK_MS)
    ticks.push(done - before)
    return done - before
  }
  return { pace, atOnce, ticks, step, done: () => done }
}

const IDLE = () => 0
const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)

t.test('what is small is done at once', async (t) => {
  const { atOnce, step } = runAll(t, BURST, IDLE)
  t.equal(atOnce, BURST)
  t.equal(step(), 0)
})

t.test('the rest follows, ever faster while the event loop is free, and up to a limit', async (t) => {
  const { atOnce, step, ticks, done } = runAll(t, 50_000, IDLE)
  t.equal(atOnce, BURST)
  t.ok(step() <= 1, 'slowly first')
  for (let n = 0; n < 20 * LOOK; n++) step()
  t.ok(sum(ticks.slice(0, 5 * LOOK)) < sum(ticks.slice(5 * LOOK, 10 * LOOK)))
  t.equal(Math.max(...ticks), MOST)
  t.equal(ticks.at(-1), MOST)
  while (done() < 50_000) step()
  t.equal(step(), 0, 'it ends with the work')
})

t.test('a busy event loop gets less, but never nothing', async (t) => {
  const free = 20 * LOOK
  const { step, ticks } = runAll(t, 1_000_000, (tick) => (tick <= free ? 0 : 1))
  for (let n = 0; n < free; n++) step()
  t.equal(ticks.at(-1), MOST)
  for (let n = 0; n < 20 * LOOK; n++) step()
  t.ok(sum(ticks.slice(free, free + 5 * LOOK)) < 4 * LOOK * MOST, 'less at once')
  t.equal(sum(ticks.slice(-LOOK)), LOOK / 4)
})

t.test('it recovers when the event loop is free again', async (t) => {
  const busy = 10 * LOOK
  const { step, ticks } = runAll(t, 1_000_000, (tick) => (tick <= busy ? 1 : 0))
  for (let n = 0; n < busy; n++) step()
  t.equal(sum(ticks.slice(-LOOK)), LOOK / 4)
  for (let n = 0; n < 30 * LOOK; n++) step()
  t.equal(ticks.at(-1), MOST)
})

t.test('stops, and starts again', async (t) => {
  const { pace, step, done } = runAll(t, 1_000, IDLE)
  step()
  pace.stop()
  const before = done()
  for (let n = 0; n < 10; n++) step()
  t.equal(done(), before)
  let others = 0
  pace.run(() => ++others < 5)
  for (let n = 0; n < 2 * LOOK; n++) step()
  t.equal(others, 5)
})

t.test('further calls while it runs change nothing', async (t) => {
  const { pace, step, done } = runAll(t, 30, IDLE)
  const never = () => t.fail('the first work goes on')
  pace.run(() => never() ?? false)
  t.equal(done(), BURST, 'and give nothing more at once')
  while (done() < 30) step()
  let isCalled = false
  pace.run(() => {
    isCalled = true
    return false
  })
  for (let n = 0; n < 10; n++) step()
  t.ok(isCalled, 'after its end there is other work')
})

t.test('a second burst comes only after a rest', async (t) => {
  const { pace, atOnce, step } = runAll(t, BURST, IDLE)
  t.equal(atOnce, BURST)
  let others = 0
  pace.run(() => ++others < BURST)
  t.ok(others < BURST)
  for (let n = 0; n < 100; n++) step()
  t.equal(others, BURST)
})

t.test('measures the event loop', (t) => {
  const pace = createPace()
  let done = 0
  pace.run(() => {
    if (++done < 25) return true
    t.end()
    return false
  })
})
