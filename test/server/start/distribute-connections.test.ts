import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { createConnectionDistributor } from '../../../src/server/start/shared-listener.ts'
import type { WorkerProcess } from '../../../src/server/start/worker-process.ts'

/** Returns a distributor, the sockets that its worker has got, and a function that connects to it. */
async function listen(t: Test) {
  const lines: string[] = []
  const distributor = createConnectionDistributor({ error: (line: unknown) => void lines.push(String(line)) })
  const handed: Socket[] = []
  // The cast is safe because the distributor calls only this method.
  const worker = { hand: (socket) => void handed.push(socket) } as Pick<WorkerProcess, 'hand'> as WorkerProcess
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, distributor.take)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    server.close()
    for (const socket of handed) socket.destroy()
  })
  async function open(): Promise<Socket> {
    const accepted = once(server, 'connection')
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    t.teardown(() => socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await accepted
    return socket
  }
  return { distributor, worker, handed, lines, open }
}

const readAll = (socket: Socket) => socket.reduce((text, part: string) => text + part, '')

t.test('connections wait for a worker, and get a 503 when none has run for ten seconds', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { distributor, worker, handed, lines, open } = await listen(t)
  distributor.add(worker)
  distributor.remove(worker)
  const early = await open()
  mock.timers.tick(9_999)
  // Another worker that could not start.
  distributor.remove(worker)
  t.strictSame(lines, [])
  mock.timers.tick(1)
  t.match(lines, [/^no worker has run for 10000 ms: each connection gets a 503/])
  for (const socket of [early, await open()]) {
    const answer = await readAll(socket)
    t.match(answer, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
    t.match(answer, '"status":503')
  }
  t.strictSame(handed, [])
  distributor.add(worker)
  await open()
  t.equal(handed.length, 1, 'the next worker gets connections again')
})

t.test('connections that wait for less than ten seconds go to the next worker', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { distributor, worker, handed, lines, open } = await listen(t)
  distributor.add(worker)
  distributor.remove(worker)
  await open()
  mock.timers.tick(9_999)
  distributor.add(worker)
  mock.timers.tick(10_000)
  t.equal(handed.length, 1)
  distributor.remove(worker)
  mock.timers.tick(9_999)
  // The server stops.
  distributor.hold()
  mock.timers.tick(10_000)
  await distributor.end()
  t.strictSame(lines, [])
})

t.test(
  'a connection on its way to a worker that has ended goes to another one, and no other connection does',
  async (t) => {
    const { distributor, worker, handed, open } = await listen(t)
    const other: Socket[] = []
    distributor.add(worker)
    await open()
    await open()
    distributor.free(worker)
    t.strictSame([handed.length, handed[0]?.destroyed], [2, true], 'the worker has its own copy')
    // The cast is safe because the distributor calls only this method.
    distributor.add({ hand: (socket) => void other.push(socket) } as Pick<WorkerProcess, 'hand'> as WorkerProcess)
    distributor.lose(worker)
    t.strictSame(other, [handed[1]])
  },
)
