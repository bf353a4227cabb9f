import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LayoutChain } from '../build-output/load-build.ts'
import { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { finishErrorHooks, hasRunErrorHooks } from '../failures/on-error-hooks.ts'
import { firstFailureOf } from '../failures/request-failures.ts'
import { CrossSiteError, isSafe } from '../guards/csrf.ts'
import { type Format, preferredErrorFormat, preferredFormat } from '../http/negotiate.ts'
import { pathAndQuery, withoutTrailingSlash } from '../http/request-url.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { HttpError, NotFoundSignal } from '../thrown/http-error.ts'
import { refuseNavigation } from './navigation-stream.ts'
import { answerLoads, loadAll, loadOf } from './page-loads.ts'
import { formatOf, type PageRoute, paramsOf } from './page-route.ts'
import { sendRawError } from './raw-response.ts'
import { type CaughtError, type ErrorTarget, respondWithError } from './respond-with-error.ts'
import { sendRedirect } from './send-response.ts'
import { answerNavigation } from './serve-navigation.ts'

const NO_PARAMS: Record<string, string> = {}

/** Answers a method that a page's URL does not have; `allowed` lists those that it has. */
export async function refuseMethod(
  route: PageRoute,
  allowed: string,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const refusal = new HttpError(405, `${request.method} is not allowed here.`)
  const visit = new RequestContext(request, reply, route.id, site.failures)
  if (!site.slots.admit(visit)) return
  reply.header('allow', allowed)
  const thrown: CaughtError = { thrown: refusal, phase: 'route' }
  try {
    const layouts = layoutsAround(route, refusal, request)
    await serveErrorInLayouts(route, thrown, paramsOf(route, request), formatOf(request), site, visit, layouts)
  } catch (error) {
    sendRawError(error, formatOf(request), site, visit)
  } finally {
    site.slots.free(visit)
  }
}

/** Answers a path that is no page: without its slash at the end, or with the 404 page. */
export async function serveNotFound(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const location = isRead ? withoutTrailingSlash(pathAndQuery(request.url)) : null
  const visit = new RequestContext(request, reply, '*', site.failures)
  if (location !== null) return sendRedirect(location, 308, visit)
  if (!site.slots.admit(visit)) return
  const format = preferredFormat(request.headers)
  const thrown: CaughtError = { thrown: new NotFoundSignal(), phase: 'route' }
  const { root } = site.build
  try {
    const layouts = layoutsAround(root, thrown.thrown, request)
    await serveErrorInLayouts(root, thrown, NO_PARAMS, format, site, visit, layouts)
  } catch (error) {
    sendRawError(error, format, site, visit)
  } finally {
    site.slots.free(visit)
  }
}

/**
 * Answers what a hook or a route of the site's `server.ts` has thrown. When the answer cannot be sent either, Fastify
 * asks the next error handler, which comes here as well.
 */
export function serveError(
  thrown: unknown,
  route: PageRoute | null,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> | undefined {
  // Of a promise Fastify would expect the answer.
  return finishErrorHooks(thrown, request, reply) ? undefined : answerByHandler(thrown, route, site, request, reply)
}

/** Returns the reply, for which Fastify waits: it would send once more while `onSend` hooks run. */
async function answerByHandler(
  thrown: unknown,
  route: PageRoute | null,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await answerOnce(thrown, route, site, request, reply)
  return reply
}

async function answerOnce(
  thrown: unknown,
  route: PageRoute | null,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const handled = site.handled.get(request)
  if (handled) return sendRawError(thrown, handled.format, site, handled.visit)
  const format = route ? formatOf(request) : preferredErrorFormat(request.headers)
  const params = route ? paramsOf(route, request) : NO_PARAMS
  const id = route?.id ?? request.routeOptions.url ?? '*'
  const visit = new RequestContext(request, reply, id, site.failures)
  visit.firstFailure = firstFailureOf(request)
  if (hasRunErrorHooks(thrown, request)) return sendRawError(thrown, format, site, visit)
  site.handled.set(request, { visit, format })
  const frame = route ?? site.build.root
  const layouts = layoutsAround(frame, thrown, request)
  await serveErrorInLayouts(frame, { thrown, phase: 'route' }, params, format, site, visit, layouts)
}

/**
 * The layouts that may stand around the answer to a request that hooks of `server.ts` have refused, or have not all been
 * asked about: nobody comes before the check for other sites, and of what is sent a body that cannot be read stands before
 * the later ones. What a layout loads is for those whom they let pass, so these end at the first one that loads something.
 * Where a hook itself has thrown that is not the root layout, which stands around every unknown path as well.
 */
function layoutsAround({ layouts }: LayoutChain, thrown: unknown, { method }: FastifyRequest): LayoutChain['layouts'] {
  const isAsked = isSafe(method) && !(thrown instanceof CrossSiteError)
  const first = layouts.findIndex(({ load }, index) => load !== null && !(isAsked && index === 0))
  return first === -1 ? layouts : layouts.slice(0, first)
}

/**
 * Answers what was thrown where no load has run: it stands in the page's place, so the layouts around it are loaded.
 *
 * @param layouts Those that may stand around it, outermost first (all).
 */
export async function serveErrorInLayouts(
  frame: LayoutChain | PageRoute,
  own: CaughtError,
  params: Record<string, string>,
  format: Format,
  site: Site,
  visit: RequestContext,
  layouts = frame.layouts,
): Promise<void> {
  if (format === 'navigation') {
    if (!('plan' in frame)) return void refuseNavigation(site, visit)
    return answerNavigation(frame, { kind: 'thrown', own, layouts }, params, site, visit)
  }
  const isRedirect = classifyThrown(own.thrown).kind === 'redirect'
  const isDocument = format === 'html' && visit.request.method !== 'HEAD' && !isRedirect
  const loads = isDocument ? await loadAll(layouts, params, site, visit) : null
  const place: ErrorTarget = { frame, params, layoutData: loads?.values ?? [] }
  if (loads?.kind !== 'thrown') return respondWithError(own, place, format, site, visit)
  // A layout's load has thrown as well. Two failures are both told, the first is shown; otherwise the layout decides.
  if (classifyThrown(own.thrown).kind !== 'failure') return answerLoads(loads, place, format, site, visit)
  visit.fail(own.thrown, { phase: own.phase, ...(own.origin ? { place: own.origin } : {}) })
  if (classifyThrown(loads.thrown).kind === 'failure')
    visit.fail(loads.thrown, { phase: 'load', place: loadOf(loads.serverFile) })
  await respondWithError(own, place, format, site, visit)
}
