import t from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import {
  addRequestCounts,
  createRequestMetrics,
  endRequestCounts,
} from '../../../src/server/metrics/request-metrics.ts'
import { findFailing } from '../../find-failing.ts'
import { failureOf, type ServedAdmin, serveAdmin } from './served-admin.ts'

/** Each sample's value by its name and labels. Every line has to be one. */
async function read(admin: ServedAdmin): Promise<Map<string, number>> {
  const { body } = await admin.ask('/metrics')
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const samples = lines.map((line) => {
    const [, name = '', value = ''] = /^([a-zA-Z_:][\w:]*(?:\{(?:\w+="[^"\n]*",?)*\})?) (\S+)$/.exec(line) ?? []
    return { line, name, value }
  })
  // Values before the first measurement are no numbers.
  const isNumber = (value: string) => !Number.isNaN(Number(value)) || /^nan$/i.test(value)
  t.strictSame(
    samples.filter(({ name, value }) => name === '' || !isNumber(value)),
    [],
  )
  return new Map(samples.map(({ name, value }) => [name, Number(value)]))
}

t.test('are in Prometheus’ format', async (t) => {
  const admin = await serveAdmin(t)
  t.equal((await admin.ask('/metrics')).headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const metrics = await read(admin)
  const names = ['hydrant_ledger_queue', 'hydrant_ledger_dropped_total', 'nodejs_eventloop_lag_seconds']
  t.strictSame(
    names.filter((name) => !metrics.has(name)),
    [],
  )
  const { body } = await admin.ask('/metrics')
  const own = [...body.matchAll(/^# TYPE (hydrant_\w+) (\w+)$/gm)]
  t.ok(own.length > 10, `${own.length} metrics`)
  t.strictSame(
    own.filter(([, name = '', type]) => /_total$/.test(name) !== (type === 'counter')),
    [],
  )
  t.equal(new Set(own.map(([, name]) => name)).size, own.length, 'each is there once')
})

t.test('move with what the site does, by its routes', async (t) => {
  const admin = await serveAdmin(t)
  const { recorder } = admin
  for (const durationMs of [4, 40]) {
    recorder.requestStarted()
    recorder.requestEnded()
    recorder.responseSent('/', 'GET', 200, durationMs)
  }
  recorder.responseSent('/products/[id]', 'GET', 500, 4)
  recorder.responseSent('/', 'POST', 422, 4)
  recorder.requestAborted('/')
  recorder.guardsEnded('/', 3)
  recorder.loadsEnded('/', 30)
  recorder.actionEnded('/', 7)
  recorder.deadlinePassed('/', 'load')
  recorder.requestStarted()
  recorder.documentRendered(3)
  recorder.firstByteSent({ elapsedTime: 20 })
  recorder.countRenders(() => ({ taken: 2, max: 10 }))
  recorder.foreignAsset('kept')
  await admin.keep(
    failureOf('7K2M9QX4-000001'),
    failureOf('7K2M9QX4-000002', { side: 'client', phase: 'client' }),
    failureOf('7K2M9QX4-000003', { phase: 'process', route: null }),
  )
  const metrics = await read(admin)
  const info = `version="0.1.0",release="1.4.0",build="B1",node="${process.versions.node}",react="`
  const expected = [
    ['hydrant_requests_total{method="GET",status="200",route="/"}', 2],
    ['hydrant_requests_total{method="POST",status="422",route="/"}', 1],
    ['hydrant_requests_total{method="GET",status="500",route="/products/[id]"}', 1],
    ['hydrant_requests_aborted_total{route="/"}', 1],
    ['hydrant_request_duration_seconds_count{route="/",status_class="2xx"}', 2],
    ['hydrant_request_duration_seconds_count{route="/",status_class="4xx"}', 1],
    ['hydrant_request_duration_seconds_bucket{route="/",status_class="2xx",le="0.005"}', 1],
    ['hydrant_request_duration_seconds_sum{route="/products/[id]",status_class="5xx"}', 0.004],
    ['hydrant_guard_duration_seconds_count{route="/"}', 1],
    ['hydrant_load_duration_seconds_bucket{route="/",le="0.05"}', 1],
    ['hydrant_action_duration_seconds_count{route="/"}', 1],
    ['hydrant_timeouts_total{phase="load",route="/"}', 1],
    ['hydrant_requests_in_flight', 1],
    ['hydrant_connections', 0],
    ['hydrant_renders', 2],
    ['hydrant_max_renders', 10],
    ['hydrant_foreign_assets_total{result="kept"}', 1],
    ['hydrant_foreign_assets_total{result="missing"}', 0],
    ['hydrant_log_lines_lost_total', 0],
    ['hydrant_last_reload_timestamp_seconds', 0],
    ['hydrant_last_reload_successful', 1],
    ['hydrant_render_duration_seconds_count', 1],
    ['hydrant_first_byte_seconds_bucket{le="0.01"}', 0],
    ['hydrant_first_byte_seconds_bucket{le="0.025"}', 1],
    ['hydrant_failures_total{side="server",phase="load",route="/products/[id]"}', 1],
    ['hydrant_failures_total{side="client",phase="client",route="/products/[id]"}', 1],
    ['hydrant_failures_total{side="server",phase="process",route=""}', 1],
    ['hydrant_ledger_written_total', 3],
    ['hydrant_ledger_memory_total', 0],
    ['hydrant_ledger_queue', 0],
    ['hydrant_processes{release="1.4.0"}', 1],
    ['hydrant_workers_lost_total', 0],
  ] as const
  const failing = await findFailing(
    expected,
    ([name]) => metrics.get(name),
    ([, value]) => value,
  )
  t.strictSame(failing, [])
  t.ok([...metrics.keys()].some((name) => name.startsWith(`hydrant_build_info{${info}`)))
  const again = await read(admin)
  t.equal(again.get('hydrant_requests_total{method="POST",status="422",route="/"}'), 1, 'reading changes nothing')
  t.equal(again.get('hydrant_timeouts_total{phase="load",route="/"}'), 1)
  admin.served.pop()
  t.equal((await read(admin)).get('hydrant_processes{release="1.4.0"}'), 0, 'no process serves')
})

t.test('the store of the page cache has metrics where there is one', async (t) => {
  const admin = await serveAdmin(t)
  const { recorder } = admin
  const ofStore = async () => [...(await read(admin))].filter(([name]) => /_cache_(?:store|invalidations_w)/.test(name))
  t.strictSame(await ofStore(), [])
  const store = { isUp: true, waiting: 0 }
  recorder.countStore(() => store)
  recorder.storeCalled('read', 4)
  recorder.storeCalled('write', 40)
  recorder.storeLate()
  const names = new Map(await ofStore())
  const expected = [
    ['hydrant_cache_store_up', 1],
    ['hydrant_cache_store_late_total', 1],
    ['hydrant_cache_invalidations_waiting', 0],
    ['hydrant_cache_store_duration_seconds_bucket{operation="read",le="0.005"}', 1],
    ['hydrant_cache_store_duration_seconds_sum{operation="write"}', 0.04],
  ] as const
  const failing = await findFailing(
    expected,
    ([name]) => names.get(name),
    ([, value]) => value,
  )
  t.strictSame(failing, [])
  Object.assign(store, { isUp: false, waiting: 2 })
  const later = new Map(await ofStore())
  t.equal(later.get('hydrant_cache_store_up'), 0)
  t.equal(later.get('hydrant_cache_invalidations_waiting'), 2)
  t.equal(later.get('hydrant_cache_store_late_total'), 1, 'reading changes nothing')
})

t.test('the stores and render slots of workers together are those of the workers that serve', async (t) => {
  const workers = Array.from({ length: 3 }, () => ({ ...createRequestMetrics(), state: { isUp: true, waiting: 3 } }))
  for (const { recorder, state } of workers) {
    recorder.countRenders(() => ({ taken: 2, max: 10 }))
    recorder.countStore(() => state)
    recorder.storeCalled('read', 4)
    recorder.storeLate()
    recorder.foreignAsset('missing')
  }
  const add = () => {
    const [first, ...others] = workers.map(({ read }) => read())
    if (!first) throw new Error('there are counts')
    return addRequestCounts([endRequestCounts(first), ...others])
  }
  const { renders, store, foreignAssets } = add()
  t.strictSame(renders, { taken: 4, max: 20 })
  t.match(store, { isUp: true, waiting: 3, late: 3, durations: [{ operation: 'read', histogram: { sumMs: 12 } }] })
  t.strictSame(foreignAssets, { kept: 0, missing: 3 })
  Object.assign(workers[0]?.state ?? {}, { isUp: false, waiting: 9 })
  t.match(add().store, { isUp: true, waiting: 3 }, 'one that has ended')
  Object.assign(workers[1]?.state ?? {}, { isUp: false })
  t.match(add().store, { isUp: false }, 'one that serves')
  t.equal(addRequestCounts([]).store, null)
})

t.test('the counts of workers add up by route, and the open requests of an ended worker do not count', async (t) => {
  const [one, two] = [createRequestMetrics(), createRequestMetrics()]
  for (const { recorder } of [one, two]) {
    recorder.requestStarted()
    recorder.responseSent('/', 'GET', 200, 4)
    recorder.loadsEnded('/', 4)
    recorder.deadlinePassed('/', 'render')
    recorder.requestAborted('/')
  }
  two.recorder.responseSent('/b', 'GET', 404, 4)
  two.countFailure({ side: 'server', phase: 'load', route: '/b' })
  for (const { recorder } of [one, two]) {
    recorder.countStored(() => ({ entries: 2, bytes: 10, evictions: 3, invalidations: 4 }))
    recorder.cacheResponded('/', 'hit')
    recorder.cacheRefused('/', 'header')
  }
  const { routes, inFlight, stored } = addRequestCounts([
    addRequestCounts([]),
    one.read(),
    endRequestCounts(two.read()),
  ])
  t.equal(inFlight, 1)
  t.strictSame(
    stored,
    { entries: 2, bytes: 10, evictions: 6, invalidations: 8 },
    'the memory of the second one is gone',
  )
  t.match(routes, [
    {
      route: '/',
      requests: [{ method: 'GET', status: 200, count: 2 }],
      durations: [{ statusClass: 2, histogram: { sumMs: 8 } }],
      loads: { sumMs: 8 },
      actions: null,
      timeouts: [{ phase: 'render', count: 2 }],
      aborted: 2,
      cached: [{ result: 'hit', count: 2 }],
      refused: [{ reason: 'header', count: 2 }],
    },
    { route: '/b', requests: [{ count: 1 }], failures: [{ side: 'server', phase: 'load', count: 1 }], loads: null },
  ])
})

t.test('the number of routes in the metrics is bounded', async (t) => {
  const { recorder, read } = createRequestMetrics()
  for (let number = 0; number < 1_500; number++) recorder.responseSent(`/${number}`, 'GET', 200, 1)
  const { routes } = read()
  t.equal(routes.length, 1_001)
  t.match(routes.at(-1), { route: '*', requests: [{ count: 500 }] })
})

t.test('a server without metrics serves requests', async (t) => {
  const app = await createServer({ dir: 'site', logger: false })
  t.teardown(() => app.close())
  t.equal((await app.inject('/')).statusCode, 200)
})
