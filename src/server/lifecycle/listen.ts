import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'
import type { Options } from '../options/options.ts'
import { createSocketError, listenOnSocketFile } from './socket-file.ts'

type Where = Pick<Options, 'port' | 'host' | 'socket'>

/** Throws HYD_PORT_IN_USE, HYD_SOCKET_IN_USE and HYD_LISTEN_FAILED. */
export async function listen(app: FastifyInstance, { port, host, socket }: Where) {
  if (socket !== null) return listenOnSocketFile(app, socket)
  try {
    await app.listen({ port, host })
  } catch (cause) {
    throw createListenError({ port, host, socket }, cause)
  }
}

/** Begins to take what is handed to the instance's server. `say` makes the line of the log that says where (Fastify's). */
export async function listenHanded(app: FastifyInstance, say?: FastifyListenOptions['listenTextResolver']) {
  // A path is taken as it is. At a host Fastify would listen by itself, too, if it has other addresses.
  await app.listen({ path: 'handed', ...(say ? { listenTextResolver: say } : {}) })
}

/** HYD_PORT_IN_USE or HYD_LISTEN_FAILED: why nobody can listen there. */
export function createListenError({ port, host, socket }: Where, cause: unknown): HydrantError {
  if (socket !== null) return createSocketError(socket, cause)
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return createHydrantError('HYD_PORT_IN_USE', [port, host], cause)
  return createHydrantError('HYD_LISTEN_FAILED', [`${host} port ${port}`, message], cause)
}
