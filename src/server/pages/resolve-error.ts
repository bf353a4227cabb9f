import { STATUS_CODES } from 'node:http'
import { NOT_FOUND } from '../../shared/tree/app-tree.tsx'
import type { Refusal, ServerError } from '../../shared/wire/public-error.ts'
import type { RequestContext } from '../context/request-context.ts'
import { readProperty, someCause } from '../failures/causes.ts'
import { type CaughtError, catchError, type Failure, type FailureContext } from '../failures/failure-context.ts'
import type { Redirection } from '../thrown/http-error.ts'
import { redirectLocation, redirectStatus } from '../thrown/redirect-location.ts'

/** The response to a thrown value. */
export type ErrorOutcome =
  | { kind: 'redirect'; location: string; status: number }
  | { kind: 'error'; shown: ServerError }

/** Decides the response to a thrown value. A failure is recorded; the response shows the request's first failure. */
export function resolveError(caught: CaughtError, ctx: RequestContext): ErrorOutcome {
  switch (caught.kind) {
    case 'redirect':
      return resolveRedirect(caught, caught.redirection, ctx)
    case 'notFound':
      return { kind: 'error', shown: NOT_FOUND }
    case 'refusal':
      return { kind: 'error', shown: createRefusal(caught.status, caught.message) }
    case 'failure':
      return { kind: 'error', shown: publicFailure(ctx.failResponse(caught.thrown, failureContext(caught))) }
  }
}

/** Records a caught failure without deciding the response. */
export function recordCaught(caught: CaughtError, ctx: RequestContext) {
  ctx.fail(caught.thrown, failureContext(caught))
}

/**
 * Records a failure that the response does not wait for, because the client has left or a deadline has passed. An error
 * that `reason`, the reason of the abort, has caused is no failure.
 */
export function recordLate(caught: CaughtError, reason: unknown, ctx: RequestContext) {
  if (caught.kind !== 'failure' || isCausedBy(reason, caught.thrown)) return
  ctx.fail(caught.thrown, { ...failureContext(caught), isLate: true })
}

/** Returns whether a thrown value is the reason of an abort, an AbortError, or an error that one of them has caused. */
function isCausedBy(reason: unknown, thrown: unknown): boolean {
  return someCause(thrown, (value) => value === reason || readProperty(value, 'name') === 'AbortError')
}

export function publicFailure({ digest, status }: Failure): ServerError {
  return { kind: 'failure', side: 'server', digest, status }
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

function createRefusal(status: number, message: string): Refusal {
  return { kind: 'refusal', status, message: message || (STATUS_CODES[status] ?? 'Refused') }
}
