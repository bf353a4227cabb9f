import type { FastifyInstance, FastifyRequest } from 'fastify'

const HANDLER = Symbol('handler')

interface Marked {
  [HANDLER]?: unknown
}

/**
 * Records on each request which route handler it has reached. It applies to routes that are added until the returned
 * function is called. Without the record, a value without a stack that a handler throws could not be distinguished from
 * one that a hook throws.
 */
export function noteHandlers(app: FastifyInstance): () => void {
  let isOver = false
  app.addHook('onRoute', (route) => {
    if (isOver) return
    const { handler } = route
    route.handler = function (request, reply) {
      const marked: FastifyRequest & Marked = request
      marked[HANDLER] = handler
      return handler.call(this, request, reply)
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
