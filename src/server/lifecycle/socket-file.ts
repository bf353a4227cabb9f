import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, lstat, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'

/** Whoever runs the proxy is another user, of the same group. */
export const SOCKET_FILE_MODE = 0o660

/** The file is removed when the server is closed. Throws HYD_SOCKET_IN_USE and HYD_LISTEN_FAILED. */
export async function listenOnSocketFile(app: FastifyInstance, path: string): Promise<void> {
  try {
    await freeSocketFile(path)
    await app.listen({ path })
    await chmod(path, SOCKET_FILE_MODE)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'HYD_SOCKET_IN_USE') throw cause
    throw createSocketError(path, cause)
  }
}

/** HYD_LISTEN_FAILED: why nobody can listen at that file. */
export function createSocketError(path: string, cause: unknown): HydrantError {
  const folder = dirname(resolve(path))
  // Node.js says that permission is denied.
  const reason = existsSync(folder) ? (cause as NodeJS.ErrnoException).message : `there is no folder ${folder}`
  return createHydrantError('HYD_LISTEN_FAILED', [path, reason], cause)
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
