import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LayoutChain } from '../build-output/load-build.ts'
import { createRouteContext, type RequestContext, takePageContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import type { Site } from '../context/site.ts'
import { NotFoundSignal } from '../errors/http-error.ts'
import { type CaughtError, catchError, catchInRoute, readProperty } from '../failures/failure-context.ts'
import { finishErrorHooks, hasRunErrorHooks } from '../failures/on-error-hooks.ts'
import { failRoute, recordHanded } from '../failures/site-failures.ts'
import { CrossSiteError, isSafe } from '../guards/csrf.ts'
import { FORMATS } from '../http/formats.ts'
import { errorResponse, recordCaught, recordLate } from './errors.ts'
import { guardsOf, runGuards } from './guards.ts'
import { runLoads } from './loads.ts'
import { CollectedLines, loadDocument, makeNavigation } from './navigation.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { deliver, sendRaw } from './send.ts'

type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | undefined

/** Requests that an error handler responds to. Their response is being made until `isMade`. */
const handled = new WeakMap<FastifyRequest, { ctx: RequestContext; isMade: boolean }>()

/**
 * Creates the error handler of a page's route, or of all routes of the site without `prepare`. If its response cannot be sent,
 * Fastify calls the next error handler, which this function has created as well: that one sends the raw error.
 */
export function createErrorHandler(site: Site, prepare?: () => PreparedRoute): ErrorHandler {
  async function handle(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const earlier = handled.get(request)
    // The handler of a route goes on after its time is over, and may throw while the response is made.
    if (earlier && !earlier.isMade) recordLate(catchError(error, 'route'), undefined, earlier.ctx)
    else if (earlier) sendRaw(error, earlier.ctx)
    else if (reply.raw.headersSent && !reply.sent) cutOff(error, reply)
    else {
      const route = prepare?.()
      const ctx = route ? takePageContext(route, site, request, reply) : createRouteContext(site, request, reply)
      // The body of a request to no route does not matter.
      const thrown = request.is404 && isUnreadable(error) ? new NotFoundSignal() : error
      await respondToError(thrown, workingChainOf(request) ?? route ?? site.build.root, ctx)
    }
    // Fastify waits for it. Without a value, Fastify would send again while `onSend` hooks run.
    return reply
  }
  return (error, request, reply) => {
    // `undefined` and not a promise, from which Fastify would expect a response.
    return finishErrorHooks(error, reply) ? undefined : handle(error, request, reply)
  }
}

function isUnreadable(error: unknown): boolean {
  return /^FST_ERR_(?:CTP_|ROUTE_MISSING_CONTENT_TYPE$)/.test(String(readProperty(error, 'code')))
}

/** Ends a response that has begun, for example with Node's own functions: no error can be sent any more. */
function cutOff(error: unknown, reply: FastifyReply) {
  failRoute(error, reply)
  reply.hijack().raw.destroy()
}

async function respondToError(thrown: unknown, chain: LayoutChain | PreparedRoute, ctx: RequestContext): Promise<void> {
  if (hasRunErrorHooks(thrown, ctx.reply)) return sendRaw(thrown, ctx)
  const handling = { ctx, isMade: false }
  handled.set(ctx.request, handling)
  const caught = catchInRoute(thrown, ctx.reply)
  // The visitor sees the first failure. A refusal by an error handler has dealt with the error.
  if (caught.kind === 'failure') recordHanded(ctx.request)
  const response = await makeHookError(caught, chain, ctx).finally(() => {
    handling.isMade = true
  })
  await deliver(response, ctx)
}

/** Makes the response to an error of a request that not all hooks of `server.ts` have let pass. */
export async function makeHookError(
  caught: CaughtError,
  chain: LayoutChain | PreparedRoute,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const layouts = await layoutsAround(chain, caught, ctx)
  return layouts && (await errorInLayouts(chain, caught, ctx, layouts))
}

/**
 * Returns the layouts that may be rendered around an error of a hook; null when the guard of the root layout has sent a
 * response. The loads and guards of a layout expect that all hooks of `server.ts` have let the request pass, and some have
 * not been called: the cross-site check runs before them, and a body that cannot be read ends the request before the
 * later hooks. So the layouts end at the first one that has a load, or a guard that has not run. For a hook that threw in
 * a GET or HEAD request the root layout may load, after its guard: it is around every unknown path as well.
 */
async function layoutsAround(
  { layouts }: LayoutChain,
  { thrown }: CaughtError,
  ctx: RequestContext,
): Promise<LayoutChain['layouts'] | null> {
  const mayRootRun = isSafe(ctx.request.method) && !(thrown instanceof CrossSiteError)
  const rootGuard = guardsOf(layouts.slice(0, 1))
  if (mayRootRun && rootGuard.length > 0 && !ctx.hasPassedGuards) {
    const outcome = await runGuards(rootGuard, ctx)
    if (outcome.kind === 'done') return null
    // The error of the hook decides the response.
    if (outcome.kind === 'thrown' && outcome.caught.kind === 'failure') recordCaught(outcome.caught, ctx)
    if (outcome.kind === 'thrown') return []
  }
  const first = layouts.findIndex(
    ({ guard, load }, index) =>
      !(mayRootRun && index === 0) && (load !== null || (guard !== null && !ctx.hasPassedGuards)),
  )
  return first === -1 ? layouts : layouts.slice(0, first)
}

/**
 * Makes the response to an error that was caught before any load ran: loads the layouts, and shows the error in place of
 * the page.
 *
 * @param layouts The layouts that may be rendered around it, outermost first (all).
 */
export async function errorInLayouts(
  chain: LayoutChain | PreparedRoute,
  caught: CaughtError,
  ctx: RequestContext,
  layouts = chain.layouts,
): Promise<PageResponse | null> {
  const { isDocument, isNavigation } = FORMATS[ctx.errorFormat]
  // A client that has left may be the cause of the error.
  ctx.watchLeaving()
  // A load of the layouts may throw as well, and the first failure is shown. The browser may load the document instead.
  if (caught.kind === 'failure' && !ctx.isGone) recordCaught(caught, ctx)
  if (isNavigation) {
    if ('plan' in chain) return await makeNavigation(chain, { kind: 'thrown', caught, layouts }, ctx)
    // The browser loads the document of anything but a page.
    if (caught.kind !== 'redirect') return loadDocument()
    ctx.navigation = new CollectedLines(ctx)
  }
  const isInLayouts = isDocument && ctx.request.method !== 'HEAD' && caught.kind !== 'redirect'
  if (!isInLayouts) return await errorResponse(caught, { chain, layoutData: [] }, ctx)
  const loads = await runLoads(layouts, ctx)
  if (loads.kind === 'sent') return null
  const target = { chain, layoutData: loads.values }
  if (loads.kind === 'thrown') {
    // A layout decides over a refusal inside it.
    if (caught.kind !== 'failure') return await errorResponse(loads.caught, target, ctx)
    // Without a client, the loads have been aborted: what they throw then is no failure.
    if (loads.caught.kind === 'failure' && !ctx.isGone) recordCaught(loads.caught, ctx)
  }
  return await errorResponse(caught, target, ctx)
}

/** The layouts around the error of a request, if not all of its modules can be loaded. */
const chains = new WeakMap<FastifyRequest, LayoutChain>()

/** Makes an error of the request be shown inside these layouts. */
export function setWorkingChain(request: FastifyRequest, chain: LayoutChain): void {
  chains.set(request, chain)
}

function workingChainOf(request: FastifyRequest): LayoutChain | undefined {
  return chains.get(request)
}
