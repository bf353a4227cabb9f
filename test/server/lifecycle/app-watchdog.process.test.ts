import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../../src/server/index.ts'
import { COMMAND_OPTIONS } from '../../command-options.ts'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { runHere } from '../../scripts/run-here.ts'
import type { LogLine } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles } from '../served.ts'

const PROGRAM = new URL('hanging-app.js', import.meta.url).pathname
const dir = t.testdir({ first: {}, second: {} })
await buildFiles(`${dir}/first`, {})
await buildFiles(`${dir}/second`, {
  'pages/loop.tsx': 'export default function Page() {\n  return <p>never</p>\n}\n',
  // It needs no time of a processor.
  'pages/loop.server.ts':
    'function spin() {\n  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)\n}\nexport const load = () => spin()\n',
})

async function startApp(t: Test, hangMs: number, mode = '') {
  const child = spawn(process.execPath, [...COMMAND_OPTIONS, PROGRAM, dir, String(hangMs), mode], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(child, 'exit').then(([code]) => code)
  const origin = await until(() => /listening at (http:[^"]+)/.exec(lines.join('\n'))?.[1])
  const fatal = () => lines.filter((line) => line.includes('"level":60')).map((line) => JSON.parse(line) as LogLine)
  return { ask: (path: string) => fetch(origin + path).catch(() => null), ended, fatal, lines, errors: () => errors }
}

t.test('code that blocks an app is interrupted, and its digest leads to the line of the site', async (t) => {
  const { ask, ended, fatal, errors } = await startApp(t, 1_500)
  void ask('/second/loop')
  t.equal(await ended, 1, 'as after an uncaught exception')
  t.match(errors(), 'HYD_HUNG')
  const [line, ...others] = fatal()
  t.strictSame(others, [])
  t.match(line, { digest: DIGEST_PATTERN, phase: 'process', err: { stack: /at spin \(pages\/loop\.server\.ts:2:/ } })
  const found = await runHere(['errors', String(line?.digest), `${dir}/second`, '--json'])
  t.match(JSON.parse(found.stdout), {
    source: { file: 'pages/loop.server.ts', line: 2, function: 'spin' },
    lastRelease: 'second',
  })
})

t.test('the failure belongs to the app whose site blocks, when several apps run in a process', async (t) => {
  const { ask, ended, fatal } = await startApp(t, 1_500, 'apart')
  void ask('/second/loop')
  t.equal(await ended, 1)
  const [line] = fatal()
  t.match(line, { digest: DIGEST_PATTERN, err: { stack: /at spin \(pages\/loop\.server\.ts:2:/ } })
  const found = await runHere(['errors', String(line?.digest), `${dir}/second`, '--json'])
  t.match(JSON.parse(found.stdout), { lastRelease: 'second' })
})

t.test('an app that catches the exception continues', async (t) => {
  const { ask, fatal, lines } = await startApp(t, 1_500, 'survive')
  void ask('/own/loop')
  await until(() => lines.some((line) => line.startsWith('caught: the event loop was blocked')))
  t.equal((await ask('/first'))?.status, 200)
  t.match(fatal(), [{ digest: DIGEST_PATTERN, err: { stack: /hanging-app\.js/ } }])
})

t.test('without the option nothing is watched, and the watch ends with the last app', async (t) => {
  const countThreads = () => readdirSync('/proc/self/task').length
  async function countWith(timeouts: { hangMs?: number }) {
    const app = Fastify()
    await app.register(hydrant, { dir: `${dir}/first`, ledger: false, timeouts })
    t.equal((await app.inject('/')).statusCode, 200)
    const count = countThreads()
    await app.close()
    return count
  }
  const without = await countWith({})
  for (let times = 0; times < 2; times++) {
    t.equal(await countWith({ hangMs: 60_000 }), without + 1)
    t.equal(countThreads(), without)
  }
  const apps = [Fastify(), Fastify()] as const
  const begin = async (app: FastifyInstance, hangMs: number) => {
    await app.register(hydrant, { dir: `${dir}/first`, ledger: false, timeouts: { hangMs } })
    await app.ready()
  }
  await begin(apps[0], 60_000)
  await begin(apps[1], 30_000)
  t.equal(countThreads(), without + 1, 'one thread for all apps')
  await apps[1].close()
  t.equal(countThreads(), without + 1)
  await apps[0].close()
  t.equal(countThreads(), without)
})
