import { STATUS_CODES } from 'node:http'
import { NOT_FOUND } from '../../shared/tree/app-tree.tsx'
import type { Refusal, ServerError } from '../../shared/wire/public-error.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Phase } from '../errors/failure-record.ts'
import type { SourceFunction } from '../failures/digest.ts'
import type { Failure, FailureContext } from '../failures/failure-context.ts'
import { classifyThrown, type ThrownKind } from '../thrown/classify-thrown.ts'
import type { Redirection } from '../thrown/http-error.ts'
import { redirectLocation, redirectStatus } from '../thrown/redirect-location.ts'

/** A thrown value with its classification, which is made once: where the value is caught. */
export type CaughtError = ThrownKind & {
  thrown: unknown
  phase: Phase
  /** The function that threw, for a value without a stack; null when it is not known. */
  origin: SourceFunction | null
}

/** The response to a thrown value. */
export type ErrorOutcome =
  | { kind: 'redirect'; location: string; status: number }
  | { kind: 'error'; shown: ServerError }

/** Classifies a thrown value. To be called where the value is caught. */
export function catchError(thrown: unknown, phase: Phase, origin: SourceFunction | null = null): CaughtError {
  return Object.assign(classifyThrown(thrown), { thrown, phase, origin })
}

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

export function publicFailure({ digest, status }: Failure): ServerError {
  return { kind: 'failure', side: 'server', digest, status }
}

function failureContext({ phase, origin }: CaughtError): FailureContext {
  return origin ? { phase, place: origin } : { phase }
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
