// The metrics of workers that the test makes report and end by hand.

import { hasSubscribers } from 'node:diagnostics_channel'
import t from 'tap'
import type { SlowRequest } from '../../../src/server/ledger/times.ts'
import { createRequestMetrics, type RequestCounts } from '../../../src/server/metrics/request-metrics.ts'
import { createClusterMetrics } from '../../../src/server/start/cluster-metrics.ts'
import type { ToPrimary, ToWorker } from '../../../src/server/start/messages.ts'
import { createWorkerMetrics } from '../../../src/server/start/primary-channel.ts'
import type { WorkerProcess } from '../../../src/server/start/worker-process.ts'
import { until } from '../../until.ts'

const NOW = 1_000_000_000_000

function createCluster() {
  const serving: WorkerProcess[] = []
  const clock = { now: NOW }
  const metrics = createClusterMetrics(
    { serving: () => serving, lostCount: () => 0, lastReload: () => null },
    () => clock.now,
  )

  /** Starts a worker that reports `counts` when the primary asks, until `ended` resolves. */
  function start(counts: () => RequestCounts, ended: Promise<unknown> = new Promise(() => {})): WorkerProcess {
    let isRunning = true
    void ended.then(() => {
      isRunning = false
    })
    const send = (message: ToWorker) => {
      if (message.kind === 'count' && isRunning)
        metrics.take({ kind: 'metrics', id: message.id, metrics: [], counts: counts() }, worker)
    }
    // The parts that are used.
    const worker = { name: '1', send, ended } as unknown as WorkerProcess
    serving.push(worker)
    return worker
  }

  function end(worker: WorkerProcess) {
    serving.splice(serving.indexOf(worker), 1)
    metrics.end(worker)
  }
  return { clock, metrics, start, end }
}

/** Returns the counts of a process with one request of each route. */
function countsOf(routes: readonly string[], slowest: SlowRequest[] = []): RequestCounts {
  const counts = createRequestMetrics().read()
  const sums = { count: 1, sumMs: 1, maxMs: 1, counts: [1], blockedMs: 0, bytes: 0, maxBytes: 0 }
  const steps = routes.map((route) => ({ route, kind: 'load' as const, subject: `pages${route}.server.ts:1`, ...sums }))
  return { ...counts, times: { steps, slowest } }
}

const slowRequest = (id: string): SlowRequest => {
  const request = { route: '/a', method: 'GET', path: '/a', status: 200, durationMs: 1_000, bytes: 0, cache: null }
  return { id, time: NOW - 1_000, ...request, release: '', steps: [] }
}

t.test('the slowest requests of workers that have ended are kept for two minutes', async (t) => {
  const { clock, metrics, start, end } = createCluster()
  for (let worker = 0; worker < 50; worker++) {
    const ended = start(() => countsOf(['/a'], [slowRequest(`R-${worker}`)]))
    await metrics.counts()
    end(ended)
  }
  const { times } = await metrics.counts()
  t.equal(times.slowest.length, 50, 'none is lost before it is written')
  t.match(times.steps, [{ route: '/a', count: 50 }])
  clock.now += 120_001
  const later = await metrics.counts()
  t.strictSame(later.times.slowest, [])
  t.match(later.times.steps, [{ route: '/a', count: 50 }])
})

t.test('the places of earlier builds share one name beyond the limit', async (t) => {
  const { metrics, start, end } = createCluster()
  const routesOf = (build: number) => Array.from({ length: 1_500 }, (_, index) => `/${build}/${index}`)
  for (let build = 0; build < 5; build++) {
    const ended = start(() => countsOf(routesOf(build)))
    await metrics.counts()
    end(ended)
  }
  const { steps } = (await metrics.counts()).times
  t.equal(steps.length, 2_001)
  t.match(steps.at(-1), { route: '*', kind: 'load', subject: '*', count: 5 * 1_500 - 2_000 })
  t.ok(
    steps.some(({ route }) => route === '/4/0'),
    'those of the newest build are kept',
  )
})

t.test('a worker that is killed keeps the times that it reported last', async (t) => {
  const { metrics, start, end } = createCluster()
  const worker = start(() => countsOf(['/a']))
  await metrics.counts()
  const { times: _, ...counts } = countsOf([])
  metrics.take({ kind: 'counts', counts: { ...counts, logLinesLost: 7 } }, worker)
  end(worker)
  const all = await metrics.counts()
  t.match(all.times.steps, [{ route: '/a', count: 1 }])
  t.equal(all.logLinesLost, 7)
})

t.test('nothing waits for a worker that has ended', async (t) => {
  const { metrics, start } = createCluster()
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  start(() => countsOf(['/a']), ended)
  await metrics.counts()
  end()
  await ended
  let counted: RequestCounts | null = null
  void metrics.counts().then((counts) => {
    counted = counts
  })
  await new Promise(setImmediate)
  t.match(counted, { times: { steps: [{ route: '/a', count: 1 }] } })
})

t.test('a worker sends its times when the primary asks, and at last, not with the counts of each second', async (t) => {
  const sent: ToPrimary[] = []
  let ask: (message: ToWorker) => void = () => {}
  const metrics = createWorkerMetrics({
    send: async (message: ToPrimary) => void sent.push(message),
    listen(listener: typeof ask) {
      ask = listener
    },
    // The parts that are used.
  } as Parameters<typeof createWorkerMetrics>[0])
  metrics.open()
  await until(() => sent.length > 0)
  t.match(sent, [{ kind: 'counts', counts: { routes: [], times: undefined } }])
  sent.length = 0
  ask({ kind: 'count', id: 7 })
  await until(() => sent.some(({ kind }) => kind === 'metrics'))
  t.match(
    sent.find(({ kind }) => kind === 'metrics'),
    { id: 7, counts: { times: { steps: [] } } },
  )
  await metrics.close()
  t.match(sent.at(-1), { kind: 'counts', counts: { times: { steps: [] } } })
  t.notOk(hasSubscribers('undici:request:create'), 'its calls of other servers are watched no longer')
})
