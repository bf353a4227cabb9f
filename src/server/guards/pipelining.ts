import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

const MAX_WAITING = 100

/**
 * Whether Node.js sends the response only when those before it on the connection are complete: it has no socket till then.
 * A response of a test or an adapter, which call `app.routing`, never gets one.
 */
export function isQueued({ socket }: ServerResponse, request: IncomingMessage): boolean {
  if (socket !== null) return false
  // Node's own record of the response that a connection sends.
  const { _httpMessage: current } = (request.socket ?? {}) as { _httpMessage?: ServerResponse | null }
  return current !== undefined && current !== null
}

/**
 * Makes pipelined requests wait until the response before them has been sent. Node.js delivers all of them at once, so a
 * client that never reads could have a thousand pages rendered. Closes a connection with more than `MAX_WAITING`
 * waiting requests.
 */
export function createPipelineQueue(app: FastifyInstance) {
  const queues = new WeakMap<Socket, Set<ServerResponse>>()
  const countClosed = addThrottledLine(app, (count) =>
    app.log.info(
      { closed: count },
      `closed ${countOf(count, 'connection')} with more than ${MAX_WAITING} waiting requests`,
    ),
  )

  function queueOf(socket: Socket): Set<ServerResponse> {
    const known = queues.get(socket)
    if (known) return known
    const queue = new Set<ServerResponse>()
    queues.set(socket, queue)
    socket.once('close', () => queue.forEach(close))
    return queue
  }

  return {
    /** Calls `then` when the response has its socket. If the connection closes before, it closes the response. */
    wait({ socket }: IncomingMessage, response: ServerResponse, then: () => void) {
      if (socket.destroyed) return close(response)
      const queue = queueOf(socket)
      queue.add(response)
      response.once('socket', () => {
        queue.delete(response)
        if (!socket.destroyed) then()
      })
      if (queue.size <= MAX_WAITING) return
      countClosed()
      socket.destroy()
    },
  }
}

/** Does for a response without a socket what Node.js does for others when the connection closes. */
function close(response: ServerResponse) {
  response.destroyed = true
  response.emit('close')
}
