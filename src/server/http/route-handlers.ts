import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HandlerResult } from './handler-result.ts'

const HANDLER = Symbol('handler')

interface Marked {
  [HANDLER]?: unknown
}

/**
 * Records on each request which route handler it has reached. It applies to routes that are added until the returned
 * function is called. Without the record, a value without a stack that a handler throws could not be distinguished from
 * one that a hook throws.
 *
 * @param failRoute Takes what a handler throws after it has sent the response, or hijacked it. Fastify calls no error
 * handler then.
 */
export function noteHandlers(
  app: FastifyInstance,
  failRoute: (thrown: unknown, reply: FastifyReply) => void,
): () => void {
  function takeThrown(thrown: unknown, reply: FastifyReply): boolean {
    if (!reply.sent) return false
    failRoute(thrown, reply)
    // Nothing else would end a hijacked response, and the client would wait.
    if (!reply.raw.writableEnded) reply.raw.destroy()
    return true
  }
  let isOver = false
  app.addHook('onRoute', (route) => {
    if (isOver) return
    const { handler } = route
    route.handler = function (request, reply) {
      const marked: FastifyRequest & Marked = request
      marked[HANDLER] = handler
      let result: unknown
      try {
        result = handler.call(this, request, reply)
      } catch (error) {
        if (takeThrown(error, reply)) return
        throw error
      }
      return result instanceof Promise ? new HandlerResult(result, (error) => takeThrown(error, reply)) : result
    }
  })
  return () => {
    isOver = true
  }
}

/** Returns the route handler of `server.ts` that was called for the request; undefined if none was. */
export function handlerOf(request: FastifyRequest): unknown {
  const marked: FastifyRequest & Marked = request
  return marked[HANDLER]
}
