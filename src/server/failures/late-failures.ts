// Failures of routes and hooks of `server.ts` after their response has begun. Fastify calls no error handler for them.

import type { FastifyReply } from 'fastify'
import type { Phase } from '../errors/failure-record.ts'
import { publicAddress } from '../http/public-address.ts'
import { routeOf } from '../http/route-config.ts'
import { readProperty, someCause } from './causes.ts'
import type { FailureContext } from './failure-context.ts'
import { siteFailuresOf } from './site-failures.ts'

const PREMATURE_CLOSE = 'ERR_STREAM_PREMATURE_CLOSE'
/** Codes of errors that a request or a response gives to its users when the client leaves. */
const LEFT_CODES: readonly unknown[] = [PREMATURE_CLOSE, 'ERR_STREAM_DESTROYED', 'ECONNRESET']

/**
 * Records the error of a stream that was being sent. Returns false if it is no failure of the site: the client has left,
 * the site has ended the stream, or the route belongs to the app around the site.
 */
export function failStream(error: unknown, reply: FastifyReply): boolean {
  if (hasLeft(reply) || readProperty(error, 'code') === PREMATURE_CLOSE) return false
  return fail(error, 'stream', reply)
}

/**
 * Records what a route or an `onResponse` hook throws after the response has begun. There is no error whose text the
 * visitor could still see, so refusals and redirects are failures too. Returns false for a route of the app around the
 * site. Nothing is recorded if the client has left and this was the cause.
 */
export function failRoute(thrown: unknown, reply: FastifyReply): boolean {
  return (hasLeft(reply) && someCause(thrown, isOfLeaving)) || fail(thrown, 'route', reply)
}

function fail(thrown: unknown, phase: Phase, { request, raw }: FastifyReply): boolean {
  const failures = siteFailuresOf(request)
  if (failures === null) return false
  const context: FailureContext = { phase, isLate: true }
  if (raw.headersSent) context.statusSent = raw.statusCode
  failures.of(request).fail(thrown, { route: routeOf(request), address: publicAddress(request) }, context)
  return true
}

function hasLeft({ raw }: FastifyReply): boolean {
  return raw.destroyed && !raw.writableFinished
}

function isOfLeaving(value: unknown): boolean {
  return readProperty(value, 'name') === 'AbortError' || LEFT_CODES.includes(readProperty(value, 'code'))
}
