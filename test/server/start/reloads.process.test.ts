// Builds that change on the disk while workers run.

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createHttpClient } from '../../http-client.ts'
import { startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, type Files, HTML } from '../served.ts'
import { LONG, workerSite } from './worker-site.ts'

const site = (version: string): Files => ({
  'server.ts': `export default async function server(app) {
  app.get('/version', async () => '${version}')
  app.get('/fail', async () => { throw new Error('fail') })
}
`,
})

const dir = await buildFiles(join(t.testdir({}), 'site'), site('one'))

interface Failure {
  count: number
  solvedAt: string | null
  occurrences: { release: string; build: string; replica: string; worker: string; pid: number }[]
}

t.test('a solved failure that occurs in a new build is open again, whatever the release', async (t) => {
  const env = { HYDRANT_WORKERS: '2', HYDRANT_ADMIN: '0', HYDRANT_RELEASE: 'v1' }
  const server = await startSite(t, { dir, env })
  const { send } = createHttpClient(t, { keepAlive: false })
  const ask = (path: string) => send({ port: server.port, path, headers: HTML })
  const { msg } = await server.waitForLine((line) => line.msg.startsWith('the console is at'))
  const admin = String(/http:\S+/.exec(msg)?.[0])
  const readFailure = async (fingerprint: string): Promise<Failure> =>
    (await fetch(`${admin}/api/failures/${fingerprint}`)).json()
  const fail = async () => {
    const fingerprint = String((await ask('/fail')).headers['x-error-digest']).slice(0, 8)
    await until(async () => (await fetch(`${admin}/api/failures/${fingerprint}`)).status === 200)
    return fingerprint
  }

  const fingerprint = await fail()
  const { occurrences } = await readFailure(fingerprint)
  t.match(occurrences, [{ release: 'v1', build: /^\w+$/, replica: hostname(), worker: /^[12]$/ }])
  t.ok(server.lines.some(({ pid }) => pid === occurrences[0]?.pid))
  const solve = () => fetch(`${admin}/api/failures/${fingerprint}/solve`, { method: 'POST' })
  t.equal((await solve()).status, 200)
  await fail()
  await until(async () => (await readFailure(fingerprint)).count === 2)
  t.match(await readFailure(fingerprint), { solvedAt: /^20/ }, 'the same build')

  const read = async (name: string) => {
    const text = await (await fetch(`${admin}/metrics`)).text()
    return text.split('\n').filter((line) => line.startsWith(name))
  }
  t.strictSame(await read('hydrant_last_reload'), [
    'hydrant_last_reload_timestamp_seconds 0',
    'hydrant_last_reload_successful 1',
  ])
  const [first = '', ...others] = await read('hydrant_build_info')
  t.match(first, /^hydrant_build_info\{version="[\d.]+",release="v1",build="\w+",node="[\d.]+",react="[\d.]+"\} 1$/)
  t.strictSame(others, [], 'once for both workers')

  await buildFiles(dir, site('two'))
  process.kill(server.pid, 'SIGHUP')
  await server.waitForLine((line) => line.msg.startsWith('reloaded:'))
  await until(async () => (await ask('/version')).body === 'two')
  t.equal(await fail(), fingerprint)
  await until(async () => (await readFailure(fingerprint)).count === 3)
  const again = await readFailure(fingerprint)
  t.equal(again.solvedAt, null)
  t.strictSame(
    again.occurrences.map(({ release }) => release),
    ['v1', 'v1', 'v1'],
  )
  t.equal(new Set(again.occurrences.map(({ build }) => build)).size, 2)

  const warned = server.lines.filter(({ level }) => level === 40)
  t.match(warned, [{ release: 'v1', msg: /^the new build has the same release as the previous one, "v1": / }])
  const [now] = await read('hydrant_build_info')
  t.match(now, 'release="v1"')
  t.not(now, first, 'another build')
  const at = Number((await read('hydrant_last_reload_timestamp_seconds'))[0]?.split(' ')[1])
  t.ok(Math.abs(at - Date.now() / 1_000) < 600, 'in seconds')
  t.strictSame(await read('hydrant_last_reload_successful'), ['hydrant_last_reload_successful 1'])

  const { length } = server.lines
  await buildFiles(dir, { 'server.ts': 'export default async function server() { await null; process.exit(3) }\n' })
  process.kill(server.pid, 'SIGHUP')
  await server.waitForLine((line) => line.msg.startsWith('the build on disk cannot start'))
  t.strictSame(await read('hydrant_last_reload_successful'), ['hydrant_last_reload_successful 0'])
  t.strictSame(await read('hydrant_build_info'), [now])
  t.notOk(server.lines.slice(length).some(({ msg }) => msg.startsWith('the new build has')))
})

t.test('a slow request has the release of the worker that served it', async (t) => {
  const dir = await buildFiles(join(t.testdir({}), 'site'), site('one'))
  const server = await startSite(t, { dir, env: { HYDRANT_WORKERS: '2', HYDRANT_ADMIN: '0' } })
  const { send } = createHttpClient(t, { keepAlive: false })
  const { msg } = await server.waitForLine((line) => line.msg.startsWith('the console is at'))
  const admin = String(/http:\S+/.exec(msg)?.[0])
  const ask = async () => (await send({ port: server.port, path: '/version', headers: HTML })).body
  const buildOf = async () =>
    /release="(\w+)"/.exec((await (await fetch(`${admin}/metrics`)).text()).split('hydrant_build_info{')[1] ?? '')?.[1]
  const first = await buildOf()
  t.equal(await ask(), 'one')
  await buildFiles(dir, site('two'))
  process.kill(server.pid, 'SIGHUP')
  await server.waitForLine((line) => line.msg.startsWith('reloaded:'))
  await until(async () => (await ask()) === 'two')
  const read = async (path: string) => (await fetch(`${admin}/api/slow${path}`)).json()
  const { slowest } = (await read('')) as { slowest: { id: string }[] }
  const requests = await Promise.all(slowest.map(({ id }) => read(`/${id}`) as Promise<{ release: string }>))
  const releases = new Set(requests.map(({ release }) => release))
  t.strictSame(releases, new Set([first, await buildOf()]))
  t.equal(releases.size, 2)
})

const BUNDLES = '.hydrant/server'

/** Starts in one worker only. `mark` is a file. */
const startsOnce = (mark: string) => `
import { writeFileSync } from 'node:fs'
export default async function server(app) {
  writeFileSync(${JSON.stringify(mark)}, '', { flag: 'wx' })
  app.get('/pid', async () => ({ pid: process.pid, version: 'once' }))
}
`

t.test('a lost worker is replaced by one of the same build, whatever is on the disk', async (t) => {
  const folder = t.testdir({})
  const dir = join(folder, 'site')
  const build = (name: string, files: Files = {}) => buildFiles(join(folder, name), { ...workerSite('two'), ...files })
  const original = await buildFiles(join(folder, 'original'), workerSite('one'))
  const works = await build('works')
  const fails = await build('fails', {
    'server.ts': 'export default async function server() { throw new Error("broken") } // fails: worker\n',
    'public/pid': 'a file at the path of a route of the other build',
  })
  const once = await build('once', { 'server.ts': startsOnce(join(folder, 'mark')) })
  const put = (source: string) => cpSync(source, dir, { recursive: true })
  put(original)
  const server = await startSite(t, { dir, env: { ...LONG, HYDRANT_WORKERS: '2' } })
  const { send } = createHttpClient(t, { keepAlive: false })
  const ask = (path: string) => send({ port: server.port, path, headers: HTML })

  /** Resolves with the versions that the workers serve, by process, once there are two without the one that has ended. */
  async function workers(ended?: number): Promise<Map<number, string>> {
    return await until(async () => {
      const found = new Map<number, string>()
      // At the same time, so that each worker gets some.
      for (const { body } of await Promise.all(Array.from({ length: 8 }, () => ask('/pid')))) {
        const { pid, version } = JSON.parse(body)
        found.set(pid, version)
      }
      return found.size === 2 && !found.has(ended ?? 0) ? found : null
    })
  }

  async function reload(end: string) {
    const { length } = server.lines
    process.kill(server.pid, 'SIGHUP')
    await until(() => server.lines.slice(length).some(({ msg }) => msg.startsWith(end)))
  }

  const refused = (change: () => void) => async () => {
    change()
    await reload('the build on disk cannot start')
  }
  const remove = () => rmSync(join(dir, '.hydrant'), { recursive: true })
  const copyBundle = () => cpSync(join(works, BUNDLES), join(dir, BUNDLES), { recursive: true })
  const setVariable = () => writeFileSync(join(dir, '.env'), 'HYDRANT_LIMITS_MAX_RENDERS=none\n')
  const ways: Record<string, () => unknown> = {
    'a newer build lies there': () => put(works),
    'a newer build has failed to start': refused(() => put(fails)),
    'a newer build has started in one worker, and not in the other': refused(() => put(once)),
    'the folder is gone, and a reload has failed': refused(remove),
    'the bundles are those of a newer build': refused(copyBundle),
    'a variable is invalid, and a reload has failed': refused(setVariable),
    'the variables cannot be read': refused(() => mkdirSync(join(dir, '.env'))),
  }
  const served: Record<string, unknown> = {}
  for (const [way, change] of Object.entries(ways)) {
    rmSync(dir, { recursive: true })
    put(original)
    await change()
    const [lost = 0] = (await workers()).keys()
    process.kill(lost, 'SIGKILL')
    served[way] = [...(await workers(lost)).values(), (await ask('/')).status]
  }
  t.strictSame(served, Object.fromEntries(Object.keys(ways).map((way) => [way, ['one', 'one', 200]])))

  rmSync(dir, { recursive: true })
  put(works)
  writeFileSync(join(dir, '.env'), 'HYDRANT_TIMEOUTS_LOAD_MS=50000\n')
  await reload('reloaded:')
  remove()
  const [lost = 0] = (await workers()).keys()
  process.kill(lost, 'SIGKILL')
  t.strictSame([...(await workers(lost)).values()], ['two', 'two'], 'a build that has started takes the place')
})
