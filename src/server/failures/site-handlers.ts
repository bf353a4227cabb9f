// The error handlers of `server.ts`. They respond in place of Hydrant, so the status that they send says whether an error
// was a failure: many turn errors of the site's own classes into a 404 or a 422.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onHeaderSent } from '../http/caching.ts'
import { DIGEST_HEADER } from '../http/headers.ts'
import { publicAddress } from '../http/public-address.ts'
import { routeOf } from '../http/route-config.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { Signal } from '../thrown/http-error.ts'
import { firstFailureOf } from './request-failures.ts'
import { siteFailuresOf } from './site-failures.ts'

type ErrorHandler<Thrown> = (
  this: FastifyInstance,
  error: Thrown,
  request: FastifyRequest,
  reply: FastifyReply,
) => unknown

/** The error of each request that an error handler of the site responds to. */
const handed = new WeakMap<FastifyRequest, unknown>()

/**
 * Watches the error handlers that are set on an instance, or on one below it, until the returned function is called.
 */
export function watchErrorHandlers(app: FastifyInstance): () => void {
  const { setErrorHandler } = app
  function setWatched(this: FastifyInstance, handler: ErrorHandler<unknown>) {
    // Fastify refuses what is not a function.
    return setErrorHandler.call(this, typeof handler === 'function' ? watchHandler(handler) : handler)
  }
  Object.defineProperty(app, 'setErrorHandler', { value: setWatched, configurable: true })
  return () => void Reflect.deleteProperty(app, 'setErrorHandler')
}

/**
 * Returns an error handler that passes `redirect()` and `notFound()` on to Hydrant. It records a failure, with its digest
 * in the header, if the response of `handler` has a status from 500.
 */
export function watchHandler<Thrown>(handler: ErrorHandler<Thrown>): ErrorHandler<Thrown> {
  return function (error, request, reply) {
    // Fastify would send a value that is thrown here and is no Error.
    if (error instanceof Signal) return Promise.reject(error)
    if (classifyThrown(error).kind === 'failure') {
      handed.set(request, error)
      onHeaderSent(reply, DIGEST_HEADER, (_values, status) => {
        if (status >= 500) showDigest(error, request, reply)
      })
    }
    return handler.call(this, error, request, reply)
  }
}

function showDigest(error: unknown, request: FastifyRequest, { raw }: FastifyReply) {
  recordFailure(error, request)
  const first = firstFailureOf(request)
  if (first) raw.setHeader(DIGEST_HEADER, first.digest)
}

/** Whether an error handler of the site responds to the error. */
export function isHanded(error: unknown, request: FastifyRequest): boolean {
  return handed.has(request) && handed.get(request) === error
}

/** Records the error that an error handler of the site has failed to respond to. */
export function recordHanded(request: FastifyRequest) {
  if (handed.has(request)) recordFailure(handed.get(request), request)
}

function recordFailure(error: unknown, request: FastifyRequest) {
  const subject = { route: routeOf(request), address: publicAddress(request) }
  siteFailuresOf(request)?.of(request).fail(error, subject, { phase: 'route' })
}
