import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'

/**
 * The kind of a route of Hydrant: `page` for pages, actions, navigations and unknown paths, `health` for probes,
 * `asset` for scripts and stylesheets, `file` for files of `public/`, `report` for reports of browsers.
 */
export type HydrantRoute = 'page' | 'health' | 'asset' | 'file' | 'report'

/** Settings of a route of `server.ts`: `config: { hydrant: { csrf: false } }`. */
export interface RouteSettings {
  /** False for a route that accepts requests of other sites, with the visitor's cookies (true). */
  csrf?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of Hydrant's routes, for hooks: `request.routeOptions.config.hydrant`. Other routes may have settings. */
    hydrant?: HydrantRoute | RouteSettings
    /** The route's name in the log and the metrics (its URL). */
    hydrantRoute?: string
  }
}

/**
 * Returns the route's name in the log and the metrics. It is a pattern, so it contains nothing that the client has
 * sent.
 */
export function routeOf({ routeOptions: { config, url } }: Pick<FastifyRequest, 'routeOptions'>): string {
  return config?.hydrantRoute ?? url ?? '*'
}

// @fastify/rate-limit reads it. Load balancers check the health often, a page has many assets, and reports have their
// own limits.
const NOT_LIMITED = { rateLimit: false }

/** Returns the configuration of a page's route. `pattern` is `*` for unknown paths. */
export const pageRoute = (pattern: string) => ({ hydrant: 'page', hydrantRoute: pattern }) as const

export const HEALTH_ROUTE = { hydrant: 'health', ...NOT_LIMITED } as const
export const ASSET_ROUTE = { hydrant: 'asset', ...NOT_LIMITED } as const
/** All public files share one name in the log and the metrics. */
export const FILE_ROUTE = { hydrant: 'file', hydrantRoute: 'public/*' } as const
export const REPORT_ROUTE = { hydrant: 'report', ...NOT_LIMITED } as const

/** Whether the request is for `/_hydrant/live` or `/_hydrant/ready`. */
export function isHealthRoute({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): boolean {
  return routeOptions.config?.hydrant === HEALTH_ROUTE.hydrant
}

// Properties that all of Hydrant's own routes share.

/** The schema of routes that tools such as @fastify/swagger leave out of an app's API description. */
export const HIDDEN: FastifySchema & { hide: true } = { hide: true }

/** Removes the instance's prefix from a full path. Fastify adds it again when the route is registered. */
export function ownPath(app: FastifyInstance, path: string): string {
  return (app.prefix === '/' ? path : path.slice(app.prefix.length)) || '/'
}

/** The methods of requests for a page. */
export const READ_METHODS = ['GET', 'HEAD']
/** The methods of requests for an action. */
export const WRITE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']

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
export function rememberHandlers(
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
