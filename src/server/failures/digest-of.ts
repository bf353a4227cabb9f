import type { FastifyInstance, FastifyRequest } from 'fastify'
import { publicAddress } from '../http/public-address.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import type { Failures } from './failures.ts'

const SITE = Symbol('site')

interface SiteInstance extends FastifyInstance {
  [SITE]?: {
    failures: Failures
    /** The site's routes by the URLs that Fastify has for them. */
    routes: ReadonlyMap<string | undefined, string>
  }
}

/** Lets `digestOf` find the failures of requests to the routes of this instance. */
export function nameFailuresOf(
  app: FastifyInstance,
  failures: Failures,
  routes: ReadonlyMap<string | undefined, string>,
) {
  app.decorate(SITE, { failures, routes })
}

/**
 * The digest of a request's failure, as the log, the ledger and the visitor have it.
 *
 * @param error What an `onError` hook was given. It may come from a route or hook whose failure Hydrant has not logged yet.
 * Without it, the first failure that is logged.
 * @returns Null for a request to another route than a Hydrant site's, and for what is no failure: a redirect, `notFound()`, an
 * error with a `statusCode` from 400 to 499.
 */
export function digestOf(request: FastifyRequest, error?: unknown): string | null {
  const { [SITE]: site }: SiteInstance = request.server
  if (!site) return null
  const { failures, routes } = site
  if (error === undefined) return failures.firstOf(request)?.digest ?? null
  if (classifyThrown(error).kind !== 'failure') return null
  const { url } = request.routeOptions
  const subject = { request, route: routes.get(url) ?? url ?? '*', address: publicAddress(request) }
  return failures.name(error, subject, { phase: 'route' }).digest
}
