import cluster from 'node:cluster'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, lstat, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import { createHydrantError } from './errors.ts'

/** Whoever runs the proxy is another user, of the same group. */
const MODE = 0o660

/**
 * The file is removed when the server is closed. A worker listens through its primary, which has to free the file before.
 * Throws HYD_SOCKET_IN_USE and HYD_LISTEN_FAILED.
 */
export async function listenOnSocketFile(
  app: FastifyInstance,
  path: string,
  saying: Pick<FastifyListenOptions, 'listenTextResolver'> = {},
): Promise<void> {
  try {
    if (cluster.isPrimary) await freeSocketFile(path)
    await app.listen({ path, ...saying })
    await chmod(path, MODE)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'HYD_SOCKET_IN_USE') throw cause
    const folder = dirname(resolve(path))
    // Node.js says that permission is denied.
    const reason = existsSync(folder) ? message : `there is no folder ${folder}`
    throw createHydrantError('HYD_LISTEN_FAILED', [path, reason], cause)
  }
}

/** Removes what a process that was killed has left behind. Throws HYD_SOCKET_IN_USE. */
export async function freeSocketFile(path: string) {
  const found = await lstat(path).catch(() => null)
  // Nothing but a socket is ours to remove.
  if (!found?.isSocket()) return
  if (await isAnswered(path)) throw createHydrantError('HYD_SOCKET_IN_USE', [path])
  await rm(path, { force: true })
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    // Nobody listens, or not any more. Anything else, such as a queue that is full, is somebody.
    return !['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')
  } finally {
    socket.destroy()
  }
}
