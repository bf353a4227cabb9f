import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LayoutChain } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { finishErrorHooks, hasRunErrorHooks } from '../failures/on-error-hooks.ts'
import { CrossSiteError, isSafe } from '../guards/csrf.ts'
import { pathAndQuery, withoutTrailingSlash } from '../http/request-url.ts'
import { HttpError, NotFoundSignal } from '../thrown/http-error.ts'
import { createPageContext, createRouteContext } from './create-context.ts'
import { runLoads } from './loads.ts'
import { refuseNavigation } from './navigation-stream.ts'
import type { PageRoute } from './page-route.ts'
import { respondInSlot, sendRawError } from './raw-response.ts'
import { type CaughtError, catchError, recordCaught } from './resolve-error.ts'
import { respondWithError } from './respond-with-error.ts'
import { sendRedirect } from './send-response.ts'
import { serveNavigation } from './serve-navigation.ts'

type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | undefined

/** Responds with 405. `allowed` lists the methods that the page's URL has. */
export async function refuseMethod(route: PageRoute, allowed: string, ctx: RequestContext): Promise<void> {
  if (!ctx.site.slots.admit(ctx)) return
  ctx.reply.header('allow', allowed)
  const refusal = new HttpError(405, `${ctx.request.method} is not allowed here.`)
  await respondInSlot(ctx, () => serveHookError(refusal, route, ctx))
}

/** Responds to a path without a page: with a redirect to the path without its trailing slash, or with the 404 page. */
export async function serveNotFound(ctx: RequestContext): Promise<void> {
  const { method, url } = ctx.request
  const location = method === 'GET' || method === 'HEAD' ? withoutTrailingSlash(pathAndQuery(url)) : null
  if (location !== null) return sendRedirect(location, 308, ctx)
  if (!ctx.site.slots.admit(ctx)) return
  await respondInSlot(ctx, () => serveHookError(new NotFoundSignal(), ctx.site.build.root, ctx))
}

/** Contexts of the requests that an error handler has responded to. */
const handled = new WeakMap<FastifyRequest, RequestContext>()

/**
 * Creates the error handler of a page's route, or of all routes of the site for null. If its response cannot be sent,
 * Fastify calls the next error handler, which this function has created as well: that one sends the raw error.
 */
export function createErrorHandler(site: Site, route: PageRoute | null): ErrorHandler {
  async function handle(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const earlier = handled.get(request)
    if (earlier) sendRawError(error, earlier)
    else {
      const ctx = route ? createPageContext(route, site, request, reply) : createRouteContext(site, request, reply)
      await serveError(error, route ?? site.build.root, ctx)
    }
    // Fastify waits for it. Without a value, Fastify would send again while `onSend` hooks run.
    return reply
  }
  return (error, request, reply) => {
    // No promise: Fastify would expect a response from it.
    return finishErrorHooks(error, request, reply) ? undefined : handle(error, request, reply)
  }
}

async function serveError(thrown: unknown, chain: LayoutChain | PageRoute, ctx: RequestContext): Promise<void> {
  if (hasRunErrorHooks(thrown, ctx.request)) return sendRawError(thrown, ctx)
  handled.set(ctx.request, ctx)
  await serveHookError(thrown, chain, ctx)
}

/** Responds with an error of a request that not all hooks of `server.ts` have let pass. */
function serveHookError(thrown: unknown, chain: LayoutChain | PageRoute, ctx: RequestContext): Promise<void> {
  const caught = catchError(thrown, 'route')
  return serveErrorInLayouts(chain, caught, ctx, layoutsAround(chain, caught, ctx))
}

/**
 * Returns the layouts that may be rendered around an error of a hook. The loads of a layout expect that all hooks of
 * `server.ts` have let the request pass, and some have not been called: the cross-site check runs before them, and a
 * body that cannot be read ends the request before the later hooks. So the layouts end at the first one that has a
 * load. For a hook that threw in a GET or HEAD request the root layout may load: it is around every unknown path as
 * well.
 */
function layoutsAround(
  { layouts }: LayoutChain,
  { thrown }: CaughtError,
  { request }: RequestContext,
): LayoutChain['layouts'] {
  const mayRootLoad = isSafe(request.method) && !(thrown instanceof CrossSiteError)
  const first = layouts.findIndex(({ load }, index) => load !== null && !(mayRootLoad && index === 0))
  return first === -1 ? layouts : layouts.slice(0, first)
}

/**
 * Responds with an error that was caught before any load ran: loads the layouts, and shows the error in place of the
 * page.
 *
 * @param layouts The layouts that may be rendered around it, outermost first (all).
 */
export async function serveErrorInLayouts(
  chain: LayoutChain | PageRoute,
  caught: CaughtError,
  ctx: RequestContext,
  layouts = chain.layouts,
): Promise<void> {
  const { format, request } = ctx
  if (format === 'navigation') {
    if (!('plan' in chain)) return refuseNavigation(ctx)
    return serveNavigation(chain, { kind: 'thrown', caught, layouts }, ctx)
  }
  const isDocument = format === 'html' && request.method !== 'HEAD' && caught.kind !== 'redirect'
  if (!isDocument) return respondWithError(caught, { chain, layoutData: [] }, ctx)
  const loads = await runLoads(layouts, ctx)
  const target = { chain, layoutData: loads.values }
  if (loads.kind === 'thrown') {
    // A layout decides over a refusal inside it. Two failures are both recorded, and the first one is shown.
    if (caught.kind !== 'failure') return respondWithError(loads.caught, target, ctx)
    recordCaught(caught, ctx)
    // Without a client, the loads have been aborted: what they throw then is no failure.
    if (loads.caught.kind === 'failure' && !ctx.isGone) recordCaught(loads.caught, ctx)
  }
  await respondWithError(caught, target, ctx)
}
