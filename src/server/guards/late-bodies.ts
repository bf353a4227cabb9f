import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasCode } from '../util/message-of.ts'

/** The limit, in words, of each connection that is closed because a request did not arrive in time. */
const limits = new WeakMap<Socket, string>()

/**
 * Remembers on which connections a request did not arrive in time. Node.js emits an event for them, and then they are
 * closed.
 *
 * @param option The name of the option that sets the limit.
 */
export function watchLateBodies({ server }: Pick<FastifyInstance, 'server'>, option: string) {
  server.on('clientError', (error, socket: Socket) => {
    if (hasCode(error, 'ERR_HTTP_REQUEST_TIMEOUT')) limits.set(socket, `${server.requestTimeout} ms ("${option}")`)
  })
}

/** Says why the connection of a request was closed before its response was complete. */
export function describeEarlyClose({ raw }: FastifyRequest): string {
  const limit = raw.complete ? undefined : limits.get(raw.socket)
  return limit === undefined
    ? 'the client disconnected before the response was complete'
    : `the connection was closed, because the body of the request did not arrive within ${limit}`
}
