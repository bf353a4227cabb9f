import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import type { Options } from '../options/options.ts'
import { SOCKET_FILE_MODE } from './socket-file.ts'

export interface TakeOptions {
  take(socket: Socket): void
  /** Is told why a connection could not be accepted: there may be too many open files. */
  onError(error: Error): void
  /** Are connections handed on before anything of them is read (false)? */
  isPaused?: boolean
}

/**
 * Listens at a host's address, at both that `localhost` may have, or at a socket file. The first server is that of the address
 * that is told. Rejects with what the system says.
 */
export async function listenAtAll(
  { port, host, socket }: Pick<Options, 'port' | 'host' | 'socket'>,
  options: TakeOptions,
): Promise<Server[]> {
  if (socket !== null) {
    const server = await open({ path: socket }, options)
    await chmod(socket, SOCKET_FILE_MODE)
    return [server]
  }
  // As Fastify does. Other names have the address that the system names first.
  const found = host === 'localhost' ? await lookup(host, { all: true }) : []
  const [first = host, ...others] = found.map(({ address }) => address)
  const server = await open({ port, host: first }, options)
  const address = server.address()
  if (address === null || typeof address === 'string') return [server]
  const opened = others.map((other) => open({ port: address.port, host: other }, options).catch(() => null))
  return [server, ...(await Promise.all(opened)).filter((other) => other !== null)]
}

async function open(at: ListenOptions, { take, onError, isPaused = false }: TakeOptions): Promise<Server> {
  // As Node's own HTTP server has them: whoever has sent a request may end its half.
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: isPaused }, take)
  server.listen(at)
  await once(server, 'listening')
  return server.on('error', onError)
}
