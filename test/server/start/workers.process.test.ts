// Workers as real processes, with real signals.

import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { createHttpClient, type HttpAnswer } from '../../http-client.ts'
import { cliPath } from '../../scripts/cli-path.ts'
import { runCli } from '../../scripts/run-cli.ts'
import { runHere } from '../../scripts/run-here.ts'
import { ERROR, type SiteServer, startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML } from '../served.ts'
import { LONG, workerSite } from './worker-site.ts'

const dir = await buildFiles(join(t.testdir({}), 'site'), workerSite())

interface Workers extends SiteServer {
  ask(path: string, onChunk?: (text: string) => void): Promise<HttpAnswer>
  /** Resolves with the two worker processes, when both have responded. */
  pids(): Promise<[number, number]>
  /** Begins to read a page whose end waits for SIGCONT. `whole` resolves with the complete page. */
  openStream(): Promise<{ pid: number; whole: Promise<HttpAnswer> }>
}

async function startWorkers(t: Test, env: Record<string, string> = {}): Promise<Workers> {
  const server = await startSite(t, { dir, env: { ...LONG, HYDRANT_WORKERS: '2', ...env } })
  const { port } = server
  // A connection for each request: a kept connection stays with one worker.
  const { send } = createHttpClient(t, { keepAlive: false })
  const ask: Workers['ask'] = (path, onChunk) => send({ port, path, headers: HTML, ...(onChunk ? { onChunk } : {}) })
  return {
    ...server,
    ask,
    async pids() {
      const found = new Set<number>()
      await until(async () => {
        found.add(JSON.parse((await ask('/pid')).body).pid)
        return found.size === 2
      })
      const [one = 0, two = 0] = found
      return [one, two]
    },
    openStream: () =>
      new Promise((resolve, reject) => {
        let seen = ''
        const whole = ask('/gated', (text) => {
          seen += text
          const [, pid] = /shell of (?:<!-- -->)?(\d+)/.exec(seen) ?? []
          if (pid !== undefined) resolve({ pid: Number(pid), whole })
        })
        whole.catch(reject)
      }),
  }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Stops a process until it gets SIGCONT. */
async function suspend(pid: number) {
  process.kill(pid, 'SIGSTOP')
  await until(() => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
}

/** Is the port closed? */
async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const error = await once(socket, 'connect').catch((caught: unknown) => caught)
  socket.destroy()
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
}

const adminOf = async ({ waitForLine }: SiteServer) => {
  const { msg } = await waitForLine((line) => line.msg.startsWith('the console is at'))
  return String(/http:\S+/.exec(msg)?.[0])
}

/** Returns the sum of all samples whose lines begin with `start`. A worker that is busy counts with its last numbers. */
async function metricOf(admin: string, start: string): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  const lines = text.split('\n').filter((candidate) => candidate.startsWith(start))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

t.test('workers serve, die, fail and are replaced, and no client notices', async (t) => {
  const closed = t.testdir({})
  const server = await startWorkers(t, { HYDRANT_ADMIN: '0', CLOSED_FOLDER: closed })
  const admin = await adminOf(server)
  const before = await server.pids()
  const readiness = () => server.ask('/_hydrant/ready').then(({ status }) => status)
  const answered = 'hydrant_requests_total{method="GET",status="200"'

  await t.test('all processes write one log', async (t) => {
    t.notOk(before.includes(server.pid), 'the primary serves nothing')
    t.equal(server.lines.filter(({ msg }) => msg.startsWith('Server listening')).length, 1)
    await Promise.all(Array.from({ length: 40 }, () => server.ask('/long')))
    // Each line is parsed as JSON, which fails when two lines mix.
    await until(() => server.lines.filter(({ msg }) => msg === 'a long line').length === 40)
  })

  await t.test('a worker that is killed is replaced, and the other one continues to serve', async (t) => {
    const counted = await until(async () => {
      const count = await metricOf(admin, answered)
      return count >= 40 ? count : null
    })
    const { pid: killed, whole } = await server.openStream()
    const other = before.find((pid) => pid !== killed) ?? 0
    await until(() => existsSync(join(closed, `${killed}-reported`)))
    process.kill(killed, 'SIGKILL')
    await t.rejects(whole)
    const line = await server.waitForLine(({ worker, msg }) => worker === killed && msg.includes('SIGKILL'))
    t.match(line, {
      level: 50,
      msg: /^worker [12] was killed by SIGKILL \(1 request in flight \d+ ms before: 1 of \/gated\); a replacement starts in 100 ms$/,
    })
    t.equal(await readiness(), 200)
    const now = await server.pids()
    t.ok(now.includes(other))
    t.notOk(now.includes(killed))
    t.ok((await metricOf(admin, answered)) >= counted, 'its counts are kept')
    t.equal(await metricOf(admin, 'hydrant_workers_lost_total'), 1)
  })

  await t.test('a worker that gets SIGTERM stops once its successor is ready', async (t) => {
    const [asked, other] = await server.pids()
    process.kill(asked, 'SIGTERM')
    const { msg } = await server.waitForLine(({ worker, msg }) => worker === asked && msg.includes('was asked to stop'))
    t.match(msg, /^worker [12] was asked to stop: it stops when its replacement is ready$/)
    await until(async () => {
      t.equal(await readiness(), 200)
      return !isRunning(asked)
    })
    const now = await server.pids()
    t.ok(now.includes(other))
    t.notOk(now.includes(asked))
  })

  await t.test('a connection that is handed to a worker which is about to close gets its response', async (t) => {
    const [asked] = await server.pids()
    process.kill(asked, 'SIGTERM')
    const { msg } = await server.waitForLine((line) => line.worker === asked && line.msg.includes('was asked to stop'))
    const [, name = ''] = /^worker (\d)/.exec(msg) ?? []
    await suspend(asked)
    // While the worker is suspended, only its successor can send these. The primary has told the worker to stop by
    // then.
    await until(() => metricOf(admin, `process_resident_memory_bytes{worker="${name}"}`))
    await suspend(server.pid)
    const sockets = Array.from({ length: 6 }, () => connect(server.port, '127.0.0.1').setEncoding('utf8'))
    const answers = sockets.map((socket) => socket.reduce((text, part: string) => text + part, ''))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (const socket of sockets) socket.write('GET /pid HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    // The worker wants no more connections. The primary learns that only after it has handed these out.
    process.kill(asked, 'SIGCONT')
    await until(() => existsSync(join(closed, String(asked))) || !isRunning(asked))
    process.kill(server.pid, 'SIGCONT')
    for (const answer of await Promise.all(answers)) t.match(answer, /^HTTP\/1\.1 200 /)
    await until(() => !isRunning(asked))
  })

  await t.test('an exception ends only its worker, after its requests', async (t) => {
    const { pid, whole } = await server.openStream()
    process.kill(pid, 'SIGWINCH')
    const fatal = await server.waitForLine(({ level }) => level === 60)
    t.match(fatal, { pid, digest: DIGEST_PATTERN, phase: 'process', err: { message: 'crash' } })
    await server.waitForLine(({ worker, msg }) => worker === pid && /is shutting down; a replacement starts/.test(msg))
    await server.pids()
    t.equal(await readiness(), 200)
    t.ok(isRunning(pid), 'the worker waits for its request')
    process.kill(pid, 'SIGCONT')
    t.match((await whole).body, /opened at last(?:.|\n)*<\/html>/)
    await until(() => !isRunning(pid))
    await until(async () => (await fetch(`${admin}/api/failures/${fatal.digest}`)).status === 200)
  })

  await t.test('the failures of all workers are in one ledger, which the console reads and changes', async (t) => {
    const digests = new Map<number | undefined, string>()
    await until(async () => {
      const { headers } = await server.ask('/fail')
      const digest = String(headers['x-error-digest'])
      const line = await server.waitForLine((candidate) => candidate.digest === digest)
      digests.set(line.pid, digest)
      return digests.size === 2
    })
    for (const digest of digests.values())
      await until(async () => (await fetch(`${admin}/api/failures/${digest}`)).status === 200)
    const [digest = ''] = digests.values()
    const solved = await fetch(`${admin}/api/failures/${digest}/solve`, { method: 'POST' })
    t.match(await solved.json(), { message: 'fail', solvedAt: /^20/ })
    const { stdout } = await runHere(['errors', digest, dir, '--json'], { HYDRANT_LEDGER: server.ledger })
    t.match(JSON.parse(stdout), { message: 'fail', solvedAt: /^20/ })
    // A worker that is busy for a second has no sample.
    const text = await until(async () => {
      const found = await (await fetch(`${admin}/metrics`)).text()
      const has = (worker: string) => found.includes(`nodejs_eventloop_lag_seconds{worker="${worker}"}`)
      return ['primary', '1', '2'].every(has) ? found : null
    })
    t.match(text, /hydrant_failures_total\{side="server",phase="route",route="\/fail"\} \d/)
    const [{ release = '' } = {}] = server.lines.filter(({ msg }) => msg === 'the site is loaded')
    t.match(text, `hydrant_processes{release="${release}"} 2`, 'with the release that the log names')
    t.match(
      text,
      /hydrant_workers_lost_total 2\n/,
      'one was killed and one had an exception; the one that was asked to stop does not count',
    )
  })

  await t.test('when a build cannot start, the old workers continue to serve', async (t) => {
    const now = await server.pids()
    await buildFiles(dir, { 'server.ts': 'export default async function server() { await null; process.exit(3) }\n' })
    process.kill(server.pid, 'SIGHUP')
    const { level } = await server.waitForLine(({ msg }) => msg.startsWith('the build on disk cannot start'))
    t.equal(level, 50)
    t.strictSame((await server.pids()).sort(), now.sort())
  })

  await t.test(
    'an error that keeps a build from starting is a failure, and its digest leads to its line',
    async (t) => {
      const failed = 'hydrant_failures_total{side="server",phase="process"'
      const counted = await metricOf(admin, failed)
      const key = join(dir, 'key')
      const reported = join(dir, 'reported')
      const config = `import { appendFileSync } from 'node:fs'
export default { onFailure: ({ digest }) => appendFileSync(${JSON.stringify(reported)}, digest) }
`
      const WHOLE = { 'hydrant.config.ts': config, ...workerSite() }
      for (const [file, begin, end] of [
        ['hydrant.config.ts', '', 'export default {}'],
        ['server.ts', 'export default async function server() {', '}'],
      ] as const) {
        writeFileSync(key, '')
        const check = `if (!existsSync(${JSON.stringify(key)})) throw new Error('There is no key for ${file}.')`
        const text = `import { existsSync } from 'node:fs'\n${begin}\n${check}\n${end}\n`
        await buildFiles(dir, { ...WHOLE, [file]: text })
        rmSync(key)
        process.kill(server.pid, 'SIGHUP')
        const { level, digest = '', err } = await server.waitForLine(({ msg }) => msg.includes(`no key for ${file}`))
        t.equal(level, 60)
        t.match(digest, DIGEST_PATTERN)
        t.match(err?.cause?.stack ?? err?.stack, `${file}:3:`)
        const kept = ['errors', digest, dir, '--json', '--ledger', server.ledger]
        await until(async () => (await runHere(kept)).stdout.includes(file))
        t.equal(await readiness(), 200)
        // A configuration that throws has no `onFailure`.
        if (file === 'server.ts') t.equal(readFileSync(reported, 'utf8'), digest)
      }
      await until(async () => (await metricOf(admin, failed)) >= counted + 2)
      t.equal(await metricOf(admin, failed), counted + 2)
    },
  )

  await t.test(
    'SIGHUP replaces the old build by the new one, also after builds that cannot start, and no request is lost',
    async (t) => {
      const old = await server.pids()
      const { pid, whole } = await server.openStream()
      await buildFiles(dir, workerSite('two'))
      const versions: string[] = []
      let isDone = false
      const asking = Array.from({ length: 6 }, async () => {
        while (!isDone) {
          const { status, body } = await server.ask('/pid')
          if (status !== 200) t.fail(`${status} ${body}`)
          versions.push(JSON.parse(body).version)
          await pause(5)
        }
      })
      process.kill(server.pid, 'SIGHUP')
      const done = server.waitForLine(({ msg }) => msg.startsWith('reloaded:'))
      await until(async () => {
        t.equal(await readiness(), 200)
        return server.lines.some(({ msg }) => msg.startsWith('reloaded:'))
      })
      await done
      await until(async () => old.every((gone) => gone === pid || !isRunning(gone)))
      isDone = true
      await Promise.all(asking)
      t.ok(versions.includes('one'), 'during the reload')
      t.equal(JSON.parse((await server.ask('/pid')).body).version, 'two')
      t.ok(isRunning(pid), 'the old worker waits for its request')
      process.kill(pid, 'SIGCONT')
      t.match((await whole).body, /opened at last(?:.|\n)*<\/html>/)
      await until(() => !isRunning(pid))
    },
  )

  await t.test('on SIGTERM all workers finish their requests', async (t) => {
    const { pid, whole } = await server.openStream()
    process.kill(server.pid, 'SIGTERM')
    // Sends no request: a connection that the primary accepts after its last worker has closed waits until the primary
    // ends.
    await until(() => isRefused(server.port))
    process.kill(pid, 'SIGCONT')
    t.match((await whole).body, /opened at last(?:.|\n)*<\/html>/)
    t.strictSame(await server.ended, [0, null])
    t.match(server.lines.at(-1), { level: 30, pid: server.pid, msg: 'stopped: all requests are finished' })
  })
})

t.test('`ready` says that the server stops, and a second signal ends all processes at once', async (t) => {
  // Each process that ends regularly writes here which files it has loaded.
  const loaded = t.testdir({})
  const env = { HYDRANT_TIMEOUTS_STOP_DELAY_MS: '600000', NODE_V8_COVERAGE: loaded, HYDRANT_LEDGER: 'false' }
  const server = await startWorkers(t, env)
  const pids = await server.pids()
  // A terminal sends SIGINT to all processes.
  for (const pid of [server.pid, ...pids]) process.kill(pid, 'SIGINT')
  await until(async () => (await server.ask('/_hydrant/ready')).status === 503)
  t.equal((await server.ask('/pid')).status, 200, 'requests still get a response')
  // At first, it may count as a copy of the first one.
  const kill = () => {
    try {
      process.kill(server.pid, 'SIGINT')
    } catch {
      // It ends after an earlier one.
      return server.ended
    }
    return Promise.race([server.ended, pause(50, null)])
  }
  t.strictSame(await until(kill), [1, null])
  t.match(server.lines.at(-1), { level: 50, msg: 'second SIGINT: killing the workers and exiting' })
  await until(() => !pids.some(isRunning))
  const [primary = '', ...others] = readdirSync(loaded)
  t.strictSame(others, [], 'the workers were killed')
  const { result } = JSON.parse(readFileSync(join(loaded, primary), 'utf8')) as { result: { url: string }[] }
  const urls = result.map(({ url }) => url).filter((url) => url.startsWith('file:'))
  t.ok(urls.some((url) => /\/start-primary[-.]/.test(url)))
  for (const path of ['/react/', '/react-dom/', '.hydrant/server/index'])
    t.notOk(
      urls.some((url) => url.includes(path)),
      `the primary does not load ${path}`,
    )
  const codes = urls.map((url) => readFileSync(fileURLToPath(url), 'utf8'))
  t.notOk(
    codes.some((code) => code.includes('function mountSite(')),
    'the primary does not load what serves a site',
  )
})

t.test('workers whose primary is killed finish their requests, keep their failures, and end', async (t) => {
  const server = await startWorkers(t)
  const pids = await server.pids()
  const { pid, whole } = await server.openStream()
  const kept = createHttpClient(t)
  const { headers } = await kept.send({ port: server.port, path: '/fail', headers: HTML })
  process.kill(server.pid, 'SIGKILL')
  await server.ended
  process.kill(pid, 'SIGCONT')
  t.match((await whole).body, /opened at last(?:.|\n)*<\/html>/)
  await until(() => !pids.some(isRunning))
  const digest = String(headers['x-error-digest'])
  const { stdout } = await runHere(['errors', digest, dir, '--json'], { HYDRANT_LEDGER: server.ledger })
  t.match(JSON.parse(stdout), { message: 'fail' })
})

t.test('an error that keeps the first worker from starting is logged once, and ends the start', async (t) => {
  const broken = await buildFiles(join(t.testdir({}), 'broken'), {
    'server.ts': "export default async function server() {\n  throw new Error('there is no database')\n}\n",
  })
  const { code, stdout, stderr } = await runCli(['start', broken, '--port', '0', '--workers', '3'])
  t.equal(code, 1)
  t.equal(stderr.split('there is no database').length, 2)
  t.notMatch(stdout, 'a replacement starts')
  const nested = `import cluster from 'node:cluster'
cluster.setupPrimary({ execArgv: [], exec: ${JSON.stringify(cliPath)}, args: ['start', ${JSON.stringify(dir)}, '--port', '0', '--workers', '2'] })
cluster.fork().on('exit', (code) => process.exit(code))`
  const managed = await runCli([], { node: ['--input-type=module', '--eval', nested, '--'] })
  t.equal(managed.code, 1)
  t.match(managed.stderr, 'HYD_WORKERS_NESTED')
  const wrong = await runCli(['start', broken, '--workers', 'many'])
  t.equal(wrong.code, 2)
  t.match(wrong.stderr, '"--workers" must be a whole number from 1 to 1024, or auto; got "many"')
})

t.test('a worker whose process is stopped is logged, killed and replaced', async (t) => {
  const server = await startWorkers(t, { HYDRANT_TIMEOUTS_HANG_MS: '2000' })
  const [frozen, other] = await server.pids()
  process.kill(frozen, 'SIGSTOP')
  const { level } = await server.waitForLine(({ worker, msg }) => worker === frozen && msg.includes('does not respond'))
  t.equal(level, ERROR)
  await server.waitForLine(({ worker, msg }) => worker === frozen && /was killed by SIGKILL .*starts in/.test(msg))
  t.notOk((await server.pids()).includes(frozen))
  t.ok(isRunning(other))
})
