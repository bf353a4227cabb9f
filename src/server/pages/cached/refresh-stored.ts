import { ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { StoredPage } from '../../cache/stored-page.ts'
import { RequestContext } from '../../context/request-context.ts'
import { giveNonces } from '../../http/headers.ts'
import { respondInSlot } from '../raw-response.ts'
import type { CachedRoute } from './cached-route.ts'
import { renderAndStore } from './render-and-store.ts'

/** Renders a stale page again, after the request got the stale response. */
export function refreshStored(cached: CachedRoute, key: string, { response }: StoredPage, ctx: RequestContext) {
  const background = createBackgroundContext(ctx)
  if (!background.site.slots.admit(background)) return
  const refresh = { onStored() {}, after: response.storedAt }
  void respondInSlot(background, () => renderAndStore(cached, key, background, refresh))
}

type ReplyClass = new (raw: ServerResponse, request: FastifyRequest, log: FastifyBaseLogger) => FastifyReply

/** Creates a context whose reply has no connection: Node.js discards its data. */
function createBackgroundContext(ctx: RequestContext): RequestContext {
  const { site, request, reply } = ctx
  // Fastify creates its replies in this way; the class has the decorators.
  const Reply = reply.constructor as ReplyClass
  const detached = new Reply(new ServerResponse(request.raw), request, request.log)
  giveNonces(reply, detached)
  const background = new RequestContext(site, request, detached, ctx)
  background.staleStatus = reply.statusCode
  background.search = ctx.search
  if (!ctx.hasPassedGuards) return background
  background.hasPassedGuards = true
  background.addressExtras = ctx.addressExtras
  Object.assign(background.context, ctx.context)
  return background
}
