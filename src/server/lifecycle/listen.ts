import { execFile } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync, type Stats } from 'node:fs'
import { chmod, lstat, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { basename, dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'
import { createHttpOptions } from '../guards/connection-limits.ts'
import { showControlCharacters } from '../log/control-characters.ts'
import type { Options } from '../options/options.ts'

/** The options that say where a server listens: at a port of a host, or at a socket file. */
export type ListenAddress = Pick<Options, 'port' | 'host' | 'socket'>

/** The proxy runs as another user of the same group. */
const SOCKET_FILE_MODE = 0o660

/** Opens an app's port or socket file, until it closes. Throws HYD_{PORT,SOCKET}_IN_USE and HYD_LISTEN_FAILED. */
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

/** Lets an app take connections that are handed to it. `listenTextResolver` writes the log line (Fastify's). */
export async function listenHanded(
  app: FastifyInstance,
  listenTextResolver?: FastifyListenOptions['listenTextResolver'],
): Promise<void> {
  // With a host, Fastify itself would listen at the other addresses of that host. It passes a path on as it is.
  await app.listen({ path: 'handed', ...(listenTextResolver ? { listenTextResolver } : {}) })
}

/** Creates HYD_PORT_IN_USE, with the process that has the port and a free port, or HYD_LISTEN_FAILED. */
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

/** Removes a killed process's socket file. Throws HYD_SOCKET_IN_USE, or HYD_LISTEN_FAILED if it cannot. */
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

export interface AcceptOptions {
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

/** A process that listens on a port. */
export interface PortOwner {
  name: string
  pid: number
}

/** Finds the process that listens on a TCP port; null if the system does not tell. Never throws. */
export async function findPortOwner(port: number): Promise<PortOwner | null> {
  try {
    const owner = process.platform === 'linux' ? await findInProc(port) : await askLsof(port)
    return owner && { ...owner, name: showControlCharacters(owner.name) }
  } catch {
    return null
  }
}

const LISTENING = '0A'

async function findInProc(port: number): Promise<PortOwner | null> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readOr(`/proc/net/${name}`, '')))
  const sockets = new Set(tables.flatMap((table) => socketsIn(table, port)))
  if (sockets.size === 0) return null
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    // Files of other users cannot be read, and a process may end at any time.
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')
      if (sockets.has(target)) return { name: await nameProcess(pid), pid: Number(pid) }
    }
  }
  return null
}

/** Returns the sockets that listen on the port, as the links in `/proc/<pid>/fd` name them. */
function socketsIn(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const [, address = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    return state === LISTENING && address.endsWith(suffix) ? [`socket:[${inode}]`] : []
  })
}

// `comm` is the name of the main thread, which programs set to anything.
async function nameProcess(pid: string): Promise<string> {
  const [program = ''] = (await readOr(`/proc/${pid}/cmdline`, '')).split('\0')
  return basename(program) || (await readOr(`/proc/${pid}/comm`, 'a process')).trim()
}

function readOr(path: string, fallback: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => fallback)
}

const LSOF_MS = 2_000

/** Asks lsof, which macOS and the BSDs have. */
export async function askLsof(port: number): Promise<PortOwner | null> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
  const { stdout } = await promisify(execFile)('lsof', args, { timeout: LSOF_MS })
  const [, pid, name] = /^p(\d+)\nc(.*)$/m.exec(stdout) ?? []
  return pid === undefined || name === undefined ? null : { name, pid: Number(pid) }
}

const MAX_TRIES = 100
const LAST_PORT = 65_535

/** Returns the first port above `port` that is free at this moment on the host; null when there is none near. */
export async function findFreePort(port: number, host: string): Promise<number | null> {
  for (let next = port + 1; next <= Math.min(port + MAX_TRIES, LAST_PORT); next++) {
    if (await isFree(next, host)) return next
  }
  return null
}

async function isFree(port: number, host: string): Promise<boolean> {
  // In a worker of a cluster, the primary would listen in its place.
  const server = createServer().listen({ port, host, exclusive: true })
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** An HTTP server that does not listen itself: its connections are handed to it. */
export class SocketlessServer extends HttpServer {
  #address: AddressInfo | string | null = null
  #isListening = false
  #open = 0
  #onEmpty = () => {}

  constructor(options: Options) {
    const { http, keepAliveTimeout } = createHttpOptions(options)
    super({ ...http, keepAliveTimeout })
    // TypeScript does not allow an accessor here, because Node's types declare a property.
    Object.defineProperty(this, 'listening', { get: () => this.#isListening })
  }

  /** Sets the address from which the connections come. Must be called before `listen`. */
  listenAt(address: AddressInfo | string) {
    this.#address = address
  }

  /** Serves a connection. Closes it when `maxConnections` are open. */
  take(socket: Socket) {
    if (this.#open >= this.maxConnections) {
      this.emit('drop')
      return void socket.destroy()
    }
    this.#open++
    socket.once('close', () => {
      this.#open--
      if (this.#open === 0) this.#onEmpty()
    })
    // All sockets of an HTTP server have this: a client may end its half of the connection once it has sent its
    // request.
    socket.allowHalfOpen = true
    this.emit('connection', socket)
  }

  override listen(): this {
    this.#isListening = true
    setImmediate(() => this.emit('listening'))
    return this
  }

  override address() {
    return this.#address
  }

  override getConnections(callback: (error: Error | null, count: number) => void): this {
    setImmediate(callback, null, this.#open)
    return this
  }

  /** Calls `callback` when the last connection has ended. */
  override close(callback?: (error?: Error) => void): this {
    this.#isListening = false
    // Node's `close` passes an error, because the server has not listened.
    this.#onEmpty = () => void super.close(() => callback?.())
    this.closeIdleConnections()
    if (this.#open === 0) this.#onEmpty()
    return this
  }
}
