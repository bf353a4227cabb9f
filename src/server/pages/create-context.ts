import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '../build-output/load-build.ts'
import { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { isSafe } from '../guards/csrf.ts'
import { FORMATS, type Format } from '../http/formats.ts'
import { isNavigation } from '../http/navigation-strategy.ts'
import { acceptedDocumentFormat, preferredErrorFormat, preferredPageFormat } from '../http/negotiate.ts'
import { routeOf } from '../http/route-config.ts'

const NO_PARAMS: Record<string, string> = {}
/** The parts of a context without a page. */
const NO_PAGE = { route: '*', params: NO_PARAMS, hasScripts: true }

/** Creates the context of a request for a page. */
export function createPageContext(route: Route, site: Site, request: FastifyRequest, reply: FastifyReply) {
  const preferred = formatOf(site, request)
  // An action may return data for any page.
  const hasNoData = FORMATS[preferred].isData && route.page.load === null && isSafe(request.method)
  return new RequestContext(site, request, reply, {
    route: route.id,
    format: hasNoData ? acceptedDocumentFormat(request.headers, site.options.markdown) : preferred,
    errorFormat: preferred,
    // Fastify has decoded the parameters once; all are strings.
    params: route.catchAll === null ? (request.params as Record<string, string>) : paramsOf(route.catchAll, request),
    hasScripts: route.isHydrated,
  })
}

/** Returns the format that the client prefers for a page. */
export function formatOf({ options }: Site, request: FastifyRequest): Format {
  return isNavigation(request) ? 'navigation' : preferredPageFormat(request.headers, options.markdown)
}

const waiting = new WeakMap<FastifyRequest, RequestContext>()

/** Keeps the context of a request whose guards have run, for the handler that comes after the body has been read. */
export function keepPageContext(ctx: RequestContext) {
  waiting.set(ctx.request, ctx)
}

/** Returns the context that has been kept for a request for a page, or creates it. */
export function takePageContext(route: Route, site: Site, request: FastifyRequest, reply: FastifyReply) {
  const kept = waiting.get(request)
  waiting.delete(request)
  return kept ?? createPageContext(route, site, request, reply)
}

/** Creates the context of a request for a path without a page. */
export function createNotFoundContext(site: Site, request: FastifyRequest, reply: FastifyReply) {
  return new RequestContext(site, request, reply, { ...NO_PAGE, format: formatOf(site, request) })
}

/** Creates the context of a request to a route of the app or of `server.ts`, whose error Hydrant responds with. */
export function createRouteContext(site: Site, request: FastifyRequest, reply: FastifyReply) {
  const route = routeOf(request)
  const format = preferredErrorFormat(request.headers)
  return new RequestContext(site, request, reply, { ...NO_PAGE, route, format })
}

/** Creates the context of a navigation to something other than a page. */
export function createNavigationContext(site: Site, request: FastifyRequest, reply: FastifyReply) {
  return new RequestContext(site, request, reply, { ...NO_PAGE, format: 'navigation' })
}

function paramsOf(catchAll: string, request: FastifyRequest): Record<string, string> {
  const { '*': rest = '', ...others } = request.params as Record<string, string>
  return { ...others, [catchAll]: rest }
}
