import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import {
  ACTED_HEADER,
  BUILD_HEADER,
  NAVIGATION_MARK,
  type NavigationLine,
} from '../../shared/wire/navigation-protocol.ts'
import { isSentOnRedirect, isWebAddress } from '../errors/http-error.ts'
import { findSymbol } from '../util/fastify-internals.ts'
import { limitCaching, removeCacheHeaders } from './caching.ts'
import { NAVIGATION_CONTENT } from './formats.ts'
import { setErrorHeaders } from './headers.ts'
import { READ_METHODS } from './route-config.ts'

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
  app.addConstraintStrategy({
    name: STRATEGY,
    mustMatchWhenDerived: true,
    storage: () => new Handlers(),
    deriveConstraint: kindOf,
  })
}

type Handler = ReturnType<FastifyInstance['findRoute']>['handler']

/**
 * The handlers of one URL and method.
 *
 * perf: one object instead of a map and two functions, 227 MB of heap instead of 243 MB for 10,000 pages, commit d1476b48
 */
class Handlers implements Record<Kind, Handler | null> {
  page: Handler | null = null
  visitor: Handler | null = null

  // Only kinds are set, and only kinds and probes are looked up.
  get(kind: unknown): Handler | null {
    if (!(kind instanceof Probe)) return this[kind as Kind]
    kind.hasMet = this.page !== null
    return this.page
  }

  set(kind: unknown, handler: Handler) {
    this[kind as Kind] = handler
  }
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

// The headers of responses to navigations, and what replaces a response that a hook, a load or an action has sent with
// `reply.send()`.

/**
 * Some caches leave the query out of their key, and some read other headers before `Cache-Control`. nginx reads
 * `X-Accel-Expires`.
 */
const UNCACHED = {
  'cache-control': 'private, no-store',
  'cdn-cache-control': 'no-store',
  'surrogate-control': 'no-store',
  'x-accel-expires': '0',
}

/**
 * Forbids every cache to store the response to a navigation, whatever a load, a hook or a middleware has set. A cache
 * could serve it in place of the page.
 */
export function forbidCaching(reply: FastifyReply) {
  removeCacheHeaders(reply)
  reply.headers(UNCACHED)
  limitCaching(reply, 'no-store')
}

const IS_OWN = Symbol('isOwn')
const SENT_COOKIES = Symbol('sentCookies')

/** perf: properties of the reply, 0.5 µs less than an entry in a `WeakMap`, decision 053 */
interface NavigationReply extends FastifyReply {
  [IS_OWN]?: true
  [SENT_COOKIES]?: string
}

/** Marks a response to a navigation as Hydrant's: see `isOwnResponse`. */
export function markAsOwn(reply: NavigationReply) {
  reply[IS_OWN] = true
}

/** Returns false for a response that a hook, a load or an action has sent with `reply.send()`. */
export function isOwnResponse(reply: NavigationReply): boolean {
  return reply[IS_OWN] === true
}

/** Remembers the cookies of a response to a navigation, when the hooks that may set cookies have run. */
export function rememberCookies(reply: NavigationReply) {
  reply[SENT_COOKIES] = readCookies(reply)
}

/** Returns whether the hooks have run. The headers may have been sent. */
export function haveHooksRun(reply: NavigationReply): boolean {
  return reply[SENT_COOKIES] !== undefined
}

/** Returns whether a cookie was set after the hooks have run, so that it is not sent. */
export function hasLateCookie(reply: NavigationReply): boolean {
  const { [SENT_COOKIES]: sent } = reply
  return sent !== undefined && readCookies(reply) !== sent
}

// The result is a text, because Fastify returns its own array and later appends to it.
function readCookies(reply: FastifyReply): string {
  return String(reply.getHeader('set-cookie'))
}

/** Returns the line that replaces a response which is not Hydrant's; null to send that response. */
export function replacementFor({ method }: FastifyRequest, reply: FastifyReply): NavigationLine | null {
  const to = reply.getHeader('location')
  // `fetch` would follow the redirect: it would load the target a second time, and fail at another origin.
  if (to !== undefined && !READ_METHODS.includes(method) && isWebAddress(String(to))) {
    if (isSentOnRedirect(reply.statusCode, method)) return ['redirect', String(to), 1]
    if (reply.statusCode >= 301 && reply.statusCode <= 303) return ['redirect', String(to)]
  }
  // After an action the browser must not send the form again.
  return reply.hasHeader(ACTED_HEADER) ? null : ['load']
}

/** Drops a response that is replaced, with its headers. A status of 400 or more stays. */
export function dropResponse(payload: unknown, reply: FastifyReply) {
  dropPayload(payload, reply)
  setErrorHeaders(reply)
  reply.type(NAVIGATION_CONTENT)
}

/** Drops the payload of a response that is replaced, and a status below 400. */
export function dropPayload(payload: unknown, reply: FastifyReply) {
  discard(payload)
  // 204, 304 and redirects do not fit a response with a body.
  if (reply.statusCode < 400) reply.code(200)
}

function discard(payload: unknown) {
  if (payload instanceof Readable) payload.destroy()
  else if (payload instanceof ReadableStream) payload.cancel().catch(() => {})
}

// Not-found handlers of `server.ts` and of an app. Fastify calls one if no route matches: the handler of the nearest
// scope with a prefix, or of the app. The site has a route for unknown paths, which leaves them these paths.

const UNKNOWN_STRATEGY = 'hydrantUnknown'

/** Returns whether a route with this constraint may handle a request. */
type Accepts = (raw: IncomingMessage) => boolean

/** Adds the constraint strategy of `forOwnUnknown`, once for an app. */
export function addUnknownStrategy(app: FastifyInstance) {
  if (app.hasConstraintStrategy(UNKNOWN_STRATEGY)) return
  app.addConstraintStrategy({
    name: UNKNOWN_STRATEGY,
    mustMatchWhenDerived: false,
    storage() {
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
