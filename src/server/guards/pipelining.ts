import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

const MAX_WAITING = 100

/**
 * Makes pipelined requests wait until the response before them has been sent. Node delivers all of them at once, so a
 * client that never reads could have a thousand pages rendered. Closes a connection with more than `MAX_WAITING`
 * waiting requests.
 */
export function createPipelineQueue(app: FastifyInstance) {
  const waiting = new WeakMap<Socket, number>()
  const countClosed = addThrottledLine(app, (count) =>
    app.log.info(
      { closed: count },
      `closed ${countOf(count, 'connection')} with more than ${MAX_WAITING} waiting requests`,
    ),
  )

  return {
    wait({ socket }: IncomingMessage, response: ServerResponse, then: () => void) {
      if (socket.destroyed) return
      const count = (waiting.get(socket) ?? 0) + 1
      if (count > MAX_WAITING) {
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
