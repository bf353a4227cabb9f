import type { FastifyReply, FastifyRequest } from 'fastify'
import { narrowSearch } from '../cache/cache-key.ts'
import type { CacheRule } from '../cache/cache-rule.ts'
import type { PageCache } from '../cache/page-cache.ts'
import type { ShellRest } from '../cache/shell-rest.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { catchError } from '../failures/failure-context.ts'
import { keepFromHistory, removeCacheHeaders } from '../http/caching.ts'
import { silencePromises } from '../render/data-promises.ts'
import { deferData } from '../render/deferred-data.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { HttpError } from '../thrown/http-error.ts'
import { admitToPage } from './admit-to-page.ts'
import type { CachedRoute } from './cached/cached-route.ts'
import { noteCacheResult, setCacheResult } from './cached/note-cache-result.ts'
import { checkCachedPage, collectPage } from './cached/respond-captured.ts'
import { findKnown, type KnownPage, sendStored } from './cached/send-stored.ts'
import { serveCachedPage } from './cached/serve-cached.ts'
import { createPageContext } from './create-context.ts'
import { runLoads, sourceOfLoad } from './loads.ts'
import { type WrittenExtras, writeExtras } from './page-extras.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { respondInSlot } from './raw-response.ts'
import { mayStream, renderPage } from './render-page.ts'
import { respondWithError, targetOf } from './respond-with-error.ts'
import { sendMarkdown, sendMarkdownHead } from './send-markdown.ts'
import { sendDocument, sendDocumentHead, sendJson } from './send-response.ts'
import { serveNavigation } from './serve-navigation.ts'
import { sendShell } from './shells/send-shell.ts'
import { respondWithShell } from './shells/serve-shell.ts'
import { keepPrivate, startVisitorLoad } from './visitor-load.ts'

/** Responds to GET and HEAD of a page. */
export function serveRead(route: PreparedRoute, site: Site, request: FastifyRequest, reply: FastifyReply) {
  const stored = findKnown(route, site, request)
  if (stored === null) return servePage(route, createPageContext(route, site, request, reply))
  const { page, result, address } = stored
  const { rest } = page.response
  if (rest) return sendKnownShell(stored, rest, route, createPageContext(route, site, request, reply))
  // perf: with `findKnown` and without a `RequestContext`, 0.95 instead of 0.73 of the rate of a route that sends the
  // same text, decision 053
  const target = { site, request, reply, route: route.id, format: 'html', address } as const
  setCacheResult(result, target)
  sendStored(page, !route.loadVisitor, target)
  noteCacheResult(result, target)
}

function sendKnownShell({ page, result }: KnownPage, rest: ShellRest, route: PreparedRoute, ctx: RequestContext) {
  ctx.search = narrowSearch(ctx.search, route.cache?.search ?? [])
  setCacheResult(result, ctx)
  sendShell({ page, rest }, route, respond, ctx)
  noteCacheResult(result, ctx)
}

function servePage(route: PreparedRoute, ctx: RequestContext) {
  const { cache, collector, build, slots } = ctx.site
  const rule = route.cache
  if (rule && cache) return serveCachedPage(createCachedRoute(route, rule, cache), ctx)
  // The query is narrowed without a cache too, so that the loads see the same one with any `pageCache.maxBytes`.
  if (rule) ctx.search = narrowSearch(ctx.search, rule.search)
  const page = rule && { route, rule, respond: (current: RequestContext) => respondForCache(route, current, false) }
  if (page && collector) collectPage(page, collector, ctx)
  else if (page && build.manifest.mode === 'development') checkCachedPage(page, ctx)
  else if (slots.admit(ctx)) void respondInSlot(ctx, () => respondToGet(route, ctx))
}

function createCachedRoute(route: PreparedRoute, rule: CacheRule, cache: PageCache): CachedRoute {
  return {
    route,
    rule,
    cache,
    respond: (ctx, isRefresh) => respondForCache(route, ctx, isRefresh),
    send(page, ctx) {
      const { rest } = page.response
      if (rest) sendShell({ page, rest }, route, respond, ctx)
      // A shared cache would serve a page with guards to visitors whom the guards refuse.
      else sendStored(page, !route.hasGuards && !route.loadVisitor, ctx)
    },
  }
}

function respondForCache(route: PreparedRoute, ctx: RequestContext, isRefresh: boolean): Promise<void> {
  return route.loadVisitor ? respondWithShell(route, respond, ctx, isRefresh) : respond(route, ctx)
}

function respondToGet(route: PreparedRoute, ctx: RequestContext): Promise<void> {
  return route.guards.length > 0 ? respondIfAdmitted(route, ctx) : respond(route, ctx)
}

async function respondIfAdmitted(route: PreparedRoute, ctx: RequestContext): Promise<void> {
  if (!(await admitToPage(route, ctx))) return
  if (route.hasGuards) keepFromHistory(ctx.reply)
  await respond(route, ctx)
}

function respond(route: PreparedRoute, ctx: RequestContext): Promise<void> {
  if (route.loadVisitor) {
    // Hooks may have set them. The response could not be sent in parts with them.
    removeCacheHeaders(ctx.reply)
    keepPrivate(ctx.reply)
  }
  const extras = writeExtras({}, route.page.serverFile, ctx)
  return ctx.format === 'navigation'
    ? serveNavigation(route, { kind: 'nothing', extras }, ctx)
    : respondWithPage(route, extras, ctx)
}

async function respondWithPage(route: PreparedRoute, extras: WrittenExtras | null, ctx: RequestContext): Promise<void> {
  const loads = route.noLoads ?? (await runLoads(route.steps, ctx))
  if (ctx.isGone || loads.kind !== 'loaded' || ctx.format === 'json') silencePromises(loads.values, ctx)
  if (ctx.isGone || loads.kind === 'sent') return
  if (loads.kind === 'thrown') return respondWithError(loads.caught, targetOf(route, loads.values), ctx)
  if (ctx.format === 'json') return respondWithJson(route, loads.values, ctx)
  await respondWithDocument(route, loads.values, extras, ctx)
}

/**
 * Renders and sends the document of a page.
 *
 * @param values Data of the layouts, outermost first, then the page's.
 * @param extras The page's extras; null for none.
 */
export async function respondWithDocument(
  route: PreparedRoute,
  values: readonly unknown[],
  extras: WrittenExtras | null,
  ctx: RequestContext,
): Promise<void> {
  const { plan, leaf } = route
  try {
    if (ctx.request.method === 'HEAD') {
      // Promises that reject have to be handled, also where nothing reads them.
      const isPending = deferData(values, plan.dataFiles, ctx).pendingCount() > 0 || route.loadVisitor !== null
      ctx.statusSent = ctx.reply.statusCode
      const isStreamed = isPending && mayStream(plan, ctx)
      return ctx.inRequest(() =>
        ctx.format === 'markdown' ? sendMarkdownHead(ctx) : sendDocumentHead(isStreamed, ctx),
      )
    }
    const visitorData = startVisitorLoad(route, ctx)
    const rendered = await renderPage({ plan, data: values, extras, leaf, visitorData }, ctx)
    if (rendered.kind === 'gone') return
    if (ctx.hooksRun) await ctx.hooksRun
    if (rendered.kind === 'thrown') return respondWithError(rendered.caught, targetOf(route, values), ctx)
    if (ctx.format === 'markdown' && rendered.kind === 'whole') return await sendMarkdown(rendered, ctx)
    ctx.inRequest(() => sendDocument(rendered, ctx))
    if (rendered.kind === 'stream') await rendered.ended
  } catch (thrown) {
    const caught = catchError(thrown, 'load', sourceOfLoad(route.page.serverFile))
    await respondWithError(caught, targetOf(route, values), ctx)
  }
}

async function respondWithJson(route: PreparedRoute, values: readonly unknown[], ctx: RequestContext): Promise<void> {
  const { load, serverFile } = route.page
  const { renderMs } = ctx.site.options.timeouts
  const onTimeout = (pending: string) => {
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending])
    ctx.abort(error)
    return error
  }
  try {
    if (!load) throw new HttpError(406, 'This page has no data; request text/html instead.')
    const data = values.at(-1)
    const body = route.loadVisitor ? { data, visitorData: startVisitorLoad(route, ctx) } : data
    const json = await toPlainJson(body, onTimeout, renderMs, {
      promises: ctx.promises,
      watchLeaving: (stop) => ctx.watchLeaving(stop),
    })
    if (!ctx.isGone) ctx.inRequest(() => sendJson(json, ctx))
  } catch (thrown) {
    await respondWithError(catchError(thrown, 'load', sourceOfLoad(serverFile)), targetOf(route, values), ctx)
  }
}
