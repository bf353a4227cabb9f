import { fallbackDocument, hostScript } from '../../shared/tree/fallback.ts'
import type { ServerError } from '../../shared/wire/public-error.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createResponse, type PageResponse } from '../context/response.ts'
import { refusalOf } from '../errors/classify-thrown.ts'
import { isSentOnRedirect, type Redirection, redirectLocation, redirectStatus } from '../errors/http-error.ts'
import { type CaughtError, catchError, type FailureContext, isCausedBy } from '../failures/failure-context.ts'
import { CrossSiteError } from '../guards/csrf.ts'
import type { Format } from '../http/formats.ts'
import { styleNonceOf } from '../http/headers.ts'
import { createErrorProblem, errorMarkdown } from '../http/problem.ts'
import { type Issue, issuesOf } from '../schemas/issues.ts'
import { updateScript } from './documents.ts'
import {
  chooseErrorPage,
  type ErrorTarget,
  errorPageLeaf,
  NOTHING_BROKEN,
  publicFailure,
  renderErrorPage,
} from './error-page.ts'

/** Returns the error target for a page: inside the layouts whose data is in `values`. */
export function targetOf(route: Route, values: readonly unknown[]): ErrorTarget {
  return { chain: route, layoutData: values.slice(0, route.layouts.length) }
}

/**
 * Makes the response to a caught value: a redirect, problem+json, Markdown, the line of a navigation, or an error page
 * inside the layouts of `target`. Returns null when the client has left, and for a response that has begun.
 */
export function errorResponse(
  caught: CaughtError,
  target: ErrorTarget,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  // An error is for this visitor only.
  return ctx.inRequest(() => makeError(caught, target, ctx))
}

async function makeError(caught: CaughtError, target: ErrorTarget, ctx: RequestContext): Promise<PageResponse | null> {
  if (!ctx.isGone && ctx.hooksRun) await ctx.hooksRun
  if (ctx.isGone) return null
  const outcome = resolveError(caught, ctx)
  // A render in the background only records its failures.
  if (ctx.staleReply) return null
  // A handler, a load or an action has sent a response and then thrown.
  if (ctx.reply.sent && !ctx.navigation && !ctx.shared) return null
  if (outcome.kind === 'redirect') return redirectResponse(outcome.location, outcome.status, ctx)
  const { visibleError } = outcome
  // The cross-site guard has already logged its refusal, with more detail.
  if (visibleError.kind === 'refusal' && !(caught.thrown instanceof CrossSiteError))
    ctx.noteRefusal(caught.thrown, visibleError)
  const { plain, inLayouts } = ERRORS[ctx.errorFormat]
  const response = inLayouts
    ? await inLayouts(visibleError, target, ctx)
    : plain(visibleError, ctx, issuesOf(caught.thrown))
  return response && withHeadersOf(caught, response)
}

/** Adds the headers of a refusal to the response to it. */
function withHeadersOf(caught: CaughtError, response: PageResponse): PageResponse {
  return caught.kind === 'refusal' ? { ...response, headers: caught.headers } : response
}

interface ErrorFormat {
  /** Makes an error without layouts, React or hooks. */
  plain(visibleError: ServerError, ctx: RequestContext, issues?: readonly Issue[]): PageResponse
  /** Makes an error of a page inside its layouts (as `plain`). */
  inLayouts?(
    visibleError: ServerError,
    target: ErrorTarget,
    ctx: RequestContext,
  ): PageResponse | null | Promise<PageResponse | null>
}

/** What each format makes of an error. */
const ERRORS: Readonly<Record<Format, ErrorFormat>> = {
  json: { plain: problemResponse },
  markdown: {
    plain: (visibleError, { address }) => errorAs('markdown', visibleError, errorMarkdown(visibleError, address.host)),
  },
  navigation: {
    plain: plainDocument,
    // The browser renders the error page. If that fails, the browser drops it, and then the layouts, by itself.
    inLayouts(visibleError, target, { navigation }) {
      const leaf = errorPageLeaf(chooseErrorPage(visibleError, target, NOTHING_BROKEN))
      navigation?.add(['shown', target.layoutData.length, leaf, visibleError])
      return navigation?.end(errorParts(visibleError)) ?? null
    },
  },
  html: {
    plain: plainDocument,
    async inLayouts(visibleError, target, ctx) {
      if (ctx.request.method === 'HEAD') return errorAs('html', visibleError, null)
      try {
        return await renderErrorPage(visibleError, target, plainDocument, ctx)
      } catch (error) {
        return plainDocument(publicFailure(ctx.failResponse(error, { phase: 'render' })), ctx)
      }
    },
  },
}

/**
 * Makes the response to a value that was thrown while a response was being sent. It needs no layout, no React and no
 * hook.
 */
export function lastResort(thrown: unknown, ctx: RequestContext): PageResponse {
  // The response that failed has not been sent: this failure is not one inside a stream.
  ctx.statusSent = null
  const caught = catchError(thrown, 'route')
  const outcome = resolveError(caught, ctx)
  return outcome.kind === 'error'
    ? withHeadersOf(caught, ERRORS[ctx.errorFormat].plain(outcome.visibleError, ctx))
    : redirectTo(outcome.location, outcome.status)
}

/** Makes the static error document. */
function plainDocument(visibleError: ServerError, ctx: RequestContext): PageResponse {
  const { address, search, nonce, reply, hasScripts, site } = ctx
  const scripts = hasScripts ? { nonce, hostScript } : {}
  const context = { host: address.host, search, ...scripts, styleNonce: styleNonceOf(reply) }
  return errorAs('html', visibleError, fallbackDocument(visibleError, context, updateScript(site, nonce)))
}

/**
 * Makes a problem.
 *
 * @param issues The problems of a form or a query; none for other errors.
 */
export function problemResponse(
  visibleError: ServerError,
  { address, request }: RequestContext,
  issues: readonly Issue[] = [],
): PageResponse {
  const problem = createErrorProblem(visibleError, address.host, request.url)
  return errorAs('problem', visibleError, JSON.stringify(issues.length > 0 ? { ...problem, errors: issues } : problem))
}

function errorAs(format: PageResponse['format'], visibleError: ServerError, body: string | null): PageResponse {
  return createResponse(format, body, errorParts(visibleError))
}

/** Returns the parts of a response that every error has, whatever its format is. */
export function errorParts(visibleError: ServerError): Pick<PageResponse, 'status' | 'failure' | 'isError'> {
  return { status: visibleError.status, failure: visibleError.kind === 'failure' ? visibleError : null, isError: true }
}

/**
 * Makes a redirect, or the line of a navigation.
 *
 * @param location The value of the header `Location`.
 */
export function redirectResponse(location: string, status: number, ctx: RequestContext): PageResponse | null {
  const { navigation, request } = ctx
  if (!navigation) return redirectTo(location, status)
  navigation.add(isSentOnRedirect(status, request.method) ? ['redirect', location, 1] : ['redirect', location])
  return navigation.end()
}

/** Makes a redirect. `location` is the value of the header. */
export function redirectTo(location: string, status: number): PageResponse {
  return createResponse('redirect', null, { status, headers: { location } })
}

/** The response to a thrown value. */
type ErrorOutcome =
  | { kind: 'redirect'; location: string; status: number }
  | { kind: 'error'; visibleError: ServerError }

/** Decides the response to a thrown value. A failure is recorded; the response shows the request's first failure. */
function resolveError(caught: CaughtError, ctx: RequestContext): ErrorOutcome {
  switch (caught.kind) {
    case 'redirect':
      return resolveRedirect(caught, caught.redirection, ctx)
    case 'notFound':
    case 'refusal':
      return { kind: 'error', visibleError: refusalOf(caught) }
    case 'failure':
      return { kind: 'error', visibleError: publicFailure(ctx.failResponse(caught.thrown, failureContext(caught))) }
  }
}

/** Records a caught failure without deciding the response. */
export function recordCaught(caught: CaughtError, ctx: RequestContext) {
  ctx.fail(caught.thrown, failureContext(caught))
}

/**
 * Records a failure that the response does not wait for, because the client has left or a deadline has passed. An error
 * that `reason`, the reason of the abort, has caused is no failure. The others often say why a response was slow, and
 * an action may have taken money before it failed.
 */
export function recordLate(caught: CaughtError, reason: unknown, ctx: RequestContext) {
  if (caught.kind !== 'failure' || isCausedBy(reason, caught.thrown)) return
  ctx.fail(caught.thrown, { ...failureContext(caught), isLate: true })
}

function failureContext({ phase, origin, failureStatus: status }: CaughtError): FailureContext {
  return { phase, ...(origin && { place: origin }), ...(status && { status }) }
}

function resolveRedirect({ phase, origin }: CaughtError, redirection: Redirection, ctx: RequestContext): ErrorOutcome {
  const { url, method } = ctx.request
  try {
    const location = redirectLocation(redirection.to, url, ctx.site.options.base)
    return { kind: 'redirect', location, status: redirectStatus(redirection.status, method) }
  } catch (error) {
    return resolveError(catchError(error, phase, origin), ctx)
  }
}
