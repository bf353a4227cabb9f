// Several processes that serve one site with one page cache: workers, and replicas with PostgreSQL or Redis. One of the
// replicas is killed under load.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createHttpClient } from '../../http-client.ts'
import { startPostgres } from '../../postgres.ts'
import { command, startRedis } from '../../redis.ts'
import { ERROR, type SiteServer, startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML } from '../served.ts'
import { LONG } from '../start/worker-site.ts'

const dir = await buildFiles(join(t.testdir({}), 'site'), {
  'pages/index.tsx': `export default function Page({ data }) {
  return <p>{['value', data.value, 'by', data.pid].join(' ')}</p>
}
`,
  'pages/index.server.ts': `import { appendFileSync, readFileSync } from 'node:fs'

export const cache = { maxAgeS: 600, tags: ['value'] }

export async function load() {
  const value = readFileSync(process.env.VALUE_FILE, 'utf8')
  appendFileSync(process.env.VALUE_FILE + '.log', process.pid + '\\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  return { value, pid: process.pid }
}
`,
  'pages/parts/[id].tsx': `import { Suspense, use } from 'react'
const Part = ({ promise }) => <b>{['part of', use(promise)].join(' ')}</b>
export default function Page({ data, visitorData }) {
  return <main>{['shell by', data.pid].join(' ')}<Suspense><Part promise={visitorData} /></Suspense></main>
}
`,
  'pages/parts/[id].server.ts': `import { load as loadIndex } from '../index.server.ts'

export const cache = { maxAgeS: 600 }
export const load = loadIndex
export const loadVisitor = ({ request }) => request.headers['x-user']
`,
  'server.ts': `import { writeFileSync } from 'node:fs'

export default async function server(app) {
  app.addHook('onSend', async (request, reply) => void reply.header('x-pid', process.pid))
  app.get('/set/:value', async ({ params }) => {
    writeFileSync(process.env.VALUE_FILE, params.value)
    return app.pageCache.invalidate({ tags: ['value'] })
  })
}
`,
})

const valueFile = join(dir, 'value')
const rendersOf = () => readFileSync(`${valueFile}.log`, 'utf8').split('\n').length - 1

function reset() {
  writeFileSync(valueFile, '0')
  writeFileSync(`${valueFile}.log`, '')
}

const { createDatabase } = startPostgres(t)
const redis = await startRedis(t)
// A slow machine must not end a render early.
const ENV = { ...LONG, VALUE_FILE: valueFile }
// The replicas have different ports, and one address for visitors.
const HEADERS = { ...HTML, host: 'shop.example' }
const { send } = createHttpClient(t, { keepAlive: false })

async function valueAt({ port }: SiteServer): Promise<number> {
  const { body } = await send({ port, path: '/', headers: HEADERS })
  return Number(/value (\d+) by/.exec(body)?.[1])
}

/** Requests a page with a part of the visitor, and returns the text of its shell. */
async function shellAt(t: Test, { port }: SiteServer, path: string, user: string): Promise<string | undefined> {
  const { body } = await send({ port, path, headers: { ...HEADERS, 'x-user': user } })
  t.match(body, `part of ${user}<`)
  return /shell by \d+/.exec(body)?.[0]
}

t.test('workers render a page once, and all of them hear of an invalidation', async (t) => {
  reset()
  const site = await startSite(t, { dir, env: { ...ENV, HYDRANT_WORKERS: '2' } })
  const ask = (path: string) => send({ port: site.port, path, headers: HEADERS })
  let value = 0
  /** Invalidates the page. Returns how often it is rendered until both workers serve the new page. */
  async function renewals(): Promise<number> {
    const before = rendersOf()
    await ask(`/set/${++value}`)
    const seen = new Set<string>()
    await until(async () => {
      for (const { body, headers } of await Promise.all(Array.from({ length: 12 }, () => ask('/'))))
        if (body.includes(`value ${value} by`)) seen.add(String(headers['x-pid']))
      return seen.size === 2
    })
    return rendersOf() - before
  }
  // A worker renders by itself when the primary does not respond within 50 ms, which happens on a busy machine.
  for (let round = 1; round <= 3; round++) await until(async () => (await renewals()) === 1)
})

t.test('workers agree while Redis refuses to write, and say which invalidations they have lost', async (t) => {
  reset()
  const own = await startRedis(t)
  const site = await startSite(t, { dir, env: { ...ENV, HYDRANT_WORKERS: '2', HYDRANT_PAGE_CACHE_STORE: own.url } })
  const ask = (path: string) => send({ port: site.port, path, headers: HEADERS })
  /** Asks until both workers have responded with the value. Returns the values that came after that. */
  async function valuesAfter(value: number) {
    const seen = new Set<string>()
    const askAll = () => Promise.all(Array.from({ length: 12 }, () => ask('/')))
    await until(async () => {
      for (const { body, headers } of await askAll())
        if (body.includes(`value ${value} by`)) seen.add(String(headers['x-pid']))
      return seen.size === 2
    })
    return new Set((await askAll()).map(({ body }) => /value \d+/.exec(body)?.[0]))
  }

  await until(async () => (await ask('/set/1')).body === '{"isRecorded":true}')
  await valuesAfter(1)
  await command(own.url, 'CONFIG', 'SET', 'maxmemory', '1')
  t.equal((await ask('/set/2')).body, '{"isRecorded":false}')
  t.strictSame([...(await valuesAfter(2))], ['value 2'])
  // The store still has the page with the value 1, and the worker that takes the place of this one has not heard of 2.
  process.kill(Number((await ask('/')).headers['x-pid']), 'SIGKILL')
  t.strictSame([...(await valuesAfter(2))], ['value 2'])
  own.signal('SIGSTOP')
  t.teardown(() => own.signal('SIGCONT'))
  await ask('/set/3')
  t.strictSame([...(await valuesAfter(3))], ['value 3'])
  await site.stop()
  const lost = site.lines.filter(({ msg }) => msg.startsWith('invalidations may be lost'))
  t.ok(lost.length > 0)
  for (const { level, msg } of lost) {
    t.equal(level, ERROR)
    t.match(msg, /these tags: \["value"\]$/)
  }
})

for (const [name, store] of [
  ['PostgreSQL', createDatabase('cache')],
  ['Redis', redis.url],
] as const)
  t.test(`replicas share pages through ${name}, also when one of them is killed`, async (t) => {
    reset()
    const env = { ...ENV, HYDRANT_PAGE_CACHE_STORE: store }
    const [one, two, three] = await Promise.all([0, 1, 2].map(() => startSite(t, { dir, env })))
    if (!one || !two || !three) throw new Error('there are three replicas')
    await until(async () => {
      reset()
      await send({ port: one.port, path: '/set/0' })
      await Promise.all([one, two, three].map(valueAt))
      // From now on the store is available to all of them.
      return rendersOf() === 1
    })

    let asked = 0
    await until(async () => {
      const path = `/parts/${++asked}`
      const shells = await Promise.all(
        [one, two, three].map((site, index) => shellAt(t, site, path, `visitor${index}`)),
      )
      // A replica whose store is too slow for a moment renders its own.
      return new Set(shells).size === 1
    })

    let set = 0
    let isOver = false
    const wrong: string[] = []
    /** Requests the page of a replica again and again. The value must never go back. */
    async function watch(t: Test, site: SiteServer, isKilled: () => boolean) {
      let latest = 0
      while (!isOver) {
        const value = await valueAt(site).catch((error: Error) => (isKilled() ? latest : Promise.reject(error)))
        if (isKilled()) return
        if (value < latest || value > set) wrong.push(`${value} after ${latest}, ${set} is set`)
        latest = Math.max(latest, value)
      }
      t.equal(latest, set)
    }
    let isKilled = false
    const watching = [watch(t, one, () => false), watch(t, two, () => false), watch(t, three, () => isKilled)]
    for (let step = 1; step <= 12; step++) {
      const site = step % 2 === 0 ? one : two
      set = step
      await send({ port: site.port, path: `/set/${step}` })
      t.equal(await valueAt(site), step, 'the replica that invalidates sees the new value at once')
      if (step === 6) {
        isKilled = true
        process.kill(three.pid, 'SIGKILL')
      }
      const alive = isKilled ? [one, two] : [one, two, three]
      await until(async () => (await Promise.all(alive.map(valueAt))).every((value) => value === step))
    }
    isOver = true
    await Promise.all(watching)
    t.strictSame(wrong, [])
  })

t.test('only processes that serve the same pages share them', async (t) => {
  reset()
  const env = { ...ENV, HYDRANT_PAGE_CACHE_STORE: redis.url, PUBLIC_COLOR: 'red' }
  const start = (env: Record<string, string>) => startSite(t, { dir, env })
  const [one, two] = [await start(env), await start(env)]
  const others = {
    'another public variable': await start({ ...env, PUBLIC_COLOR: 'blue' }),
    'more public variables': await start({ ...env, PUBLIC_SIZE: 'large' }),
    'hosts of its own': await start({ ...env, HYDRANT_HOSTS: 'shop.example' }),
  }
  let asked = 0
  for (let round = 0; round < 3; round++) {
    let path = ''
    let shared: string | undefined
    await until(async () => {
      path = `/parts/same${++asked}`
      shared = await shellAt(t, one, path, 'visitor')
      return (await shellAt(t, two, path, 'visitor')) === shared
    })
    for (const [name, other] of Object.entries(others)) t.not(await shellAt(t, other, path, 'visitor'), shared, name)
  }
})

t.test('without a store, an invalidation reaches one process', async (t) => {
  reset()
  const [one, two] = [await startSite(t, { dir, env: ENV }), await startSite(t, { dir, env: ENV })]
  t.strictSame([await valueAt(one), await valueAt(two)], [0, 0])
  await send({ port: one.port, path: '/set/1' })
  t.strictSame([await valueAt(one), await valueAt(two)], [1, 0])
})
