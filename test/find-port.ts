import { once } from 'node:events'
import { createServer } from 'node:net'

/** Returns a port that was free a moment ago, for programs that read port 0 as none. */
export async function findPort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
