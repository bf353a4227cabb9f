import type { FastifyReply, FastifyRequest } from 'fastify'
import { createPageContext, type RequestContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import type { Site } from '../context/site.ts'
import { keepFromHistory } from '../http/caching.ts'
import { admit } from './admit.ts'
import { checkCachedPage, collectPage, keepFromOthers, respondFromCache } from './cached.ts'
import { asksForEvents, openStream } from './live.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { loadAndProduce } from './produce.ts'
import { serve } from './send.ts'

/** Responds to GET and HEAD of a page. */
export function respondToRead(route: PreparedRoute, site: Site, request: FastifyRequest, reply: FastifyReply) {
  const ctx = createPageContext(route, site, request, reply)
  const { cache, collector, isDevelopment, slots } = site
  const rule = route.cache
  if (asksForEvents(ctx)) {
    if (slots.admit(ctx)) void serve(ctx, () => openStream(route, ctx))
  } else if (rule && cache) respondFromCache({ route, rule, cache }, ctx)
  else if (rule && collector) collectPage(route, rule, collector, ctx)
  else if (rule && isDevelopment) checkCachedPage(route, rule, ctx)
  else if (slots.admit(ctx))
    void serve(ctx, () => (route.guards.length > 0 ? respond(route, ctx) : loadAndProduce(route, ctx)))
}

async function respond(route: PreparedRoute, ctx: RequestContext): Promise<PageResponse | null> {
  const admitted = await admit(route, ctx)
  if (admitted !== 'passed') return admitted
  if (route.hasGuards) keepFromHistory(ctx.reply)
  const response = await loadAndProduce(route, ctx)
  // As if the page were stored: there is no cache.
  return route.cache ? keepFromOthers(response) : response
}
