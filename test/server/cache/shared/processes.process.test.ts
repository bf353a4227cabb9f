// Three processes that share a cache: workers, and processes with PostgreSQL or Redis.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { startPostgres } from '../../../postgres.ts'
import { startRedis } from '../../../redis.ts'
import { startSite } from '../../../site-server.ts'
import { until } from '../../../until.ts'
import { buildFiles } from '../../served.ts'
import { type DrivenStore, driveStore } from './drive-store.ts'
import { response } from './stores.ts'

const LONG_MS = 600_000
const PROGRAM = resolve('dist/test/server/cache/shared/store-program.js')

const postgres = startPostgres(t)
const redis = await startRedis(t)

/** The path of a socket file is short. */
function createFolder(t: Pick<Test, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function startProgram(t: Test, url: string, file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, url, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') return child
  throw new Error('the program has ended')
}

/** All processes want the same page, and one renders it. Returns how often it was rendered. */
async function serveGroup(stores: readonly DrivenStore[], key: string): Promise<number> {
  let renders = 0
  const wait = async (store: DrivenStore) =>
    (await store.lease(key, LONG_MS)) ? store.get(key) : store.awaitEntry(key, LONG_MS)
  const serve = async (store: DrivenStore) => {
    if ((await store.get(key)) ?? (await wait(store))) return store.release(key)
    renders++
    const since = await store.versions()
    if (since) await store.set(key, response(['a'], 'rendered'), since)
  }
  await Promise.all(stores.map(serve))
  return renders
}

async function testThree(t: Test, stores: readonly DrivenStore[]) {
  for (const store of stores) await until(() => store.versions())
  const [one, two, three] = stores
  if (!one || !two || !three) throw new Error('there are three processes')
  for (const { heard } of stores) heard.length = 0
  for (const key of ['group', 'other', 'third']) t.equal(await serveGroup(stores, key), 1)
  for (const store of stores) t.match(await store.get('group'), { body: 'rendered' })
  const before = await three.versions()
  await two.invalidate(['a'])
  for (const store of stores) t.equal(await store.get('group'), null)
  await until(() => one.heard.includes('a') && three.heard.includes('a'))
  t.strictSame(two.heard, [])
  if (before) await three.set('group', response(['a'], 'old'), before)
  t.equal(await one.get('group'), null)
}

for (const [name, url] of [
  ['PostgreSQL', postgres.url],
  ['Redis', redis.url],
] as const) {
  t.test(`${name}: three processes, one of which is killed while it renders`, async (t) => {
    const folder = createFolder(t)
    const files = ['1', '2', '3'].map((number) => join(folder, number))
    const children = await Promise.all(files.map((file) => startProgram(t, url, file)))
    const stores = await Promise.all(files.map((file) => driveStore(t, file)))
    await testThree(t, stores)
    const [one, two] = stores
    await one?.lease('abandoned', 300)
    children[0]?.kill('SIGKILL')
    t.equal(await two?.awaitEntry('abandoned', LONG_MS), null)
    t.equal(await two?.lease('abandoned', LONG_MS), true)
    for (const child of children.slice(1)) {
      child.stdin?.end()
      if (child.exitCode === null) await once(child, 'exit')
      t.equal(child.exitCode, 0, 'it ends when its store is closed')
    }
  })
}

// The modules of the site have no part of Hydrant's own, so they are imported by path.
const SERVER = `
import cluster from 'node:cluster'
const load = (file) => import(process.env.MODULES + '/' + file)
export default async function server(app) {
  const { createPrimaryChannel } = await load('src/server/start/primary-channel.js')
  const { openWorkerStore } = await load('src/server/start/shared-cache.js')
  const { serveStore } = await load('test/server/cache/shared/drive-store.js')
  const input = { log: app.log, deadline: () => () => {} }
  const store = await openWorkerStore(createPrimaryChannel(cluster.worker), { store: null }, input)
  await serveStore(store, process.env.FOLDER + '/' + process.pid)
  app.addHook('onClose', () => store.close())
}
`

t.test('workers: three of them, one of which is killed while it renders', async (t) => {
  const folder = createFolder(t)
  const files = { 'server.ts': SERVER, 'pages/index.tsx': 'export default () => <p>page</p>\n' }
  const dir = await buildFiles(join(t.testdir({}), 'site'), files)
  const env = { HYDRANT_WORKERS: '3', FOLDER: folder, MODULES: resolve('dist') }
  const server = await startSite(t, { dir, env })
  const open = () => Promise.all(readdirSync(folder).map((file) => driveStore(t, join(folder, file))))
  const stores = await open()
  await testThree(t, stores)
  const [one, two] = stores
  if (!one || !two) throw new Error('there are three workers')
  await one.lease('abandoned', LONG_MS)
  const waiting = two.awaitEntry('abandoned', LONG_MS)
  process.kill(one.pid, 'SIGKILL')
  t.equal(await waiting, null, 'the primary ends its leases')
  t.equal(await two.lease('abandoned', LONG_MS), true)
  await server.stop()
  t.strictSame(await server.ended, [0, null])
})

t.test('without its package, a store is an error with a fix', async (t) => {
  const home = createFolder(t)
  cpSync('dist/src', join(home, 'dist/src'), { recursive: true, filter: (path) => !path.endsWith('.map') })
  cpSync('package.json', join(home, 'package.json'))
  mkdirSync(join(home, 'node_modules'))
  for (const name of readdirSync('node_modules')) {
    if (['pg', 'iovalkey'].includes(name)) continue
    symlinkSync(resolve('node_modules', name), join(home, 'node_modules', name))
  }
  const { openSharedStore } = await import(join(home, 'dist/src/server/cache/shared/open-shared-store.js'))
  for (const [url, place, name] of [
    ['redis://:a-secret@cache/1', 'redis://cache/1', 'iovalkey'],
    ['postgres://user:a-secret@db/site?password=a-secret', 'postgres://db/site', 'pg'],
  ]) {
    const error = await openSharedStore({ maxBytes: 1, store: url }, {}).catch((error: unknown) => error)
    t.match(error, {
      code: 'HYD_CACHE_STORE_PACKAGE',
      message: `the store of the page cache, ${place}, needs the package ${name}, which cannot be loaded: Cannot find package '${name}'`,
      fix: `npm install ${name}`,
    })
    t.notMatch(`${error} ${error.stack} ${error.cause}`, 'a-secret')
  }
})
