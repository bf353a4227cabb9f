import type { FastifyInstance, FastifyRequest } from 'fastify'

const HANDLER = Symbol('handler')

interface Marked {
  [HANDLER]?: unknown
}

/**
 * Notes on each request which handler of a route it has come to, for routes that are added until the returned function is
 * called: what a hook throws and what the handler throws come to the same place, and a value without a stack says neither.
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

/** The handler of a route of `server.ts` that has been called for a request; undefined when none has. */
export function handlerOf(request: FastifyRequest): unknown {
  const marked: FastifyRequest & Marked = request
  return marked[HANDLER]
}
