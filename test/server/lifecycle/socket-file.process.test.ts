import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { hydrant } from '../../../src/server/index.ts'
import { listen as listenAt } from '../../../src/server/lifecycle/listen.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, writeTestSite } from '../../test-site.ts'
import { marked } from '../lines.ts'
import { EVENTS } from '../live/streams.ts'
import { createLog } from '../served.ts'

// The path of a socket must be short.
const folder = mkdtempSync(join(tmpdir(), 'hydrant-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

async function listen(path: string) {
  const app = Fastify()
  app.get('/', async () => 'answered')
  t.teardown(() => app.close())
  await listenAt(app, { port: 0, host: '', socket: path })
  return app
}

function ask(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve(text))
    })
      .on('error', reject)
      .end()
  })
}

t.test('an app listens at a file that its user and group may write, and removes it at the end', async (t) => {
  const path = join(folder, 'own')
  const app = await listen(path)
  t.equal(await ask(path), 'answered')
  t.equal(statSync(path).mode & 0o777, 0o660)
  await app.close()
  t.notOk(existsSync(path))
})

t.test('a file at which a process listens is not replaced', async (t) => {
  const path = join(folder, 'taken')
  await listen(path)
  await t.rejects(listen(path), {
    code: 'HYD_SOCKET_IN_USE',
    message: `the socket file ${path} is in use by another process`,
  })
  t.equal(await ask(path), 'answered', 'the other process still responds')
})

t.test('the file of a killed process is replaced', async (t) => {
  const path = join(folder, 'stale')
  const program = "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"
  spawnSync(process.execPath, ['-e', program, path])
  t.ok(statSync(path).isSocket())
  await listen(path)
  t.equal(await ask(path), 'answered')
})

t.test('a file that is no socket is kept', async (t) => {
  const path = join(folder, 'file')
  writeFileSync(path, 'precious')
  const fix = /^Choose a path that does not exist with --socket or HYDRANT_SOCKET/
  const message = (what: string) => `cannot listen on ${path}: this is ${what}, not a socket`
  await t.rejects(listen(path), { code: 'HYD_LISTEN_FAILED', message: message('a file'), fix })
  t.equal(readFileSync(path, 'utf8'), 'precious')
  rmSync(path)
  mkdirSync(path)
  await t.rejects(listen(path), { code: 'HYD_LISTEN_FAILED', message: message('a folder'), fix })
  await t.rejects(listen(join(folder, 'missing', 'x')), { code: 'HYD_LISTEN_FAILED' })
})

t.test('the error names a missing folder', async (t) => {
  const path = join(folder, 'none', 'own')
  await t.rejects(listen(path), { code: 'HYD_LISTEN_FAILED', message: `there is no folder ${join(folder, 'none')}` })
})

t.test('requests through a socket file have no address, and each gets its response', async (t) => {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  const dir = writeTestSite(t.testdir({}), { '/': { live: () => ['board'] } })
  await app.register(hydrant, { dir, ledger: false })
  await app.register(hydrant.admin, { prefix: '/ops', token: 'a-token-of-the-operators' })
  const socketPath = join(folder, 'site')
  await listenAt(app, { port: 0, host: '', socket: socketPath })
  const requests = [
    { path: marked('/'), headers: { ...EVENTS, ...navigationHeaders() }, status: 200 },
    { path: '/ops/api/failures', headers: { authorization: 'Bearer wrong' }, status: 401 },
    { path: '/_hydrant/report', method: 'POST', headers: { origin: 'http://localhost' }, status: 400 },
  ]
  const failing = await findFailing(
    requests,
    async ({ status: _, ...options }) => {
      const asked = request({ socketPath, agent: false, ...options }).end()
      const [response]: IncomingMessage[] = await once(asked, 'response')
      response?.destroy()
      return response?.statusCode
    },
    ({ status }) => status,
  )
  t.strictSame(failing, [])
  t.strictSame(log.errors(), [])
})
