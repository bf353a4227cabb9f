// The page caches of workers, as their operators see them.

import { join } from 'node:path'
import t from 'tap'
import type { CacheReport } from '../../../src/server/admin/cache-report.ts'
import { createHttpClient } from '../../http-client.ts'
import { startRedis } from '../../redis.ts'
import { type SiteServer, startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML } from '../served.ts'
import { LONG } from './worker-site.ts'

async function adminOf({ waitForLine }: SiteServer): Promise<string> {
  const { msg } = await waitForLine((line) => line.msg.startsWith('the console is at'))
  return String(/http:\S+/.exec(msg)?.[0])
}

t.test('the primary adds up the caches of its workers, and empties all of them', async (t) => {
  const dir = await buildFiles(join(t.testdir({}), 'site'), {
    'pages/one.tsx': 'export default ({ data }) => <p>{data.pid}</p>\n',
    'pages/one.server.ts':
      "export const cache = { maxAgeS: 3600, tags: ['one'] }\nexport const load = () => ({ pid: process.pid })\n",
  })
  const env = { ...LONG, HYDRANT_WORKERS: '2', HYDRANT_ADMIN: '0', HYDRANT_PAGE_CACHE_HEADER: 'true' }
  const site = await startSite(t, { dir, env })
  const { port } = site
  const admin = await adminOf(site)
  // A connection for each request: a kept connection stays with one worker.
  const { send } = createHttpClient(t, { keepAlive: false })
  const ask = () => send({ port, path: '/one', headers: HTML })
  const report = async () => (await (await fetch(`${admin}/api/cache`)).json()) as CacheReport

  const empty = () => fetch(`${admin}/cache`, { method: 'POST', redirect: 'manual', body: new URLSearchParams() })
  const misses = async () => (await report()).routes[0]?.responses.miss ?? 0

  // One worker has rendered it, and the other one has a copy. On a busy machine the primary may send the copy too late:
  // the other worker then renders the page itself.
  async function shareOne(): Promise<boolean> {
    await empty()
    const before = await misses()
    const first = await ask()
    t.equal(first.headers['hydrant-cache'], 'miss')
    const bodies = new Set([first.body])
    await until(async () => {
      bodies.add((await ask()).body)
      return (await report()).entries === 2
    })
    return (await misses()) === before + 1 && bodies.size === 1
  }
  await until(shareOne)
  // A worker that is busy is left out.
  const { routes, tags } = await until(async () => {
    const found = await report()
    return found.entries === 2 ? found : null
  })
  t.match(routes, [{ route: '/one', entries: 2 }])
  t.match(tags[0], { tag: 'one', entries: 2 })

  const before = await misses()
  t.equal((await empty()).status, 303, 'as the button does')
  await until(async () => (await report()).entries === 0)
  t.match(await report(), { entries: 0, bytes: 0, tags: [] })
  t.equal((await ask()).headers['hydrant-cache'], 'miss', 'the primary has no copy either')
  const sample = `hydrant_cache_responses_total{route="/one",result="miss"} ${before + 1}\n`
  await until(async () => (await (await fetch(`${admin}/metrics`)).text()).includes(sample))
})

t.test('workers start without a page cache', async (t) => {
  const dir = await buildFiles(join(t.testdir({}), 'site'), {
    'pages/one.tsx': 'export default ({ data }) => <p>{data}</p>\n',
    'pages/one.server.ts': 'let runs = 0\nexport const cache = { maxAgeS: 3600 }\nexport const load = () => ++runs\n',
  })
  const { port } = await startSite(t, { dir, env: { HYDRANT_WORKERS: '2', HYDRANT_PAGE_CACHE_MAX_BYTES: '0' } })
  const { send } = createHttpClient(t)
  for (const run of [1, 2]) t.match((await send({ port, path: '/one', headers: HTML })).body, `<p>${run}</p>`)
})

t.test('the metrics have the store and the render slots of all workers', async (t) => {
  const dir = await buildFiles(join(t.testdir({}), 'site'), {
    'pages/one.tsx': 'export default () => <p>one</p>\n',
    'pages/one.server.ts': "export const cache = { maxAgeS: 3600, tags: ['one'] }\nexport const load = () => 1\n",
    'server.ts': `export default async function server(app) {
  app.get('/invalidate', () => app.pageCache.invalidate({ tags: ['one'] }))
}
`,
  })
  const redis = await startRedis(t)
  const env = {
    ...LONG,
    HYDRANT_WORKERS: '2',
    HYDRANT_ADMIN: '0',
    HYDRANT_LIMITS_MAX_RENDERS: '7',
    HYDRANT_PAGE_CACHE_STORE: redis.url,
  }
  const site = await startSite(t, { dir, env })
  const admin = await adminOf(site)
  const { send } = createHttpClient(t, { keepAlive: false })
  const ask = (path: string) => send({ port: site.port, path, headers: HTML })
  const text = async () => (await fetch(`${admin}/metrics`)).text()
  const sampleOf = async (name: string) =>
    Number(
      (await text())
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    )

  await until(async () => (await sampleOf('hydrant_cache_store_up')) === 1)
  await until(async () => (await sampleOf('hydrant_max_renders')) >= 14)
  t.equal(await sampleOf('hydrant_max_renders'), 14)
  t.equal(await sampleOf('hydrant_renders'), 0)
  await ask('/one')
  await ask('/invalidate')
  await until(async () => {
    const metrics = await text()
    return ['read', 'lease', 'write', 'invalidate'].every((operation) =>
      metrics.includes(`hydrant_cache_store_duration_seconds_count{operation="${operation}"}`),
    )
  })
  await until(async () => (await sampleOf('hydrant_cache_invalidations_waiting')) === 0)

  await redis.kill()
  await until(async () => (await sampleOf('hydrant_cache_store_up')) === 0)
  t.match((await ask('/invalidate')).body, '{"isRecorded":false}')
  await until(async () => (await sampleOf('hydrant_cache_invalidations_waiting')) > 0)
  t.equal(await sampleOf('hydrant_cache_invalidations_waiting'), 1, 'each worker waits with it, and it counts once')

  await redis.start()
  await until(async () => (await sampleOf('hydrant_cache_store_up')) === 1)
  await until(async () => (await sampleOf('hydrant_cache_invalidations_waiting')) === 0)
})
