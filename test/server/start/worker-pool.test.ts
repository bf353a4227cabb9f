// The pool with workers that the test makes ready and ends by hand.

import Fastify from 'fastify'
import t from 'tap'
import { createWorkerPool } from '../../../src/server/start/worker-pool.ts'
import type { End, WorkerProcess, WorkerSource } from '../../../src/server/start/worker-process.ts'
import { until } from '../../until.ts'
import { createLog } from '../served.ts'

interface FakeWorker extends WorkerProcess {
  isSuccessor: boolean
  isTold: boolean
  begin(): void
  end(end: End): void
}

const KILLED: End = { code: null, signal: 'SIGKILL' }
const DONE: End = { code: 0, signal: null }
const REFUSED: End = { code: null, signal: null, error: new Error('spawn node EAGAIN') }

function createDeferred<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

function fakeWorker(name: string, isSuccessor: boolean, source: WorkerSource): FakeWorker {
  const { promise: ready, resolve: resolveReady } = createDeferred<readonly string[] | null>()
  const { promise: ended, resolve: resolveEnded } = createDeferred<End>()
  let isReady = false
  const worker: FakeWorker = {
    ...{ name, isSuccessor, source, pid: 1, ready, ended, isTold: false },
    isReady: () => isReady,
    served: () => ({ release: '', build: '' }),
    describeRequests: () => '',
    send: () => {},
    hand: () => {},
    stop() {
      worker.isTold = true
      if (!isReady) worker.kill()
      return ended
    },
    kill: () => worker.end(KILLED),
    begin() {
      isReady = true
      resolveReady([`at ${name}`])
    },
    end(end) {
      resolveReady(null)
      resolveEnded(end)
    },
  }
  return worker
}

function createPool(count: number) {
  const forked: FakeWorker[] = []
  let reads = 1
  const { logger, errors } = createLog()
  const pool = createWorkerPool({
    count,
    timeouts: { drainMs: 1_000, stopDelayMs: 0 },
    log: Fastify({ logger }).log,
    source: { build: null, env: { READ: '1' } },
    readSource: () => ({ build: null, env: { READ: String(++reads) } }),
    fork(name, isSuccessor, source) {
      const worker = fakeWorker(name, isSuccessor, source)
      forked.push(worker)
      return worker
    },
    onEnd: () => {},
  })
  return { pool, forked, errors }
}

const turn = () => new Promise(setImmediate)

async function startPool(count: number) {
  const created = createPool(count)
  const started = created.pool.start()
  for (let index = 0; index < count; index++) {
    created.forked[index]?.begin()
    await turn()
  }
  return { ...created, outcome: await started }
}

t.test('the first worker starts alone, and the pool resolves with its addresses', async (t) => {
  const { pool, forked } = createPool(3)
  const started = pool.start()
  await turn()
  t.equal(forked.length, 1)
  forked[0]?.begin()
  await turn()
  t.equal(forked.length, 3)
  for (const worker of forked) worker.begin()
  t.strictSame(await started, { addresses: ['at 1'] })
  t.strictSame(
    forked.map(({ isSuccessor }) => isSuccessor),
    [false, false, false],
  )
})

t.test('a worker that cannot start ends the start', async (t) => {
  const { pool, forked } = createPool(2)
  const started = pool.start()
  forked[0]?.end({ code: 3, signal: null })
  t.strictSame(await started, { failed: { code: 3, signal: null } })
  t.equal(forked.length, 1)
})

t.test('what is to replace workers waits until all have started', async (t) => {
  const { pool, forked } = createPool(2)
  const started = pool.start()
  forked[0]?.begin()
  await turn()
  const replaced = pool.replace(forked[1] as FakeWorker)
  await turn()
  const reloads = [pool.reload(), pool.reload()]
  await turn()
  t.equal(forked.length, 2)
  forked[1]?.begin()
  t.strictSame(await started, { addresses: ['at 1'] })
  for (const index of [2, 3, 4]) {
    await until(() => forked.length > index)
    forked[index]?.begin()
  }
  await Promise.all([replaced, ...reloads])
  t.strictSame(readsOf(pool.serving()), ['1:2', '2:2'])
  t.equal(forked.length, 5, 'one reload is enough')
})

t.test('a reload during a start that fails does nothing', async (t) => {
  const { pool, forked } = createPool(2)
  const started = pool.start()
  const reloaded = pool.reload()
  await turn()
  forked[0]?.end({ code: 3, signal: null })
  t.strictSame(await started, { failed: { code: 3, signal: null } })
  await reloaded
  t.equal(forked.length, 1)
})

t.test('a worker that ends while others start is replaced', async (t) => {
  const { pool, forked } = createPool(2)
  const started = pool.start()
  forked[0]?.begin()
  await turn()
  forked[0]?.end(KILLED)
  await turn()
  t.equal(pool.lostCount(), 0)
  forked[1]?.begin()
  await started
  t.equal(pool.lostCount(), 1)
  t.strictSame(
    pool.serving().map(({ name }) => name),
    ['2'],
  )
  await Promise.all([pool.stop(), forked[1]?.end(DONE)])
})

t.test('a reload replaces one worker after the other', async (t) => {
  const { pool, forked } = await startPool(2)
  const reloaded = pool.reload()
  for (const index of [2, 3]) {
    await turn()
    t.equal(forked.length, index + 1, 'one successor at a time')
    t.equal(forked[index - 2]?.isTold, false)
    forked[index]?.begin()
  }
  await reloaded
  t.strictSame(
    forked.map(({ name, isSuccessor, isTold }) => [name, isSuccessor, isTold]),
    [
      ['1', false, true],
      ['2', false, true],
      ['1', true, false],
      ['2', true, false],
    ],
  )
  t.match(pool.lastReload(), { isDone: true })
  t.equal(pool.lostCount(), 0)
})

t.test('a stop during a reload starts no further worker', async (t) => {
  const { pool, forked } = await startPool(3)
  const reloaded = pool.reload()
  await turn()
  const stopped = pool.stop()
  await turn()
  for (const worker of forked) worker.end(worker.isReady() ? DONE : KILLED)
  t.equal(await stopped, true)
  await reloaded
  t.equal(forked.length, 4)
  t.ok(forked.every(({ isTold }) => isTold))
  t.equal(pool.lastReload(), null)
})

t.test('a stop tells whether each worker has finished its requests', async (t) => {
  const { pool, forked } = await startPool(2)
  const stopped = pool.stop()
  forked[0]?.end(DONE)
  forked[1]?.end({ code: 1, signal: null })
  t.equal(await stopped, false)
  t.equal(pool.lostCount(), 0)
})

/** Which read of the disk each worker has started from, by its name. */
const readsOf = (workers: readonly WorkerProcess[]) => workers.map(({ name, source }) => `${name}:${source.env.READ}`)

t.test('a worker that is lost after a failed reload starts from what all workers have started from', async (t) => {
  const { pool, forked } = await startPool(2)
  const reloaded = pool.reload()
  await turn()
  forked[2]?.end({ code: 1, signal: null })
  await reloaded
  t.match(pool.lastReload(), { isDone: false })
  forked[0]?.end(KILLED)
  await until(() => forked.length === 4)
  t.strictSame(readsOf(forked), ['1:1', '2:1', '1:2', '1:1'])
})

t.test('a reload whose second worker does not start takes the first one back', async (t) => {
  const { pool, forked } = await startPool(2)
  const reloaded = pool.reload()
  await turn()
  forked[2]?.begin()
  await turn()
  forked[3]?.end({ code: 1, signal: null })
  await turn()
  forked[4]?.begin()
  await reloaded
  t.match(pool.lastReload(), { isDone: false })
  t.strictSame(readsOf(forked), ['1:1', '2:1', '1:2', '2:2', '1:1'])
  t.strictSame(readsOf(pool.serving()), ['1:1', '2:1'])
})

t.test('a worker that the system cannot create is replaced later, and the log says why', async (t) => {
  const { forked, errors } = await startPool(2)
  forked[0]?.end(KILLED)
  await until(() => forked.length === 3)
  forked[2]?.end(REFUSED)
  await until(() => forked.length === 4)
  t.strictSame(readsOf(forked.slice(2)), ['1:1', '1:1'])
  t.match(errors(), [
    { msg: /^worker 1 was killed by SIGKILL .*; a replacement starts in 100 ms$/ },
    { msg: 'worker 1 could not be started: spawn node EAGAIN; a replacement starts in 200 ms' },
  ])
})

t.test('a reload whose workers the system cannot create keeps the old ones, and the log says why', async (t) => {
  const { pool, forked, errors } = await startPool(2)
  const reloaded = pool.reload()
  await turn()
  forked[2]?.end(REFUSED)
  await reloaded
  t.strictSame(readsOf(pool.serving()), ['1:1', '2:1'])
  t.match(errors(), [
    { msg: 'worker 1 could not be started: spawn node EAGAIN' },
    { msg: /^the build on disk cannot start: / },
  ])
})

t.test('a worker of a new build that is lost during the reload fails the reload', async (t) => {
  const { pool, forked } = await startPool(2)
  const reloaded = pool.reload()
  await turn()
  forked[2]?.begin()
  await turn()
  forked[2]?.end(KILLED)
  await turn()
  forked[3]?.begin()
  await turn()
  await until(() => forked.length === 6)
  for (const worker of forked.slice(4)) worker.begin()
  await reloaded
  t.match(pool.lastReload(), { isDone: false })
  t.strictSame(readsOf(pool.serving()), ['1:1', '2:1'])
})

t.test('an old worker that is lost during a reload starts from the old source, and is then replaced', async (t) => {
  const { pool, forked } = await startPool(2)
  const reloaded = pool.reload()
  await turn()
  forked[1]?.end(KILLED)
  await until(() => forked.length === 4)
  forked[2]?.begin()
  await turn()
  t.strictSame(readsOf(forked), ['1:1', '2:1', '1:2', '2:1', '2:2'])
  for (const worker of forked.slice(3)) worker.begin()
  await reloaded
  t.match(pool.lastReload(), { isDone: true })
  t.strictSame(readsOf(pool.serving()), ['1:2', '2:2'])
})

t.test('a worker that is asked to stop while a reload replaces it is replaced once', async (t) => {
  const { pool, forked } = await startPool(2)
  const reloaded = pool.reload()
  await turn()
  for (const index of [0, 1, 1]) void pool.replace(forked[index] as FakeWorker)
  await turn()
  t.equal(forked.length, 4)
  for (const index of [2, 3, 4]) {
    forked[index]?.begin()
    await turn()
  }
  await reloaded
  t.match(pool.lastReload(), { isDone: true })
  t.strictSame(readsOf(pool.serving()), ['1:2', '2:2'])
})
