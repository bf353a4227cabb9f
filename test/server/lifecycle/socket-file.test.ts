import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { listenOnSocketFile } from '../../../src/server/lifecycle/socket-file.ts'

// The system takes no long paths for sockets.
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

t.test('answers at a file that its user and group may write, and removes it at the end', async (t) => {
  const path = join(folder, 'own')
  const app = await listen(path)
  t.equal(await ask(path), 'answered')
  t.equal(statSync(path).mode & 0o777, 0o660)
  await app.close()
  t.notOk(existsSync(path))
})

t.test('a file that is answered is another’s', async (t) => {
  const path = join(folder, 'taken')
  await listen(path)
  await t.rejects(listen(path), {
    code: 'HYD_SOCKET_IN_USE',
    message: `the socket file ${path} is in use by another process`,
  })
  t.equal(await ask(path), 'answered', 'and stays as it was')
})

t.test('what a killed process has left is replaced', async (t) => {
  const path = join(folder, 'stale')
  const program = "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"
  spawnSync(process.execPath, ['-e', program, path])
  t.ok(statSync(path).isSocket())
  await listen(path)
  t.equal(await ask(path), 'answered')
})

t.test('what is no socket is left alone', async (t) => {
  const path = join(folder, 'file')
  writeFileSync(path, 'precious')
  await t.rejects(listen(path), { code: 'HYD_LISTEN_FAILED', message: /^cannot listen on .*file: .*EADDRINUSE/ })
  t.equal(readFileSync(path, 'utf8'), 'precious')
  await t.rejects(listen(join(folder, 'missing', 'x')), { code: 'HYD_LISTEN_FAILED' })
})

t.test('a folder that is not there is named', async (t) => {
  const path = join(folder, 'none', 'own')
  await t.rejects(listen(path), { code: 'HYD_LISTEN_FAILED', message: `there is no folder ${join(folder, 'none')}` })
})
