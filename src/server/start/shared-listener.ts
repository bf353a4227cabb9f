import type { AddressInfo, Server, Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { type RawRefusal, writeRefusal } from '../http/problem.ts'
import { stopAccepting } from '../lifecycle/drain-connections.ts'
import { type ListenAddress, listenAtAll } from '../lifecycle/listen.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Listens in the primary, and hands the connections to the workers. */
export interface SharedListener extends Pick<ConnectionDistributor, 'add' | 'free' | 'lose'> {
  /** Listens for the first worker. Resolves with the address or rejects. Warns of another wanted address. */
  listen(wanted: ListenAddress): Promise<AddressInfo | string>
  /**
   * Removes a worker that wants no more connections. While the listener closes, the worker first takes its part of
   * those that wait. Resolves when no more connections are handed to it.
   */
  release(worker: WorkerProcess): Promise<void>
  /** Stops listening within a second after `start`. Resolves when workers have all connections. */
  close(start: Promise<unknown>): Promise<void>
}

export function createSharedListener(
  { port, host, socket }: ListenAddress,
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
): SharedListener {
  const { take, add, free, remove, lose, hold, end } = createConnectionDistributor(log)
  let opening: Promise<Server[]> | null = null
  let closed: Promise<void> | null = null

  function open(): Promise<Server[]> {
    const onError = (err: Error) => log.warn({ err }, 'a connection could not be accepted')
    return listenAtAll({ port, host, socket }, { take, onError, isPaused: true })
  }

  async function closeAfter(start: Promise<unknown>) {
    await start
    const servers = await opening?.catch(() => [])
    // A client that waits for its response opens no further connection, so the queue of the system empties.
    hold()
    await Promise.all((servers ?? []).map(stopAccepting))
    await end()
  }

  return {
    add,
    free,
    lose,
    async listen(wanted) {
      opening ??= open()
      if (wanted.port !== port || wanted.host !== host || wanted.socket !== socket)
        log.warn('the configuration sets another port, host or socket now: restart the server to apply it')
      const [address] = (await opening).map((server) => server.address())
      if (!address) throw new Error('the primary no longer listens')
      return address
    },
    async release(worker) {
      await closed
      remove(worker)
    },
    close(start) {
      closed ??= closeAfter(start)
      return closed
    },
  }
}

/** Connections on their way to a worker. With two, it does not wait for the next, and a busy one gets no more. */
const MAX_IN_TRANSIT = 2

/** Connections wait for this time while no worker runs: a worker that is replaced needs a second or two. */
const MAX_WAIT_MS = 10_000
const UNSERVED: RawRefusal = { status: 503, detail: 'The server cannot respond now. Try again later.' }

type ConnectionDistributor = ReturnType<typeof createConnectionDistributor>

export function createConnectionDistributor(log: Pick<FastifyBaseLogger, 'error'>) {
  const workers = new Set<WorkerProcess>()
  /** The workers that are free, in the order in which they became free: all get their turn. */
  let free: WorkerProcess[] = []
  const waiting: Socket[] = []
  /** The connections on their way to each worker, oldest first. They stay open here until it has taken them. */
  const inTransit = new Map<WorkerProcess, Socket[]>()
  let isHeld = false
  let onEmpty: (() => void) | null = null
  let timer: NodeJS.Timeout | undefined
  /** Has no worker run for `MAX_WAIT_MS`? */
  let isUnserved = false

  function refuseAll() {
    isUnserved = true
    log.error(`no worker has run for ${MAX_WAIT_MS} ms: each connection gets a 503 until one runs`)
    for (const socket of waiting.splice(0)) refuse(socket)
  }

  function distribute() {
    if (isHeld) return
    for (;;) {
      const [worker] = free
      const [socket] = waiting
      if (!worker || !socket) break
      free.shift()
      waiting.shift()
      inTransit.get(worker)?.push(socket)
      worker.hand(socket)
    }
    if (onEmpty === null) return
    if (workers.size === 0) for (const socket of waiting.splice(0)) socket.destroy()
    if (waiting.length === 0) onEmpty()
  }

  function remove(worker: WorkerProcess) {
    workers.delete(worker)
    free = free.filter((other) => other !== worker)
    if (workers.size === 0 && !isHeld && onEmpty === null) timer ??= setTimeout(refuseAll, MAX_WAIT_MS).unref()
    distribute()
  }

  return {
    take(socket: Socket) {
      if (isUnserved) return refuse(socket)
      waiting.push(socket)
      distribute()
    },
    /** Adds a worker that takes connections from now on. */
    add(worker: WorkerProcess) {
      workers.add(worker)
      inTransit.set(worker, [])
      clearTimeout(timer)
      timer = undefined
      isUnserved = false
      for (let count = 0; count < MAX_IN_TRANSIT; count++) free.push(worker)
      distribute()
    },
    /** Notes that a worker has taken one connection, and is free for another. */
    free(worker: WorkerProcess) {
      // The worker has a copy of its own, so the connection stays open.
      inTransit.get(worker)?.shift()?.destroy()
      if (workers.has(worker)) free.push(worker)
      distribute()
    },
    /** Removes a worker that takes no more connections than those that are on their way to it. */
    remove,
    /** Removes a worker that has ended. Other workers get the connections that it has not taken. */
    lose(worker: WorkerProcess) {
      waiting.unshift(...(inTransit.get(worker) ?? []))
      inTransit.delete(worker)
      remove(worker)
    },
    /** Holds back all connections until `end` is called. */
    hold() {
      isHeld = true
      clearTimeout(timer)
    },
    /** Hands out what waits, and closes it when no worker is left. Must be called after the last `take`. */
    end() {
      isHeld = false
      return new Promise<void>((resolve) => {
        onEmpty = resolve
        distribute()
      })
    },
  }
}

function refuse(socket: Socket) {
  // The client may reset the connection.
  socket.on('error', () => {})
  writeRefusal(socket, UNSERVED)
  // Unread data would reset the connection, and the client would lose the response.
  socket.resume()
}
