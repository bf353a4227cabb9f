import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

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
 * @param onRoute Called for each of these routes.
 */
export function noteHandlers(
  app: FastifyInstance,
  failRoute: (thrown: unknown, reply: FastifyReply) => void,
  onRoute: (route: RouteOptions) => void,
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
    onRoute(route)
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

/**
 * The promise of a route handler. It decides at the moment when Fastify reads the rejection whether Fastify gets it: in
 * a promise that is derived, a hook could send the response between the two.
 */
class HandlerResult implements PromiseLike<unknown> {
  #promise: Promise<unknown>
  #takeThrown: (thrown: unknown) => boolean

  /** @param takeThrown Returns true for a thrown value that Fastify must not get. */
  constructor(promise: Promise<unknown>, takeThrown: (thrown: unknown) => boolean) {
    this.#promise = promise
    this.#takeThrown = takeThrown
  }

  // biome-ignore lint/suspicious/noThenProperty: Fastify calls it
  then<Value = unknown, Other = never>(
    onValue?: ((value: unknown) => Value | PromiseLike<Value>) | null,
    onThrown?: ((thrown: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#promise.then(onValue, (thrown) => {
      if (this.#takeThrown(thrown)) return onValue?.(undefined) as Value
      if (onThrown) return onThrown(thrown)
      throw thrown
    })
  }

  // Plugins that wrap a handler may expect these methods of a promise.
  catch(onThrown?: ((thrown: unknown) => unknown) | null): Promise<unknown> {
    return this.then(undefined, onThrown)
  }

  finally(onEnd?: (() => void) | null): Promise<unknown> {
    return this.then().finally(onEnd)
  }
}
