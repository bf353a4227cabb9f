import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { stopAccepting } from '../accepting.ts'
import type { Options } from '../options.ts'
import { SOCKET_FILE_MODE } from '../socket-file.ts'
import type { WorkerProcess } from './worker-process.ts'

export type Address = AddressInfo | string

/** How many are on their way to a worker: it need not wait for the next one, and who is busy gets no more. */
const MOST_ON_THEIR_WAY = 2

/** Takes the connections of all workers, and hands each to a worker that is free. */
export interface Front {
  /** Where it listens. It begins to with the first worker that asks. Rejects with what the system says. */
  listen(): Promise<Address>
  /** The worker takes connections from now on. */
  add(worker: WorkerProcess): void
  /** The worker has taken the last one, and is free for another. */
  free(worker: WorkerProcess): void
  /** The worker takes no more of them. */
  remove(worker: WorkerProcess): void
  /** Stops listening within a second. Resolves when all connections that have come are with a worker. */
  close(): Promise<void>
}

export function createFront(
  where: Pick<Options, 'port' | 'host' | 'socket'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Front {
  const workers = new Set<WorkerProcess>()
  /** Who takes the next ones: in the order in which they became free, so that all have their turn. */
  let free: WorkerProcess[] = []
  const waiting: Socket[] = []
  const servers: Server[] = []
  let listening: Promise<Address> | null = null
  let closed: Promise<void> | null = null
  let isHeld = false
  let onEmpty = () => {}

  function take(socket: Socket) {
    waiting.push(socket)
    handOut()
  }

  function handOut() {
    if (isHeld) return
    while (free.length > 0) {
      const socket = waiting.shift()
      if (!socket) break
      free.shift()?.hand(socket)
    }
    if (waiting.length === 0) onEmpty()
  }

  async function begin(): Promise<Address> {
    // As Fastify does: it is a name for two addresses.
    const hosts =
      where.host === 'localhost' ? (await lookup(where.host, { all: true })).map(({ address }) => address) : []
    const [host = where.host, ...others] = hosts
    const server = await open(where.socket === null ? { port: where.port, host } : { path: where.socket })
    const address = server.address()
    if (address === null) throw new Error('The socket was closed while it began to listen.')
    if (typeof address === 'string') await chmod(address, SOCKET_FILE_MODE)
    else for (const other of others) await open({ port: address.port, host: other }).catch(() => {})
    return address
  }

  async function open(options: ListenOptions): Promise<Server> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, take)
    server.listen(options)
    await once(server, 'listening')
    // Of a connection that could not be accepted: there may be too many open files.
    server.on('error', (err) => log.warn({ err }, 'a connection could not be accepted'))
    servers.push(server)
    return server
  }

  async function close() {
    // Visitors who wait do not connect again.
    isHeld = true
    await Promise.all(servers.map(stopAccepting))
    isHeld = false
    const isEmpty = new Promise<void>((resolve) => {
      onEmpty = resolve
    })
    handOut()
    dropUnlessServed()
    await isEmpty
  }

  /** Once it is closed, nobody comes to take what the last worker has left. */
  function dropUnlessServed() {
    if (closed === null || isHeld || workers.size > 0) return
    for (const socket of waiting.splice(0)) socket.destroy()
    onEmpty()
  }

  return {
    listen() {
      listening ??= begin().catch((error: unknown) => {
        listening = null
        throw error
      })
      return listening
    },
    add(worker) {
      workers.add(worker)
      for (let count = 0; count < MOST_ON_THEIR_WAY; count++) free.push(worker)
      handOut()
    },
    free(worker) {
      if (!workers.has(worker)) return
      free.push(worker)
      handOut()
    },
    remove(worker) {
      workers.delete(worker)
      free = free.filter((other) => other !== worker)
      dropUnlessServed()
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}
