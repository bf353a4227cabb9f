import type { FastifyInstance } from 'fastify'
import { createHydrantError } from './errors.ts'
import type { Options } from './options.ts'
import { listenOnSocketFile } from './socket-file.ts'

/**
 * Returns where it listens: `http://127.0.0.1:3000/shop`, or the path of the socket file. Throws HYD_PORT_IN_USE,
 * HYD_SOCKET_IN_USE and HYD_LISTEN_FAILED.
 */
export async function listen(app: FastifyInstance, options: Options): Promise<string> {
  const { port, host, socket } = options
  if (socket !== null) {
    await listenOnSocketFile(app, socket)
    return socket
  }
  try {
    await app.listen({ port, host })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw createHydrantError('HYD_PORT_IN_USE', [port, host], cause)
    throw createHydrantError('HYD_LISTEN_FAILED', [`${host} port ${port}`, message], cause)
  }
  return urlOf(app, options)
}

function urlOf(app: FastifyInstance, { host, base }: Options): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${base === '/' ? '' : base}`
}
