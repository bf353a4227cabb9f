import type { ServerError } from '../../shared/wire/public-error.ts'
import type { Route } from '../build-output/load-build.ts'
import type { NavigationAnswer } from '../context/navigation-answer.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CaughtError } from '../failures/failure-context.ts'
import { nameOption } from '../forms/limits.ts'
import { CrossSiteError } from '../guards/csrf.ts'
import { issuesOf } from '../schemas/address-error.ts'
import { isSentOnRedirect } from '../thrown/redirect-location.ts'
import { chooseErrorPage, type ErrorTarget, errorPageLeaf, NOTHING_BROKEN, renderErrorPage } from './error-page.ts'
import { publicFailure, resolveError } from './resolve-error.ts'
import { sendErrorMarkdown } from './send-markdown.ts'
import { sendErrorHead, sendErrorProblem, sendPlainDocument, sendRedirect, setErrorResponse } from './send-response.ts'

/** Returns the error target for a page: inside the layouts whose data is in `values`. */
export function targetOf(route: Route, values: readonly unknown[]): ErrorTarget {
  return { chain: route, layoutData: values.slice(0, route.layouts.length) }
}

/**
 * Responds to a caught value: with a redirect, problem+json, the line of a navigation, or an error page inside the
 * layouts of `target`. Does nothing when the client has left. Rejects when the response cannot be sent.
 */
export function respondWithError(caught: CaughtError, target: ErrorTarget, ctx: RequestContext): Promise<void> {
  // An error is for this visitor only.
  return ctx.inRequest(() => respond(caught, target, ctx))
}

async function respond(caught: CaughtError, target: ErrorTarget, ctx: RequestContext): Promise<void> {
  if (!ctx.isGone && ctx.hooksRun) await ctx.hooksRun
  if (ctx.isGone) return
  const outcome = resolveError(caught, ctx)
  // A handler, a load or an action has sent a response and then thrown.
  if (ctx.reply.sent && !ctx.navigation && !ctx.capture) return
  if (outcome.kind === 'redirect') {
    const { location, status } = outcome
    if (!ctx.capture?.sendRedirect(location, status)) respondWithRedirect(location, status, ctx)
    return
  }
  const { shown } = outcome
  // The cross-site guard has already logged its refusal, with more detail.
  if (shown.kind === 'refusal' && !(caught.thrown instanceof CrossSiteError))
    ctx.note({ statusCode: shown.status }, `refused with ${shown.status}: ${shown.message}${nameOption(caught.thrown)}`)
  if (ctx.hooksRun) await ctx.hooksRun
  if (caught.kind === 'refusal' && !ctx.navigation?.isOpen) ctx.reply.headers(caught.headers)
  if (ctx.errorFormat === 'json') return sendErrorProblem(shown, ctx, issuesOf(caught.thrown))
  if (ctx.errorFormat === 'markdown') return sendErrorMarkdown(shown, ctx)
  if (ctx.navigation) return writeErrorLine(shown, target, ctx.navigation, ctx)
  if (ctx.request.method === 'HEAD') return sendErrorHead(shown, ctx)
  try {
    await renderErrorPage(shown, target, ctx)
  } catch (error) {
    const failure = ctx.failResponse(error, { phase: 'render' })
    if (ctx.hooksRun) await ctx.hooksRun
    if (!ctx.reply.sent) sendPlainDocument(publicFailure(failure), ctx)
  }
}

/**
 * Responds with a redirect, or with the line of a navigation.
 *
 * @param location The value of the header `Location`.
 */
export function respondWithRedirect(location: string, status: number, ctx: RequestContext) {
  const { navigation, request } = ctx
  if (!navigation) return sendRedirect(location, status, ctx)
  navigation.send(isSentOnRedirect(status, request.method) ? ['redirect', location, 1] : ['redirect', location])
  navigation.end()
}

// The browser renders the error page. If that fails, the browser drops it, and then the layouts, by itself.
function writeErrorLine(shown: ServerError, target: ErrorTarget, navigation: NavigationAnswer, ctx: RequestContext) {
  if (!navigation.isOpen) setErrorResponse(shown, ctx)
  const leaf = errorPageLeaf(chooseErrorPage(shown, target, NOTHING_BROKEN))
  navigation.send(['shown', target.layoutData.length, leaf, shown])
  navigation.end()
}
