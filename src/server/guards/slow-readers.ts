import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

/** How many checks in a row find a slow client. A delay of the event loop can only spoil one of them. */
const CHECKS = 4
const SHORTEST_CHECK_MS = 20

interface Connection {
  /** Bytes that the system has accepted. */
  taken: number
  /** How many checks in a row found that data waits and that the system has accepted none since the previous check. */
  idleChecks: number
}

/**
 * Closes connections whose client reads none of the waiting data for `sendMs`. A connection without waiting data stays
 * open, however long it is silent: it may be an event stream.
 */
export function addSlowReaderGuard(app: FastifyInstance, sendMs: number) {
  let remoteAddress: string | undefined
  const countEnded = addThrottledLine(app, (count) =>
    app.log.info({ ended: count, remoteAddress }, describeSlowReaders(count, sendMs)),
  )
  const stop = endSlowReaders(app.server, sendMs, (socket) => {
    remoteAddress = socket.remoteAddress
    countEnded()
  })
  app.addHook('onClose', async () => stop())
}

export function describeSlowReaders(count: number, sendMs: number): string {
  return `closed ${countOf(count, 'connection')}, because the client read nothing of the response for ${sendMs} ms ("timeouts.sendMs")`
}

/** Starts the checks. Returns a function that stops them. */
export function endSlowReaders(server: Server, sendMs: number, onEnd: (socket: Socket) => void): () => void {
  const connections = new Map<Socket, Connection>()

  server.on('connection', (socket) => {
    connections.set(socket, { taken: 0, idleChecks: 0 })
    socket.once('close', () => connections.delete(socket))
  })

  function check(socket: Socket, connection: Connection) {
    const taken = socket.writableLength === 0 ? 0 : readTaken(socket)
    connection.idleChecks = taken > 0 && taken === connection.taken ? connection.idleChecks + 1 : 0
    connection.taken = taken
    if (connection.idleChecks < CHECKS) return
    onEnd(socket)
    socket.destroy()
  }

  const timer = setInterval(
    () => {
      for (const [socket, connection] of connections) check(socket, connection)
    },
    Math.max(SHORTEST_CHECK_MS, sendMs / CHECKS),
  ).unref()
  return () => clearInterval(timer)
}

/**
 * Returns how many bytes the system has accepted. A socket counts a large write only when it is complete, which may
 * take minutes. Its handle knows the progress; Node's own timeouts read it there, too.
 */
function readTaken(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
