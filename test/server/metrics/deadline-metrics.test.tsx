// Deadlines that passed are counted by route and phase, whether or not the response had begun.

import { Suspense, use } from 'react'
import t from 'tap'
import { createInstance } from '../../../src/server/create-server.ts'
import { createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { testBuild } from '../../test-site.ts'
import { createLog, HTML, JSON_ONLY } from '../served.ts'

const never = () => new Promise(() => {})
const loadLater = () => ({ later: new Promise<string>(() => {}) })
const Later = ({ later }: ReturnType<typeof loadLater>) => <b>{use(later)}</b>

const site = {
  '/load/[id]': { load: never },
  '/guard': { guard: never },
  '/action': { action: never },
  '/stream': {
    Component: ({ data }: { data: ReturnType<typeof loadLater> }) => (
      <Suspense fallback={<i>wait</i>}>
        <Later {...data} />
      </Suspense>
    ),
    load: loadLater,
  },
  '/fail'() {
    throw new Error('no deadline')
  },
}

t.test('deadlines of loads, actions and streams are counted', async (t) => {
  const dir = t.testdir({})
  const log = createLog()
  const { recorder, read } = createRequestMetrics()
  const config = { ledger: false, logRequests: true, timeouts: { loadMs: 50, renderMs: 50 } }
  const options = resolveOptions({ config, scope: 'server' })
  const { app } = await createInstance({ dir, ...testBuild(site, { dir }), options, logging: log, metrics: recorder })
  t.teardown(() => app.close())
  t.equal((await app.inject({ url: '/load/7', headers: HTML })).statusCode, 504)
  t.equal((await app.inject({ url: '/load/8', headers: JSON_ONLY })).statusCode, 504)
  t.equal((await app.inject({ method: 'POST', url: '/action', headers: HTML })).statusCode, 504)
  t.equal((await app.inject({ url: '/guard', headers: HTML })).statusCode, 504)
  const streamed = await app.inject({ url: '/stream', headers: HTML })
  t.equal(streamed.statusCode, 200)
  t.equal((await app.inject({ url: '/fail', headers: HTML })).statusCode, 500)
  const timeouts = new Map(read().routes.map(({ route, timeouts }) => [route, timeouts]))
  t.strictSame(timeouts.get('/load/[id]'), [{ phase: 'load', count: 2 }])
  t.strictSame(timeouts.get('/guard'), [{ phase: 'guard', count: 1 }])
  t.strictSame(timeouts.get('/action'), [{ phase: 'action', count: 1 }])
  t.strictSame(timeouts.get('/stream'), [{ phase: 'stream', count: 1 }])
  t.strictSame(timeouts.get('/fail'), [])
  t.equal(read().inFlight, 0)
  // A stream shows the failure after its status was sent.
  const line = log.lines.find(({ msg, route }) => msg === 'request completed' && route === '/stream')
  t.equal(line?.digest, log.errors().find(({ route }) => route === '/stream')?.digest)
  t.ok(line?.digest)
})
