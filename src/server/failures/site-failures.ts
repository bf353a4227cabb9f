import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Failures } from './failures.ts'

const SITE = Symbol('site')

interface SiteInstance extends FastifyInstance {
  [SITE]?: { failures: Failures }
}

/** Lets `siteFailuresOf` find the failures of requests to the routes of this instance. */
export function registerFailures(app: FastifyInstance, failures: Failures) {
  app.decorate(SITE, { failures })
}

/** Returns the failures of the site that the route of a request belongs to; null for a route of an app around it. */
export function siteFailuresOf(request: FastifyRequest): Failures | null {
  const { [SITE]: site }: SiteInstance = request.server
  return site?.failures ?? null
}
