import { once } from 'node:events'
import { existsSync, type Stats } from 'node:fs'
import { chmod, lstat, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'
import type { Options } from '../options/options.ts'
import { findFreePort } from './free-port.ts'
import { findPortOwner, type PortOwner } from './port-owner.ts'

/** The options that say where a server listens: at a port of a host, or at a socket file. */
export type ListenAddress = Pick<Options, 'port' | 'host' | 'socket'>

/** The proxy runs as another user of the same group. */
export const SOCKET_FILE_MODE = 0o660

/**
 * Opens the port or the socket file of an app. The file is removed when the app is closed. Throws HYD_PORT_IN_USE,
 * HYD_SOCKET_IN_USE and HYD_LISTEN_FAILED.
 */
export async function listen(app: FastifyInstance, address: ListenAddress): Promise<void> {
  const { port, host, socket } = address
  if (socket !== null) await freeSocketFile(socket)
  try {
    await app.listen(socket === null ? { port, host } : { path: socket })
    if (socket !== null) await chmod(socket, SOCKET_FILE_MODE)
  } catch (cause) {
    throw await createListenError(address, cause)
  }
}

/**
 * Lets an app take connections when its server does not listen itself. `listenTextResolver` writes the log line that
 * names the address (Fastify's).
 */
export async function listenHanded(
  app: FastifyInstance,
  listenTextResolver?: FastifyListenOptions['listenTextResolver'],
): Promise<void> {
  // With a host, Fastify itself would listen at the other addresses of that host. It passes a path on as it is.
  await app.listen({ path: 'handed', ...(listenTextResolver ? { listenTextResolver } : {}) })
}

/**
 * Creates HYD_PORT_IN_USE or HYD_LISTEN_FAILED for the system's error. The first one names the process that has the
 * port, and the flag with a free port.
 */
export async function createListenError({ port, host, socket }: ListenAddress, cause: unknown): Promise<HydrantError> {
  if (socket !== null) return createSocketError(socket, cause)
  // Node.js gives the errors of `listen` a code.
  const { code, message } = cause as NodeJS.ErrnoException
  if (code !== 'EADDRINUSE') return createHydrantError('HYD_LISTEN_FAILED', [`${host} port ${port}`, message], cause)
  const [owner, free] = await Promise.all([findPortOwner(port), findFreePort(port, host)])
  const error = createHydrantError('HYD_PORT_IN_USE', [port, host, describeOwner(owner)], cause)
  if (free !== null) error.fix = `Add "--port ${free}" to the command, or stop that process.`
  return error
}

/** Returns the words for the process that has a port. */
export function describeOwner(owner: PortOwner | null): string {
  return owner ? `${owner.name} (process ${owner.pid})` : 'another process'
}

function createSocketError(path: string, cause: unknown): HydrantError {
  const folder = dirname(resolve(path))
  // Node.js reports a missing folder as a missing permission.
  const reason = existsSync(folder) ? (cause as NodeJS.ErrnoException).message : `there is no folder ${folder}`
  return createHydrantError('HYD_LISTEN_FAILED', [path, reason], cause)
}

/**
 * Removes a socket file that a killed process has left. Throws HYD_SOCKET_IN_USE when a process listens there, and
 * HYD_LISTEN_FAILED when the file cannot be removed, or is not a socket.
 */
export async function freeSocketFile(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null) return
  if (!stats.isSocket()) throw createTakenError(path, stats)
  if (await isServed(path)) throw createHydrantError('HYD_SOCKET_IN_USE', [path])
  await rm(path, { force: true }).catch((cause) => Promise.reject(createSocketError(path, cause)))
}

function createTakenError(path: string, stats: Stats): HydrantError {
  const what = stats.isDirectory() ? 'a folder' : stats.isSymbolicLink() ? 'a symbolic link' : 'a file'
  const error = createHydrantError('HYD_LISTEN_FAILED', [path, `this is ${what}, not a socket`])
  error.fix = 'Choose a path that does not exist with --socket or HYDRANT_SOCKET, or remove what is there.'
  return error
}

async function isServed(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    // Any other error, such as a full queue, comes from a process that listens.
    return !['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')
  } finally {
    socket.destroy()
  }
}
