// Workers that are stopped or replaced under load.

import { lookup } from 'node:dns/promises'
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import type { NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { LOADS, repeatIfLate, startLoad } from '../../connection-load.ts'
import { createHttpClient } from '../../http-client.ts'
import { runCli } from '../../scripts/run-cli.ts'
import { startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML } from '../served.ts'
import { LONG, workerSite } from './worker-site.ts'

const dir = await buildFiles(join(t.testdir({}), 'site'), workerSite())
const env = { ...LONG, HYDRANT_WORKERS: '2' }

/** Starts every kind of load at the same time. */
const startAll = (at: NetConnectOpts) => Object.values(LOADS).map((load) => startLoad({ ...load, at, connections: 8 }))

t.test('busy workers are replaced, then stop, and lose no request', async (t) => {
  const folder = t.testdir({})
  // Built before the load starts, because a build next to it prolongs the load.
  const next = { 'hydrant.config.ts': "export default { host: '127.0.0.9' }\n" }
  const moved = await buildFiles(join(folder, 'moved'), { ...workerSite(), ...next })
  const loads = await repeatIfLate(async () => {
    const moving = mkdtempSync(join(folder, 'moving-'))
    cpSync(dir, moving, { recursive: true })
    const server = await startSite(t, { dir: moving, env })
    const all = startAll({ port: server.port, host: '127.0.0.1' })
    await Promise.all(all.map(({ untilAnswered }) => untilAnswered(50)))
    cpSync(moved, moving, { recursive: true })
    process.kill(server.pid, 'SIGHUP')
    await server.waitForLine(({ msg }) => msg.startsWith('reloaded:'))
    await server.waitForLine(({ level, msg }) => level === 40 && msg.includes('restart the server to apply it'))
    await Promise.all(all.map(({ untilAnswered }) => untilAnswered(20)))
    process.kill(server.pid, 'SIGTERM')
    t.strictSame(await server.ended, [0, null])
    for (const { stop } of all) await stop()
    return all
  })
  for (const { broken, refused } of loads) t.strictSame([broken, refused], [[], []])
})

t.test('workers at a socket file stop, lose no request, and the file is removed', async (t) => {
  // The path of a socket must be short.
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'socket')
  const [asking] = await repeatIfLate(async () => {
    // The sum of the deadlines is more than `setTimeout` accepts.
    const server = await startSite(t, {
      dir,
      env: { ...env, HYDRANT_SOCKET: path, HYDRANT_TIMEOUTS_DRAIN_MS: '2147483647' },
    })
    t.equal(statSync(path).mode & 0o777, 0o660)
    const asking = startLoad({ at: { path }, connections: 32, isFresh: true })
    await asking.untilAnswered(200)
    process.kill(server.pid, 'SIGTERM')
    t.strictSame(await server.ended, [0, null])
    await asking.stop()
    return [asking]
  })
  t.strictSame(asking?.broken, [])
  t.notOk(existsSync(path))
})

t.test('workers at a name', async (t) => {
  const server = await startSite(t, { dir, env: { ...env, HOST: 'localhost', HYDRANT_TIMEOUTS_DRAIN_MS: '500' } })
  const { send } = createHttpClient(t, { keepAlive: false })
  const ask = async () => JSON.parse((await send({ port: server.port, path: '/pid' })).body).pid as number

  await t.test('serve at each address of the name', async (t) => {
    for (const { address, family } of await lookup('localhost', { all: true })) {
      const host = family === 6 ? `[${address}]` : address
      t.equal((await fetch(`http://${host}:${server.port}/pid`)).status, 200, address)
    }
  })

  await t.test('a port that is in use ends the start of other workers with one error and its fix', async (t) => {
    const { code, stderr } = await runCli(['start', dir, '--port', String(server.port), '--workers', '2'])
    t.equal(code, 1)
    t.equal(stderr.split('Error [HYD_PORT_IN_USE]').length, 2)
    t.match(stderr, `port ${server.port} on 127.0.0.1 is in use by node (process ${server.pid})`)
    const missing = ['--socket', join(tmpdir(), 'hydrant-no-such-folder', 'socket')]
    const nowhere = await runCli(['start', dir, ...missing, '--workers', '2'])
    t.equal(nowhere.code, 1)
    t.match(nowhere.stderr, /Error \[HYD_LISTEN_FAILED\].*there is no folder/)
  })

  await t.test('connections that arrive while no worker runs wait for the next one', async (t) => {
    const pids = new Set<number>()
    await until(async () => pids.add(await ask()).size === 2)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    for (const pid of pids) await server.waitForLine(({ worker, msg }) => worker === pid && msg.includes('SIGKILL'))
    t.notOk(pids.has(await ask()), 'at the same port')
  })

  await t.test('a worker that is stuck is killed after its deadline, and another one names its requests', async (t) => {
    const { body } = await fetch(`http://127.0.0.1:${server.port}/gated?token=hidden`, { headers: HTML })
    const { value: shell } = (await body?.getReader().read()) ?? {}
    const waiting = Number(/shell of (?:<!-- -->)?(\d+)/.exec(Buffer.from(shell ?? []).toString())?.[1])
    const pid = await until(async () => [await ask()].find((other) => other !== waiting))
    process.kill(pid, 'SIGSTOP')
    process.kill(server.pid, 'SIGTERM')
    t.strictSame(await server.ended, [1, null])
    t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    t.notOk(server.lines.some(({ msg }) => msg.startsWith('the workers did not stop')))
    const msg = /^requests in flight were not finished within 500 ms: GET \/gated for \d+ ms$/
    const killed = /^worker [12] was killed by SIGKILL while it was stopping \(/
    // Lines of two processes may arrive in any order.
    const errorsOf = (field: 'pid' | 'worker', process: number) =>
      server.lines.filter((line) => line.level === 50 && line[field] === process).map((line) => line.msg)
    t.match([errorsOf('pid', waiting), errorsOf('worker', pid)], [[msg], [killed]])
  })
})
