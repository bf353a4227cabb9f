import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { listenOnSocketFile } from '../../../src/server/lifecycle/socket-file.ts'

// The system does not allow long paths for sockets.
const folder = mkdtempSync(join(tmpdir(), 'hydrant-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

async function listen(path: string) {
  const app = Fastify()
  app.get('/', async () => 'answered')
  t.teardown(() => app.close())
  await listenOnSocketFile(app, path)
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

t.test('listens on a file that its user and group may write, and removes the file at the end', async (t) => {
  const path = join(folder, 'own')
  const app = await listen(path)
  t.equal(await ask(path), 'answered')
  t.equal(statSync(path).mode & 0o777, 0o660)
  await app.close()
  t.notOk(existsSync(path))
})

t.test('a file on which another server listens is refused', async (t) => {
  const path = join(folder, 'taken')
  await listen(path)
  await t.rejects(listen(path), {
    code: 'HYD_SOCKET_IN_USE',
    message: `the socket file ${path} is in use by another process`,
  })
  t.equal(await ask(path), 'answered', 'and stays as it was')
})

t.test('the file of a killed process is replaced', async (t) => {
  const path = join(folder, 'stale')
  const program = "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"
  spawnSync(process.execPath, ['-e', program, path])
  t.ok(statSync(path).isSocket())
  await listen(path)
  t.equal(await ask(path), 'answered')
})

t.test('a file that is not a socket does not change', async (t) => {
  const path = join(folder, 'file')
  writeFileSync(path, 'precious')
  await t.rejects(listen(path), { code: 'HYD_LISTEN_FAILED', message: /^cannot listen on .*file: .*EADDRINUSE/ })
  t.equal(readFileSync(path, 'utf8'), 'precious')
  await t.rejects(listen(join(folder, 'missing', 'x')), { code: 'HYD_LISTEN_FAILED' })
})

t.test('the error for a missing folder names the folder', async (t) => {
  const path = join(folder, 'none', 'own')
  await t.rejects(listen(path), { code: 'HYD_LISTEN_FAILED', message: `there is no folder ${join(folder, 'none')}` })
})
