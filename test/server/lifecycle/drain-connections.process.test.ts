// Connections that are kept alive when a server is told to stop, over real sockets.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import { startSite } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, createLog } from '../served.ts'

const dir = await buildFiles(join(t.testdir({}), 'site'), {})

interface Kept {
  socket: Socket
  /** Sends a request. Resolves with the response. */
  ask(method?: string): Promise<string>
  closed: Promise<unknown>
}

/** Opens a connection that a proxy would keep. */
async function keep(t: Test, port: number): Promise<Kept> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  t.teardown(() => socket.destroy())
  const closed = once(socket, 'close')
  async function ask(method = 'GET') {
    let text = ''
    const read = (part: string) => {
      text += part
    }
    socket.on('data', read)
    socket.write(`${method} / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nUser-Agent: bot\r\n\r\n`)
    await until(() => text.includes('</html>') || socket.destroyed)
    socket.off('data', read)
    return text
  }
  const kept = { socket, ask, closed }
  t.match(await ask(), /^HTTP\/1\.1 200 /)
  return kept
}

t.test('a request on a kept connection gets a response, which is the last on the connection', async (t) => {
  const app = await createServer({ dir, logger: createLog().logger, ledger: false })
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  const [used, idle] = [await keep(t, port), await keep(t, port)]
  const isClosed = app.close()
  const answer = await used.ask()
  t.match(answer, /^HTTP\/1\.1 200 /, 'no refusal')
  t.match(answer, /^connection: close$/im)
  const newcomer = connect(port, '127.0.0.1')
  const [error] = await once(newcomer, 'error')
  t.match(error, { code: 'ECONNREFUSED' }, 'others go elsewhere')
  await Promise.all([isClosed, used.closed, idle.closed])
})

t.test('during the stop delay each response closes its connection', async (t) => {
  const env = { HYDRANT_TIMEOUTS_STOP_DELAY_MS: '60000', HYDRANT_LEDGER: 'false' }
  const server = await startSite(t, { dir, env })
  const kept = await keep(t, server.port)
  process.kill(server.pid, 'SIGTERM')
  const ready = `http://127.0.0.1:${server.port}/_hydrant/ready`
  await until(async () => (await fetch(ready)).status === 503)
  const answer = await kept.ask()
  t.match(answer, /^HTTP\/1\.1 200 /)
  t.match(answer, /^connection: close$/im)
  await kept.closed
  await server.stop('SIGKILL')
})

t.test(
  'a connection that was opened in advance and has carried no request does not keep the server from closing',
  async (t) => {
    const app = await createServer({ dir, logger: createLog().logger, ledger: false })
    const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
    const ahead = connect(port, '127.0.0.1')
    t.teardown(() => ahead.destroy())
    const isClosed = once(ahead, 'close')
    const countConnections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, n) => resolve(n)))
    await until(async () => (await countConnections()) === 1)
    await app.close()
    await isClosed
    t.equal(await countConnections(), 0)
  },
)
