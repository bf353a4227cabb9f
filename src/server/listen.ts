import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import { createHydrantError } from './errors.ts'
import type { Options } from './options.ts'
import { listenOnSocketFile } from './socket-file.ts'

/** Makes the line of the log that says where. */
export type SayWhere = NonNullable<FastifyListenOptions['listenTextResolver']>

/** Throws HYD_PORT_IN_USE, HYD_SOCKET_IN_USE and HYD_LISTEN_FAILED. Without `say` the line is Fastify's. */
export async function listen(app: FastifyInstance, { port, host, socket }: Options, say?: SayWhere) {
  const saying = say ? { listenTextResolver: say } : {}
  if (socket !== null) return listenOnSocketFile(app, socket, saying)
  try {
    await app.listen({ port, host, ...saying })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw createHydrantError('HYD_PORT_IN_USE', [port, host], cause)
    throw createHydrantError('HYD_LISTEN_FAILED', [`${host} port ${port}`, message], cause)
  }
}
