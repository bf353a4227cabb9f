// Not-found handlers of `server.ts` and of an app. Fastify calls one if no route matches: the handler of the nearest
// scope with a prefix, or of the app. The site has a route for unknown paths, which leaves them these paths.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { findSymbol } from '../util/find-symbol.ts'

export const UNKNOWN_STRATEGY = 'hydrantUnknown'

/** Returns whether a route with this constraint may handle a request. */
type Accepts = (raw: IncomingMessage) => boolean

/** Adds the constraint strategy of `forOwnUnknown`, once for an app. */
export function addUnknownStrategy(app: FastifyInstance) {
  if (app.hasConstraintStrategy(UNKNOWN_STRATEGY)) return
  app.addConstraintStrategy({
    name: UNKNOWN_STRATEGY,
    mustMatchWhenDerived: false,
    storage() {
      type Handler = ReturnType<FastifyInstance['findRoute']>['handler']
      const handlers = new Map<unknown, Handler>()
      return {
        // The router looks up the constraint of a route when it adds the route, and then requests.
        get(asked: unknown) {
          if (typeof asked === 'function') return handlers.get(asked) ?? null
          for (const [accepts, handler] of handlers) {
            // Only functions of `forOwnUnknown` are set, and only requests derived.
            if ((accepts as Accepts)(asked as IncomingMessage)) return handler
          }
          return null
        },
        set: (accepts: unknown, handler: Handler) => void handlers.set(accepts, handler),
      }
    },
    deriveConstraint: (raw) => raw,
  })
}

/** Returns the constraint of a route that leaves paths to the not-found handlers of scopes below the prefix of `app`. */
export function forOwnUnknown(app: FastifyInstance): NonNullable<RouteOptions['constraints']> {
  const levels = findSymbol(app, 'fastify.404')
  const level = findSymbol(app, 'fastify.404ContextKey')
  const accepts: Accepts = ({ method, url }) => {
    if (levels === undefined || level === undefined) return true
    const { router } = Reflect.get(app, levels) as NotFoundHandlers
    const found = router.find(method, url)
    return found === null || found.store === Reflect.get(app, level)
  }
  return { [UNKNOWN_STRATEGY]: accepts }
}

/** Fastify's own object with the not-found handlers of an app. */
interface NotFoundHandlers {
  router: { find(method: string | undefined, url: string | undefined): { store: unknown } | null }
}

/** Returns whether an instance has a not-found handler, or the one that it shares its prefix with. */
export function hasNotFoundHandler(app: FastifyInstance): boolean {
  const owner = findSymbol(app, 'fastify.404LogLevelInstance')
  const canSet = findSymbol(app, 'fastify.canSetNotFoundHandler')
  if (owner === undefined || canSet === undefined) return false
  return Reflect.get(Reflect.get(app, owner) as object, canSet) === false
}
