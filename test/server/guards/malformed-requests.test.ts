import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import t, { type Test } from 'tap'
import { createClientErrorHandler } from '../../../src/server/guards/connection-limits.ts'
import { until } from '../../until.ts'

/** Returns the server's side of a connection from an address, on which something has arrived. */
async function openConnection(t: Test, localAddress: string): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress })
  client.on('error', () => {}).write('x')
  const [socket] = (await once(server, 'connection')) as [Socket]
  await once(socket, 'readable')
  t.teardown(() => {
    client.destroy()
    server.close()
  })
  return socket
}

const errorOf = (code: string) => Object.assign(new Error(code), { code }) as ConnectionError

t.test('each line has the reason and the address of the last request of its own kind', async (t) => {
  const lines: object[] = []
  const { handle, stop } = createClientErrorHandler((details) => lines.push(details), 200)
  t.teardown(stop)
  for (const [code, address] of [
    ['HPE_HEADER_OVERFLOW', '127.0.0.2'],
    ['HPE_INVALID_METHOD', '127.0.0.3'],
    ['HPE_HEADER_OVERFLOW', '127.0.0.4'],
    ['HPE_INVALID_VERSION', '127.0.0.5'],
  ] as const)
    handle(errorOf(code), await openConnection(t, address))
  await until(() => lines.length === 4)
  t.strictSame(lines.slice(2), [
    { statusCode: 431, refused: 1, reason: 'HPE_HEADER_OVERFLOW', remoteAddress: '127.0.0.4' },
    { statusCode: 400, refused: 1, reason: 'HPE_INVALID_VERSION', remoteAddress: '127.0.0.5' },
  ])
})
