import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a port that was free a moment ago, for programs that read port 0 as none. Another program may take it, but hardly at
 * an address that no other test uses: 127.0.0.6, for example.
 */
export async function findPort(host = '127.0.0.1'): Promise<number> {
  const server = createServer()
  await once(server.listen(0, host), 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
