import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { BUILD_HEADER, NAVIGATION_MARK } from '../../shared/wire/navigation-protocol.ts'
import { UNKNOWN_STRATEGY } from './not-found-levels.ts'

/**
 * Who sent a request whose URL has the navigation mark: an open page (`page`), or a visitor who opened such a URL
 * without Hydrant's script (`visitor`).
 */
type Kind = 'page' | 'visitor'

type RouteConstraint = NonNullable<RouteOptions['constraints']>

const STRATEGY = 'hydrantNavigation'

/** Constraints of routes that only handle navigations. */
export const FOR_PAGES = { [STRATEGY]: 'page' } satisfies Record<string, Kind>
/** Constraints of routes for visitors who have opened a URL with the mark. */
export const FOR_VISITORS = { [STRATEGY]: 'visitor' } satisfies Record<string, Kind>

// A registered symbol: two copies of Hydrant in one app share it, as they share the strategy.
const KIND = Symbol.for('hydrant.navigation')

interface Marked extends IncomingMessage {
  [KIND]?: Kind
  /** Set by Fastify after `rewriteUrl`. */
  originalUrl?: string
}

/** Whether an open page sends the request, to navigate without loading a document. */
export function isNavigation(request: FastifyRequest): boolean {
  const raw: Marked = request.raw
  return raw[KIND] === 'page'
}

/** Records whether the router has reached a route for navigations. */
class Probe {
  hasMet = false
}

/**
 * Adds a constraint strategy to the app's router: navigations then match only routes with a constraint of this file. It
 * also applies to routes that were added before. It is added once, because all instances of an app share one router.
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

/**
 * Removes the mark from the URL. The router calls it before it reads the URL, so routes and hooks never see the mark.
 */
function kindOf(raw: Marked): Kind | undefined {
  const { url = '', originalUrl } = raw
  // An app can send a request through the router twice.
  if (raw[KIND] !== undefined || !url.includes(NAVIGATION_MARK)) return raw[KIND]
  const plain = withoutMark(url)
  if (plain === url) return undefined
  raw.url = plain
  if (originalUrl !== undefined) raw.originalUrl = withoutMark(originalUrl)
  raw[KIND] = raw.headers[BUILD_HEADER] === undefined ? 'visitor' : 'page'
  return raw[KIND]
}

/** Removes the mark from any position in the query: caches and firewalls sort the parameters, and add `=`. */
function withoutMark(url: string): string {
  const at = url.indexOf('?')
  if (at === -1) return url
  const parts = url.slice(at + 1).split('&')
  const others = parts.filter((part) => part !== NAVIGATION_MARK && !part.startsWith(`${NAVIGATION_MARK}=`))
  if (others.length === parts.length) return url
  return url.slice(0, at) + (others.length > 0 ? `?${others.join('&')}` : '')
}

/**
 * Whether the same request without the mark would reach a page, and not a route of the app, a route of `server.ts` or a
 * file.
 *
 * It looks up the route with constraints that record reads. The router reads the constraint at each route that matches
 * the URL, the most specific one first. It asks the strategy's storage only at routes that have the constraint. The
 * result of the app's own constraints is unknown, so a route with one counts as a route of the app.
 */
export function isPageFirst(app: FastifyInstance, { method, url, headers, raw }: FastifyRequest): boolean {
  const version = headers['accept-version']
  const derived = {
    host: String(headers.host ?? headers[':authority'] ?? ''),
    ...(version === undefined ? {} : { version: String(version) }),
  }
  const probe = new Probe()
  let reads = 0
  let isAppsOwn = false
  const constraints = new Proxy<RouteConstraint>(derived, {
    get(_target, name) {
      if (name === STRATEGY) {
        reads++
        return probe
      }
      if (name === UNKNOWN_STRATEGY) return raw
      // At the route of a page, the router reads this strategy's constraint before the others.
      if (reads === 0 && name !== 'host' && name !== 'version') isAppsOwn = true
      return Reflect.get(derived, name)
    },
  })
  // Fastify accepts only requests with a method that it knows.
  app.findRoute({ method: method as HTTPMethods, url, constraints })
  return probe.hasMet && reads === 1 && !isAppsOwn
}
