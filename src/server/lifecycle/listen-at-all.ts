import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { type ListenAddress, SOCKET_FILE_MODE } from './listen.ts'

export interface AcceptOptions {
  /** Called with each connection. */
  take(socket: Socket): void
  /** Called when a connection could not be accepted, for example because too many files are open. */
  onError(error: Error): void
  /** Keeps connections unread, so that they can be handed to another process (false). */
  isPaused?: boolean
}

/**
 * Listens at a socket file, or at the address of a host; for `localhost`, at all of its addresses. Returns the servers,
 * first the one whose address is logged. Rejects with the system's error.
 */
export async function listenAtAll(
  { port, host, socket }: ListenAddress,
  options: AcceptOptions,
): Promise<[Server, ...Server[]]> {
  if (socket !== null) {
    const server = await open({ path: socket }, options)
    await chmod(socket, SOCKET_FILE_MODE)
    return [server]
  }
  // Fastify does the same. For other names the system chooses the address.
  const found = host === 'localhost' ? await lookup(host, { all: true }) : []
  const [first = host, ...others] = found.map(({ address }) => address)
  const server = await open({ port, host: first }, options)
  const address = server.address()
  if (address === null || typeof address === 'string') return [server]
  const opened = others.map((other) => open({ port: address.port, host: other }, options).catch(() => null))
  return [server, ...(await Promise.all(opened)).filter((other) => other !== null)]
}

async function open(at: ListenOptions, { take, onError, isPaused = false }: AcceptOptions): Promise<Server> {
  // Node's HTTP server has the same settings: a client may end its half of the connection once it has sent its request.
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: isPaused }, take)
  server.listen(at)
  await once(server, 'listening')
  return server.on('error', onError)
}
