import type { FastifyRequest } from 'fastify'
import { originalRequest } from '../http/original-request.ts'
import { publicAddress } from '../http/public-address.ts'
import { routeOf } from '../http/route-config.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { firstFailureOf } from './request-failures.ts'
import { siteFailuresOf } from './site-failures.ts'
import { isHanded } from './site-handlers.ts'

/**
 * Returns the digest of a request's failure. The log, the ledger and the page have the same digest.
 *
 * @param error The error that an `onError` hook or an error handler gets. Without it, the digest is that of the request's first failure.
 * @returns Null if the route does not belong to a Hydrant site, if nothing has failed, and for errors that are not
 *   failures: a redirect, `notFound()`, an error with a `statusCode` from 400 to 499.
 */
export function digestOf(asked: FastifyRequest, error?: unknown): string | null {
  const request = originalRequest(asked)
  const failures = siteFailuresOf(request)
  if (failures === null) return null
  if (error === undefined) return firstFailureOf(request)?.digest ?? null
  if (classifyThrown(error).kind !== 'failure') return null
  const subject = { route: routeOf(request), address: publicAddress(request) }
  const failure = failures.of(request).name(error, subject, { phase: 'route' })
  // The handler may send the digest with any status, and each digest that is sent is in the log.
  if (isHanded(error, request)) failure.write(subject, { phase: 'route' })
  return failure.digest
}
