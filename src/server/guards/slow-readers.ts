import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

/** How often is looked until a visitor is too slow. Turns of the event loop lie between: its own delays count once. */
const CHECKS = 4
const SHORTEST_CHECK_MS = 20

interface Connection {
  /** Bytes that the system has taken to send. */
  taken: number
  /** How often something waited, and nothing had been taken since the time before. */
  idleChecks: number
}

/**
 * Ends the connections of visitors who take nothing of what waits for them for that long. One on which nothing waits is left
 * alone, however long it is silent: it may listen to events.
 */
export function addSlowReaderGuard(app: FastifyInstance, sendMs: number) {
  let remoteAddress: string | undefined
  const countEnded = addThrottledLine(app, (count) =>
    app.log.info(
      { ended: count, remoteAddress },
      `closed ${countOf(count, 'connection')}, because the client read nothing of the response for ${sendMs} ms (timeouts.sendMs)`,
    ),
  )
  const stop = endSlowReaders(app.server, sendMs, (socket) => {
    remoteAddress = socket.remoteAddress
    countEnded()
  })
  app.addHook('onClose', (_app, done) => {
    stop()
    done()
  })
}

/** Returns what ends the looking. */
function endSlowReaders(server: Server, sendMs: number, onEnd: (socket: Socket) => void): () => void {
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

// To a socket a large write is one until all of it is taken; a visitor may have been reading it for minutes. How much is taken
// by now, only its handle knows, as Node's own timeouts ask it.
function readTaken(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
