// What a shared store does with a connection whose responses a test sends.

import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { BackendEvents, Reading, StoreBackend } from '../../../../src/server/cache/shared/backend.ts'
import { createSharedStore } from '../../../../src/server/cache/shared/create-shared-store.ts'
import { EVERY_TAG, type Versions } from '../../../../src/server/cache/shared/shared-store.ts'
import { createRequestMetrics } from '../../../../src/server/metrics/request-metrics.ts'
import { keepLines, response } from './stores.ts'

const READING: Reading = { response: response(['a']), leasedMs: 0 }

/** A backend with the versions of a test. `hold` makes calls wait until it is called again. */
function createFake() {
  let events: BackendEvents | null = null
  let versions: Versions = { epoch: 'one', sequence: 0 }
  let changed: [string, number][] = []
  let gate = Promise.resolve()
  const fake = {
    calls: [] as string[],
    reconnects: 0,
    connect: () => events?.connected(),
    disconnect: () => events?.disconnected(new Error('cut')),
    /** Another process invalidates a tag. */
    invalidate(tag: string) {
      versions = { ...versions, sequence: versions.sequence + 1 }
      changed.push([tag, versions.sequence])
      events?.advanced()
    },
    /** The server loses its data. */
    lose() {
      versions = { epoch: 'two', sequence: 1 }
      changed = []
    },
    /** From now on, calls wait until the returned function is called. */
    hold() {
      let release = () => {}
      gate = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
  }
  async function respond<T>(name: string, value: () => T): Promise<T> {
    fake.calls.push(name)
    await gate
    return value()
  }
  const backend: StoreBackend = {
    open(opened) {
      events = opened
    },
    read: () => respond('read', () => READING),
    write: () => respond('write', () => {}),
    lease: () => respond('lease', () => false),
    release: () => respond('release', () => {}),
    advance: (tags) => respond(`advance ${tags}`, () => ({ ...versions, sequence: ++versions.sequence })),
    changes: (since) =>
      respond('changes', () => ({
        versions: { ...versions },
        tags: since?.epoch === versions.epoch ? changed.filter(([, sequence]) => sequence > since.sequence) : null,
      })),
    identify: async () => '',
    probe: () => respond('probe', () => {}),
    announce: (tags) => respond(`announce ${tags}`, () => {}),
    reconnect: () => void fake.reconnects++,
    async close() {},
  }
  return { ...fake, fake, backend }
}

async function open(t: Test) {
  const { fake, backend } = createFake()
  const { lines, log } = keepLines()
  const store = createSharedStore({ backend, log, place: 'the store', deadline: () => () => {}, closeMs: 0 })
  const heard: string[][] = []
  store.onInvalidate((tags) => heard.push([...tags]))
  t.teardown(() => store.close())
  fake.connect()
  await turn()
  t.strictSame(heard.splice(0), [[EVERY_TAG]], 'it is not known what was invalidated before')
  return { fake, store, heard, lines }
}

t.test('a response that arrives after an invalidation which it may not include is not used', async (t) => {
  const { fake, store, heard } = await open(t)
  const release = fake.hold()
  const reading = store.get('key')
  await turn()
  // The calls that follow do not wait.
  fake.hold()()
  fake.invalidate('a')
  await turn()
  t.strictSame(heard, [['a']])
  release()
  t.equal(await reading, null)
  t.ok(await store.get('key'), 'one that is read later is')
})

t.test('while an invalidation of this process is not recorded, it finds nothing with these tags', async (t) => {
  const { fake, store, heard } = await open(t)
  const release = fake.hold()
  const invalidation = store.invalidate(['a'])
  await turn()
  fake.hold()()
  t.equal(await store.get('key'), null)
  release()
  t.equal(await invalidation, true)
  t.ok(await store.get('key'))
  t.strictSame(heard, [], 'the process knows of it already')
})

t.test('the calls, the state and the invalidations that wait are measured', async (t) => {
  const { fake, store } = await open(t)
  const { recorder, read } = createRequestMetrics()
  await store.get('before')
  store.measure(recorder)
  await store.get('key')
  await store.versions()
  await store.invalidate(['a'])
  const { store: used } = read()
  t.match(used, { isUp: true, waiting: 0, late: 0 })
  const counted = used?.durations.map(({ operation, histogram: { counts } }) => [
    operation,
    counts.reduce((sum, count) => sum + count),
  ])
  t.strictSame(counted, [
    ['read', 1],
    ['versions', 1],
    ['invalidate', 1],
  ])
  fake.disconnect()
  await store.invalidate(['a', 'b'])
  await store.invalidate(['c'])
  t.match(read().store, { isUp: false, waiting: 2 })
  fake.connect()
  await turn()
  t.match(read().store, { isUp: true, waiting: 0 })
})

t.test('a call without a response in time is counted, and measured when the response arrives', async (t) => {
  const { fake, backend } = createFake()
  const passed: (() => void)[] = []
  const deadline = (_ms: number, onPassed: () => void) => {
    passed.push(onPassed)
    return () => {}
  }
  const store = createSharedStore({ backend, log: keepLines().log, place: 'the store', deadline, closeMs: 0 })
  t.teardown(() => store.close())
  fake.connect()
  await turn()
  const { recorder, read } = createRequestMetrics()
  store.measure(recorder)
  const release = fake.hold()
  const reading = store.get('key')
  for (const pass of passed.splice(0)) pass()
  t.equal(await reading, null)
  t.match(read().store, { isUp: false, late: 1, durations: [] })
  release()
  await turn()
  t.match(read().store?.durations, [{ operation: 'read' }])
})

t.test('invalidations wait for the store', async (t) => {
  const { fake, store } = await open(t)
  fake.disconnect()
  t.equal(await store.invalidate(['a', 'b']), false)
  t.equal(await store.invalidate(['b', 'c']), false)
  fake.calls.length = 0
  fake.connect()
  await turn()
  t.strictSame(fake.calls, ['changes', 'advance a,b,c', 'changes'], 'it is used after they have been recorded')
  t.ok(await store.get('key'))
})

t.test('more invalidations than a store can remember become one of everything', async (t) => {
  const { fake, store } = await open(t)
  fake.disconnect()
  for (let count = 0; count < 1_001; count++) await store.invalidate([`tag ${count}`])
  fake.calls.length = 0
  fake.connect()
  await turn()
  t.strictSame(fake.calls, ['changes', `advance ${EVERY_TAG}`, 'changes'])
})

t.test('after a connection was lost, the invalidations of that time are passed on', async (t) => {
  const { fake, heard } = await open(t)
  fake.disconnect()
  fake.invalidate('a')
  fake.invalidate('b')
  await turn()
  t.strictSame(heard, [])
  fake.connect()
  await turn()
  t.strictSame(heard.splice(0), [['a', 'b']])
  fake.disconnect()
  fake.connect()
  await turn()
  t.strictSame(heard, [], 'nothing was missed')
  fake.disconnect()
  fake.lose()
  fake.connect()
  await turn()
  t.strictSame(heard, [[EVERY_TAG]], 'the server has lost its data')
})

t.test('a connection that is silently broken is noticed and made again', async (t) => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { fake, store } = await open(t)
  mock.timers.tick(5_000)
  await turn()
  mock.timers.tick(5_000)
  await turn()
  t.equal(fake.reconnects, 0, 'it responds')
  const release = fake.hold()
  mock.timers.tick(5_000)
  await turn()
  t.equal(fake.reconnects, 0)
  mock.timers.tick(5_000)
  t.equal(fake.reconnects, 1)
  fake.disconnect()
  t.equal(await store.get('key'), null)
  release()
  fake.connect()
  await turn()
  t.ok(await store.get('key'))
})

t.test('there is one warning a minute', async (t) => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { fake, lines } = await open(t)
  for (let second = 0; second < 61; second++) {
    fake.disconnect()
    mock.timers.tick(1_000)
  }
  t.equal(lines.length, 2)
  fake.connect()
  await turn()
  t.equal(lines[2], 'the page cache uses the store again')
})

t.test('a second outage is written too, unless it is over within a second', async (t) => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { fake, lines } = await open(t)
  async function goAway(ms: number) {
    fake.disconnect()
    mock.timers.tick(ms)
    fake.connect()
    await turn()
    return lines.splice(0).map((line) => line.replace(/, so .*/, ''))
  }
  const both = ['the page cache cannot use the store', 'the page cache uses the store again']
  t.strictSame(await goAway(0), both)
  for (let count = 0; count < 5; count++) t.strictSame(await goAway(900), [])
  t.strictSame(await goAway(1_000), both)
  t.strictSame(await goAway(61_000), both)
})
