import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

/**
 * Lets requests that arrive together on one connection wait for the one before them: Node hands over all of them at once, and who
 * reads nothing would have a thousand answers made. A connection on which more wait than may is closed.
 */
export function createPipelineQueue(app: FastifyInstance, maxWaiting: number) {
  const waiting = new WeakMap<Socket, number>()
  const countClosed = addThrottledLine(app, (count) =>
    app.log.info(
      { closed: count },
      `closed ${countOf(count, 'connection')} with more than ${maxWaiting} waiting requests (limits.maxPipelined)`,
    ),
  )

  return {
    wait({ socket }: IncomingMessage, response: ServerResponse, then: () => void) {
      if (socket.destroyed) return
      const count = (waiting.get(socket) ?? 0) + 1
      if (count > maxWaiting) {
        countClosed()
        return void socket.destroy()
      }
      waiting.set(socket, count)
      response.once('socket', () => {
        waiting.set(socket, (waiting.get(socket) ?? 0) - 1)
        if (!socket.destroyed) then()
      })
    },
  }
}
