import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import Fastify from 'fastify'
import t from 'tap'
import { gatherTurns, isStream, lostLogLines, toFile, toStream } from '../../../src/server/log/output.ts'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { findPort } from '../../find-port.ts'
import { createHttpClient } from '../../http-client.ts'
import { startCli } from '../../scripts/run-cli.ts'
import { startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, HTML } from '../served.ts'

const REACT = dirname(createRequire(import.meta.url).resolve('react/package.json'))
const MODULE = new URL('../../../src/server/log/output.js', import.meta.url).href
const LOGGER = new URL('../../../src/server/log/logger.js', import.meta.url).href
/** No other test uses this address, so that the ports stay free. */
const HOST = '127.0.0.6'
const aTurn = () => new Promise((resolve) => setImmediate(resolve))

t.test('lines of one turn are written together, in their order', async (t) => {
  const written: string[] = []
  const output = gatherTurns((lines) => written.push(String(lines)))
  output.write('a\n')
  await Promise.resolve()
  output.write('b\n')
  t.strictSame(written, [])
  await aTurn()
  output.write('c\n')
  await aTurn()
  await aTurn()
  t.strictSame(written, ['a\nb\n', 'c\n'])
})

t.test('more lines than the buffer holds, and longer lines, are written in their order', async (t) => {
  let written = ''
  const output = gatherTurns((lines) => (written += lines))
  const lines = Array.from({ length: 400 }, (_, at) => `${at} ${'ü€😀'.repeat(at === 200 ? 100_000 : 300)}\n`)
  for (const line of lines) output.write(line)
  await aTurn()
  t.equal(written, lines.join(''))
})

t.test('lines that a stream has not passed on yet are not overwritten', async (t) => {
  let written = ''
  const taken: (() => void)[] = []
  const slow = new Writable({
    write(chunk, _encoding, done) {
      taken.push(() => {
        written += chunk
        done()
      })
    },
  })
  const output = gatherTurns(toStream(slow))
  for (const line of ['first\n', 'later\n']) {
    output.write(line)
    await aTurn()
  }
  while (taken.length > 0) {
    taken.shift()?.()
    await aTurn()
  }
  t.equal(written, 'first\nlater\n')
})

t.test('a fatal line is written at once', (t) => {
  const written: string[] = []
  const { log } = Fastify({ logger: { stream: gatherTurns((lines) => written.push(String(lines))) } })
  log.error('before')
  t.equal(written.length, 0)
  log.fatal('the end')
  t.match(written.join(''), /"msg":"before".*"msg":"the end"/s)
  t.end()
})

t.test('lines that cannot be written are counted, and a line says so when writing works again', async (t) => {
  const written: string[] = []
  let isFull = true
  const output = gatherTurns((lines) => {
    if (isFull) throw new Error('ENOSPC: no space left on device')
    written.push(String(lines))
  })
  const before = lostLogLines()
  for (const line of ['a\n', 'b\n', 'c\n']) {
    output.write(line)
    if (line !== 'a\n') await aTurn()
  }
  t.equal(lostLogLines(), before + 3, 'the metrics show it while the disk is full')
  isFull = false
  output.write('d\n')
  await aTurn()
  output.write('e\n')
  await aTurn()
  const [first = '', second] = written
  const [told = '', ...rest] = first.split('\n')
  t.match(JSON.parse(told), {
    level: 40,
    pid: process.pid,
    msg: 'up to 3 lines of the log could not be written: ENOSPC: no space left on device',
  })
  t.strictSame(rest, ['d', ''])
  t.equal(lostLogLines(), before + 3)
  t.equal(second, 'e\n')
})

t.test('a line that was written in part is ended before the next one', (t) => {
  const path = join(t.testdir({}), 'pipe')
  execFileSync('mkfifo', [path])
  // Neither blocks the other: a full pipe returns an error, as a full disk does.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  t.teardown(() => {
    closeSync(reader)
    closeSync(writer)
  })
  const write = toFile(writer)
  t.throws(() => write(Buffer.from(`${'x'.repeat(200_000)}\n`)), { code: 'EAGAIN' })
  const taken = readSync(reader, Buffer.alloc(200_000))
  t.ok(taken > 0 && taken < 200_000)
  write(Buffer.from('whole, ü\n'))
  write(Buffer.from('the next\n'))
  const rest = Buffer.alloc(100)
  t.equal(rest.toString('utf8', 0, readSync(reader, rest)), '\nwhole, ü\nthe next\n')
  t.end()
})

t.test('what a stopped reader has not read is bounded', (t) => {
  const standing = new Writable({ write() {} })
  const write = toStream(standing)
  const lines = Buffer.alloc(1_000_000, 'x')
  let count = 0
  t.throws(() => {
    for (; count < 100; count++) write(lines)
  }, /the log has not been read/)
  t.equal(count, 17)
  t.end()
})

t.test('a reader that ends is not a failure', async (t) => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('write EPIPE')) })
  const output = gatherTurns(toStream(gone))
  const before = lostLogLines()
  for (let line = 0; line < 3; line++) {
    output.write('a\n')
    await aTurn()
  }
  t.ok(gone.destroyed)
  t.equal(lostLogLines(), before + 3, 'but its lines are counted as lost')
})

t.test('the lines of a pipe that is read again say how many were lost', async (t) => {
  let written = ''
  let isOpen = false
  const pipe = {
    writableLength: 0,
    on: () => pipe,
    write(chunk: Buffer, done: (error?: Error) => void) {
      if (isOpen) written += chunk
      setImmediate(done, ...(isOpen ? [] : [new Error('write EPIPE')]))
    },
  }
  const output = gatherTurns(toStream(pipe as unknown as Writable))
  for (let line = 0; line < 3; line++) {
    output.write('a\nb\n')
    await aTurn()
    await aTurn()
  }
  isOpen = true
  output.write('c\n')
  await aTurn()
  t.match(written, /"msg":"up to 6 lines of the log could not be written: write EPIPE"\}\nc\n$/)
})

for (const workers of ['1', '2'])
  t.test(`the metrics count the lines that no program reads, workers: ${workers}`, async (t) => {
    const dir = await buildFiles(t.testdir({}), {
      'pages/index.tsx': 'export default () => {\n  throw new Error("fails")\n}\n',
    })
    const pipe = join(dir, 'log')
    execFileSync('mkfifo', [pipe])
    const under = ['sh', '-c', `exec "$@" > ${pipe}`, 'sh']
    const [port, adminPort] = [await findPort(HOST), await findPort(HOST)]
    const env = { HOST, HYDRANT_ADMIN: `${HOST}:${adminPort}` }
    startCli(t, ['start', dir, '--port', `${port}`, '--workers', workers], { under, env })
    // The reader ends after the first lines.
    t.match(spawnSync('head', ['-n', '1', pipe], { encoding: 'utf8' }).stdout, '"level":')
    const metrics = async () => (await fetch(`http://${HOST}:${adminPort}/metrics`)).text()
    const lost = async () => Number(/^hydrant_log_lines_lost_total (\d+)$/m.exec(await metrics())?.[1])
    await until(() =>
      lost().then(
        (count) => count >= 0,
        () => false,
      ),
    )
    await until(async () => {
      await fetch(`http://${HOST}:${port}/`)
      return (await lost()) >= 3
    })
  })

t.test('lines of the last turn are written before the process ends', (t) => {
  const script = (end: string) =>
    `import { standardOutput } from ${JSON.stringify(MODULE)}\nstandardOutput().write('last\\n')\n${end}`
  const file = join(t.testdir({}), 'log')
  for (const end of ['process.exit(3)', 'throw new Error("not caught")', '']) {
    const args = ['--input-type=module', '-e', script(end)]
    t.equal(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout, 'last\n', `a pipe, ${end}`)
    const out = openSync(file, 'w')
    spawnSync(process.execPath, args, { stdio: ['ignore', out, 'ignore'] })
    closeSync(out)
    t.equal(readFileSync(file, 'utf8'), 'last\n', `a file, ${end}`)
  }
  t.end()
})

for (const workers of ['1', '2'])
  t.test(`a site whose log cannot be written continues to serve, workers: ${workers}`, async (t) => {
    const dir = await buildFiles(t.testdir({}), {
      'pages/index.tsx': 'export default () => <h1>Works</h1>\n',
      'pages/fails.tsx': 'export default () => {\n  throw new Error("fails")\n}\n',
    })
    // The path of a socket has a maximum length.
    const folder = mkdtempSync(join(tmpdir(), 'hydrant-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const socketPath = join(folder, 'site')
    const under = ['sh', '-c', 'exec "$@" > /dev/full', 'sh']
    const server = startCli(t, ['start', dir, '--socket', socketPath, '--workers', workers], { under })
    const ask = (path: string) =>
      new Promise<{ answer: IncomingMessage; body: string }>((resolve, reject) => {
        get({ socketPath, path }, async (answer) => resolve({ answer, body: await readText(answer) })).on(
          'error',
          reject,
        )
      })
    await until(() =>
      ask('/_hydrant/ready').then(
        ({ answer }) => answer.statusCode === 200,
        () => false,
      ),
    )
    for (let round = 0; round < 3; round++) {
      const { answer } = await ask('/fails')
      t.equal(answer.statusCode, 500)
      t.match(answer.headers['x-error-digest'], DIGEST_PATTERN)
      t.match((await ask('/')).body, 'Works')
    }
    t.equal(await server.stop(), 0)
    t.strictSame(server.lines, [])
  })

// pnpm and `npm link` install packages like this.
for (const workers of ['1', '2'])
  t.test(
    `a log that goes into a pipe leaves packages behind symbolic links what they are, workers: ${workers}`,
    async (t) => {
      const dir = t.testdir({ node_modules: { react: t.fixture('symlink', REACT) } })
      // A hook works only with the copy of React that renders.
      const page = `import { useState } from 'react'\nexport default () => <h1>{useState('Works')[0]}</h1>\n`
      await buildFiles(dir, { 'pages/index.tsx': page })
      const server = await startSite(t, { dir, env: { HYDRANT_WORKERS: workers } })
      const { send } = createHttpClient(t)
      const { status, body } = await send({ port: server.port, path: '/', headers: HTML })
      t.equal(status, 200)
      t.match(body, '<h1>Works</h1>')
    },
  )

t.test('the lines of a turn are converted together', async (t) => {
  const written: string[] = []
  const output = gatherTurns(
    (lines) => written.push(String(lines)),
    (lines) => Buffer.from(String(lines).toUpperCase()),
  )
  for (const line of ['a\n', 'b\n']) output.write(line)
  await aTurn()
  t.strictSame(written, ['A\nB\n'])
})

t.test('a standard output that the system cannot describe counts as a stream, which takes the lines', async (t) => {
  // A service of Windows may have none. Node.js then has a stream that drops them.
  const closed = openSync('/dev/null', 'w')
  closeSync(closed)
  t.ok(isStream(Object.assign(Object.create(process.stdout), { fd: closed })))
})

t.test('the formatted log has colors in a terminal, or if FORCE_COLOR asks for them', async (t) => {
  const code = `const { createLog, loadPrettyLogging } = await import(${JSON.stringify(LOGGER)})
createLog((await loadPrettyLogging())('info')).info('ready')`
  const print = (env: Record<string, string>) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' })
  // The formatter's own rule uses colors here, as in each file and pipe on Windows.
  t.match(print({ CI: 'true', GITHUB_ACTIONS: 'true' }), /^\[[\d:]+\] INFO: ready\n$/)
  t.ok(print({ FORCE_COLOR: '1' }).includes('\u001b[36mready'))
})
