// Failures of the routes and hooks of `server.ts`, which run outside of the pages.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { classifyThrown } from '../errors/classify-thrown.ts'
import type { Phase } from '../errors/failure-record.ts'
import { Signal } from '../errors/http-error.ts'
import { onHeaderSent } from '../http/caching.ts'
import { DIGEST_HEADER } from '../http/headers.ts'
import { isEventStream } from '../http/node-response.ts'
import { publicAddress } from '../http/request-url.ts'
import { routeOf } from '../http/route-config.ts'
import { type FailureContext, type FailureSubject, readProperty, someCause } from './failure-context.ts'
import type { Failures } from './failures.ts'
import { firstFailureOf } from './request-failures.ts'

const SITE = Symbol('site')

interface SiteInstance extends FastifyInstance {
  [SITE]?: { failures: Failures }
}

/** Lets `siteFailuresOf` find the failures of requests to the routes of this instance. */
export function registerFailures(app: FastifyInstance, failures: Failures) {
  app.decorate(SITE, { failures })
}

/** Returns the failures of the site that the route of a request belongs to; null for a route of an app around it. */
function siteFailuresOf(request: FastifyRequest): Failures | null {
  const { [SITE]: site }: SiteInstance = request.server
  return site?.failures ?? null
}

function subjectOf(request: FastifyRequest): FailureSubject {
  return { route: routeOf(request), address: publicAddress(request) }
}

// Failures of routes and hooks of `server.ts` after their response has begun. Fastify calls no error handler for them.

const PREMATURE_CLOSE = 'ERR_STREAM_PREMATURE_CLOSE'
/** Codes of errors that a request or a response gives to its users when the client leaves. */
const LEFT_CODES: readonly unknown[] = [PREMATURE_CLOSE, 'ERR_STREAM_DESTROYED', 'ECONNRESET']

/**
 * Records the error of a stream that was being sent. Returns false if it is no failure of the site, and Fastify logs it: the
 * client has left, the site has ended the stream, or the route belongs to the app around the site.
 */
export function failStream(error: unknown, reply: FastifyReply): boolean {
  // That a client leaves a stream of events is no news.
  if (hasLeft(reply) || readProperty(error, 'code') === PREMATURE_CLOSE) return isEventStream(reply)
  return fail(error, 'stream', reply)
}

/**
 * Records what a route or an `onResponse` hook throws after the response has begun. There is no error whose text the
 * visitor could still see, so refusals and redirects are failures too. Returns false for a route of the app around the
 * site. Nothing is recorded if the client has left and this was the cause.
 */
export function failRoute(thrown: unknown, reply: FastifyReply): boolean {
  return (hasLeft(reply) && someCause(thrown, isClientAbort)) || fail(thrown, 'route', reply)
}

function fail(thrown: unknown, phase: Phase, { request, raw }: FastifyReply): boolean {
  const failures = siteFailuresOf(request)
  if (failures === null) return false
  const context: FailureContext = { phase, isLate: true }
  if (raw.headersSent) context.statusSent = raw.statusCode
  failures.of(request).fail(thrown, subjectOf(request), context)
  return true
}

function hasLeft({ raw }: FastifyReply): boolean {
  return raw.destroyed && !raw.writableFinished
}

function isClientAbort(value: unknown): boolean {
  return readProperty(value, 'name') === 'AbortError' || LEFT_CODES.includes(readProperty(value, 'code'))
}

// The error handlers of `server.ts`. They respond in place of Hydrant, so the status that they send says whether an error
// was a failure: many turn errors of the site's own classes into a 404 or a 422.

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
function isHanded(error: unknown, request: FastifyRequest): boolean {
  return handed.has(request) && handed.get(request) === error
}

/** Records the error that an error handler of the site has failed to respond to. */
export function recordHanded(request: FastifyRequest) {
  if (handed.has(request)) recordFailure(handed.get(request), request)
}

function recordFailure(error: unknown, request: FastifyRequest) {
  siteFailuresOf(request)?.of(request).fail(error, subjectOf(request), { phase: 'route' })
}

/**
 * Returns the digest of a request's failure. The log, the ledger and the page have the same digest.
 *
 * @param error The error that an `onError` hook or an error handler gets. Without it, the digest is that of the request's first failure.
 * @returns Null if the route does not belong to a Hydrant site, if nothing has failed, and for errors that are not
 *   failures: a redirect, `notFound()`, an error with a `statusCode` from 400 to 499.
 */
export function digestOf(request: FastifyRequest, error?: unknown): string | null {
  const failures = siteFailuresOf(request)
  if (failures === null) return null
  if (error === undefined) return firstFailureOf(request)?.digest ?? null
  if (classifyThrown(error).kind !== 'failure') return null
  const subject = subjectOf(request)
  const failure = failures.of(request).name(error, subject, { phase: 'route' })
  // The handler may send the digest with any status, and each digest that is sent is in the log.
  if (isHanded(error, request)) failure.write(subject, { phase: 'route' })
  return failure.digest
}
