import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { BUILD_HEADER, NAVIGATION_MARK } from '../../shared/wire/navigation-protocol.ts'

/** `page`: a page of Hydrant's asks. `visitor`: the mark stands in the address, but no script of Hydrant's has sent it. */
type Kind = 'page' | 'visitor'

type RouteConstraint = NonNullable<RouteOptions['constraints']>

const STRATEGY = 'hydrantNavigation'

/** Constraints of routes that answer navigations, and nothing else. */
export const FOR_PAGES = { [STRATEGY]: 'page' } satisfies Record<string, Kind>
/** Constraints of routes that answer a visitor who has opened an address with the mark. */
export const FOR_VISITORS = { [STRATEGY]: 'visitor' } satisfies Record<string, Kind>

// Registered, so that two copies of Hydrant in one app share it, as they share the strategy.
const KIND = Symbol.for('hydrant.navigation')

interface Marked extends IncomingMessage {
  [KIND]?: Kind
  /** What Fastify keeps when it has called `rewriteUrl`. */
  originalUrl?: string
}

/** Is it a page of Hydrant's that asks, to go somewhere without loading a document? */
export function isNavigation(request: FastifyRequest): boolean {
  const raw: Marked = request.raw
  return raw[KIND] === 'page'
}

/** Notes that the router has come to a route for navigations. */
class Probe {
  hasMet = false
}

/**
 * Lets navigations match no route of the app but those with a constraint of this file, whether a route was added before or
 * after. Once in an app: all its instances have one router.
 */
export function addNavigationStrategy(app: FastifyInstance) {
  if (app.hasConstraintStrategy(STRATEGY)) return
  type Handler = ReturnType<FastifyInstance['findRoute']>['handler']
  app.addConstraintStrategy({
    name: STRATEGY,
    mustMatchWhenDerived: true,
    storage() {
      const handlers = new Map<unknown, Handler>()
      return {
        get(kind: unknown) {
          if (!(kind instanceof Probe)) return handlers.get(kind) ?? null
          kind.hasMet = handlers.has('page')
          return handlers.get('page') ?? null
        },
        set: (kind: unknown, handler: Handler) => void handlers.set(kind, handler),
      }
    },
    deriveConstraint: (raw) => kindOf(raw),
  })
}

// The router asks before it reads the address, so it reads the address without the mark, and so does whoever comes later.
function kindOf(raw: Marked): Kind | undefined {
  const { url = '', originalUrl } = raw
  // An app may send a request through the router again.
  if (raw[KIND] !== undefined || !url.includes(NAVIGATION_MARK)) return raw[KIND]
  const plain = withoutMark(url)
  if (plain === url) return undefined
  raw.url = plain
  if (originalUrl !== undefined) raw.originalUrl = withoutMark(originalUrl)
  raw[KIND] = raw.headers[BUILD_HEADER] === undefined ? 'visitor' : 'page'
  return raw[KIND]
}

/** The address without the mark, wherever in the query it stands: caches and firewalls sort queries, and add `=`. */
function withoutMark(url: string): string {
  const at = url.indexOf('?')
  if (at === -1) return url
  const parts = url.slice(at + 1).split('&')
  const own = parts.filter((part) => part !== NAVIGATION_MARK && !part.startsWith(`${NAVIGATION_MARK}=`))
  if (own.length === parts.length) return url
  return url.slice(0, at) + (own.length > 0 ? `?${own.join('&')}` : '')
}

/**
 * Would the same request without the mark come to a page, and not to a route of the app, of `server.ts` or to a file?
 *
 * The router is asked for the route, with constraints that note what it reads: it reads the constraint at each route that
 * fits the address, the most specific one first, and asks the strategy's storage only at a route that has the constraint. What
 * constraints of the app's own would say is not known, so a route that has one counts as the app's answer.
 */
export function isPageFirst(app: FastifyInstance, { method, url, headers }: FastifyRequest): boolean {
  const version = headers['accept-version']
  const known = {
    host: String(headers.host ?? headers[':authority'] ?? ''),
    ...(version === undefined ? {} : { version: String(version) }),
  }
  const probe = new Probe()
  let reads = 0
  let isAppsOwn = false
  const constraints = new Proxy<RouteConstraint>(known, {
    get(_target, name) {
      if (name === STRATEGY) {
        reads++
        return probe
      }
      // At a page's route the strategy's constraint is read before those.
      if (reads === 0 && name !== 'host' && name !== 'version') isAppsOwn = true
      return Reflect.get(known, name)
    },
  })
  // Its types want a method that Fastify knows, which the method of a request is.
  app.findRoute({ method: method as HTTPMethods, url, constraints })
  return probe.hasMet && reads === 1 && !isAppsOwn
}
