import { ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { BUILD_HEADER, countKept, LAYOUTS_HEADER, RESULT_HEADER } from '../../shared/wire/navigation-protocol.ts'
import { keyOf, narrowSearch, pathTag, queryOf } from '../cache/cache-key.ts'
import { type CacheRule, type TaggedPage, tagsOf } from '../cache/cache-rule.ts'
import type { PageCache, Rendering } from '../cache/page-cache.ts'
import type { GroupTurn } from '../cache/render-group.ts'
import type { StoredResponse } from '../cache/shared/shared-store.ts'
import type { StoredPage } from '../cache/stored-page.ts'
import { noteCacheResult, setCacheResult } from '../context/note-cache-result.ts'
import { RequestContext } from '../context/request-context.ts'
import { giveNonces } from '../http/headers.ts'
import type { CacheResult } from '../metrics/cache-counts.ts'
import { admitToPage } from './admit-to-page.ts'
import { NavigationStream } from './navigation-stream.ts'
import { createCapture, hasCookieOfHook } from './page-capture.ts'
import type { PageRoute } from './page-route.ts'
import { findPrerendered, findRedirect, storePrerendered } from './prerendered/find-prerendered.ts'
import { respondInSlot } from './raw-response.ts'
import { mayReport } from './report-settings.ts'
import { type CaughtError, catchError } from './resolve-error.ts'
import { respondWithError, respondWithRedirect, targetOf } from './respond-with-error.ts'
import { noteFound } from './send-stored.ts'

/** A page whose responses are stored. */
export interface CachedRoute {
  route: PageRoute
  rule: CacheRule
  cache: PageCache
  /**
   * Runs the loads and responds. Rejects if neither the response nor an error can be sent.
   *
   * @param isRefresh Whether the request has its response already.
   */
  respond(ctx: RequestContext, isRefresh: boolean): Promise<void>
  /** Sends a stored page. */
  send(page: StoredPage, ctx: RequestContext): void
}

/** Responds to GET and HEAD of a page with the export `cache`. */
export function serveCachedPage(cached: CachedRoute, ctx: RequestContext) {
  const { route, rule } = cached
  ctx.search = narrowSearch(ctx.search, rule.search)
  if (route.hasGuards) {
    if (ctx.site.slots.admit(ctx)) void respondInSlot(ctx, () => respondIfAdmitted(cached, ctx))
    return
  }
  const key = keyFor(route, ctx)
  // A stored page needs no slot, and no promise.
  if (sendFound(cached, key, ctx) || (key !== null && sendPrerenderedRedirect(cached, ctx))) return
  void respondInSlot(ctx, () => awaitOrRender(cached, key, ctx))
}

async function respondIfAdmitted(cached: CachedRoute, ctx: RequestContext): Promise<void> {
  if (!(await admitToPage(cached.route, ctx))) return
  ctx.site.slots.free(ctx)
  const key = keyFor(cached.route, ctx)
  if (!sendFound(cached, key, ctx)) await awaitOrRender(cached, key, ctx)
}

/** Returns the key of the response; null for a request that is responded to as if there were no cache. */
function keyFor(route: PageRoute, ctx: RequestContext): string | null {
  const { site, request, params, address, path, search } = ctx
  const { headers } = request
  // All forms of a page with parts of the visitor are made from its shell.
  const format = route.loadVisitor ? 'html' : ctx.format
  let kept = 0
  if (ctx.format === 'navigation') {
    // A page of another build gets another response, and so does one that has called an action.
    if (headers[BUILD_HEADER] !== site.build.manifest.buildId || headers[RESULT_HEADER] !== undefined) return null
  }
  if (format === 'navigation') {
    kept = countKept(route.plan.bootLayouts, params, String(headers[LAYOUTS_HEADER]))
  }
  const mayReportFailures = mayReport(site.options.reports, headers)
  return keyOf({
    ...{ build: site.build.manifest.buildId, origin: address.origin, format, kept, mayReport: mayReportFailures },
    ...{ path, search },
  })
}

/** Sends the stored page, if there is one. A stale one is rendered again after that. */
function sendFound(cached: CachedRoute, key: string | null, ctx: RequestContext): boolean {
  const found = key === null ? null : cached.cache.find(key)
  if (key === null || found === null) return false
  respondWithStored(found.page, found.isStale ? 'stale' : 'hit', cached, ctx)
  noteFound(key, cached.route, ctx)
  if (found.isStale && cached.cache.mayRefresh(key)) refresh(cached, key, found.page, ctx)
  return true
}

/** Sends the redirect that the build has stored in the place of a page, if there is one. */
function sendPrerenderedRedirect({ route, cache }: CachedRoute, ctx: RequestContext): boolean {
  const redirect = findRedirect(route, cache, ctx)
  if (redirect === null) return false
  setCacheResult('hit', ctx)
  for (const [name, value] of redirect.headers) ctx.reply.header(name, value)
  if (ctx.format === 'navigation') ctx.navigation = new NavigationStream(ctx)
  respondWithRedirect(redirect.location, redirect.status, ctx)
  noteCacheResult('hit', ctx)
  return true
}

/** Waits for the page if another request renders it, else renders it. */
async function awaitOrRender(cached: CachedRoute, key: string | null, ctx: RequestContext): Promise<void> {
  const { cache, route } = cached
  const file = key === null ? null : findPrerendered(route, ctx)
  if (key !== null && file !== null) {
    const stored = await storePrerendered(file, { key, cache }, ctx)
    if (ctx.reply.raw.destroyed) return
    if (stored !== null && stored !== 'outdated') return respondWithStored(stored, 'hit', cached, ctx)
  }
  // Nothing is rendered for HEAD.
  if (key === null || ctx.request.method !== 'GET' || cache.isPassed(key)) return renderOnce(cached, ctx)
  const running = cache.awaitRendering(key)
  if (!running) return hasCookieOfHook(cached.route, ctx) ? renderOnce(cached, ctx) : renderFirst(cached, key, ctx)
  const page = await running
  if (ctx.reply.raw.destroyed) return
  if (page === null) return renderOnce(cached, ctx)
  // Invalidated while it was rendered: another one of those who waited may have begun again.
  if (page === 'outdated') return awaitOrRender(cached, key, ctx)
  respondWithStored(page, 'hit', cached, ctx)
}

function respondWithStored(page: StoredPage, result: CacheResult, cached: CachedRoute, ctx: RequestContext) {
  setCacheResult(result, ctx)
  cached.send(page, ctx)
  noteCacheResult(result, ctx)
}

/** Renders a page for this request only. */
async function renderOnce(cached: CachedRoute, ctx: RequestContext): Promise<void> {
  if (!ctx.site.slots.admit(ctx)) return
  setCacheResult('pass', ctx)
  noteCacheResult('pass', ctx)
  if (await passesChecks(cached, ctx)) await cached.respond(ctx, false)
}

async function renderFirst(cached: CachedRoute, key: string, ctx: RequestContext): Promise<void> {
  if (!ctx.site.slots.admit(ctx)) return
  // A response that is stored replaces the header.
  setCacheResult('pass', ctx)
  let isSent = false
  await renderAndStore(cached, key, ctx, (page, isOwn) => {
    isSent = true
    respondWithStored(page, isOwn ? 'miss' : 'hit', cached, ctx)
  })
  if (!isSent) noteCacheResult('pass', ctx)
}

/** Checks the address, for a page without guards; for others it has been checked with them. */
async function passesChecks({ route }: CachedRoute, ctx: RequestContext): Promise<boolean> {
  return ctx.hasPassedGuards || route.guards.length === 0 || admitToPage(route, ctx)
}

/**
 * Renders a page, and stores the response if it can be served to others. Otherwise it is sent to this visitor.
 *
 * @param onStored Called with the stored page, and whether this process has rendered it.
 */
async function renderAndStore(
  cached: CachedRoute,
  key: string,
  ctx: RequestContext,
  onStored: (page: StoredPage, isOwn: boolean) => void,
  after = 0,
): Promise<void> {
  const { cache } = cached
  const { loadMs, renderMs } = ctx.site.options.timeouts
  // Before anything is awaited, so that the next request waits for it.
  const rendering = cache.begin(key, ctx.route)
  let turn: GroupTurn | null = null
  try {
    const own = await cache.takeTurn(key, loadMs + renderMs, after)
    if (own === null) return
    turn = own
    if (own.response) return onStored(rendering.store(own.response), false)
    const store = (response: StoredResponse) => {
      own.share(response)
      onStored(rendering.store(response), true)
    }
    await capturePage(cached, key, ctx, { rendering, store, isRefresh: after > 0 })
  } finally {
    rendering.giveUp()
    turn?.end()
  }
}

interface Capturing {
  rendering: Rendering
  store(response: StoredResponse): void
  isRefresh: boolean
}

async function capturePage(cached: CachedRoute, key: string, ctx: RequestContext, capturing: Capturing) {
  const { rendering, store, isRefresh } = capturing
  const { route, rule, cache } = cached
  if (!(await passesChecks(cached, ctx))) return
  const tags = readTags(cached, ctx)
  if ('caught' in tags) return respondWithError(tags.caught, targetOf(route, []), ctx)
  rendering.setTags(tags)
  ctx.capture = createCapture(route, { rule, tags, store, onRefused: () => cache.pass(key) }, ctx)
  await cached.respond(ctx, isRefresh)
}

/** Returns the tags of the response, or the error of the site's function. */
function readTags({ route, rule }: CachedRoute, ctx: RequestContext): readonly string[] | { caught: CaughtError } {
  const { serverFile } = route.page
  try {
    return [...tagsOf(rule, taggedPage(ctx), serverFile), pathTag(ctx.path)]
  } catch (thrown) {
    return { caught: catchError(thrown, 'load', { file: serverFile, function: 'cache' }) }
  }
}

/** The page's parameters and query: the output of its schemas, or as they were sent. */
function taggedPage({ addressExtras, params, search }: RequestContext): TaggedPage {
  return { params: addressExtras?.params ?? params, search: addressExtras?.search ?? queryOf(search) }
}

/** Renders a stale page again, after the request got its response. */
function refresh(cached: CachedRoute, key: string, { response }: StoredPage, ctx: RequestContext) {
  const background = createBackgroundContext(ctx)
  if (!background.site.slots.admit(background)) return
  void respondInSlot(background, () => renderAndStore(cached, key, background, () => {}, response.storedAt))
}

type ReplyClass = new (raw: ServerResponse, request: FastifyRequest, log: FastifyBaseLogger) => FastifyReply

/** Creates a context whose reply leads nowhere. A response without a connection drops what is written. */
function createBackgroundContext(ctx: RequestContext): RequestContext {
  const { site, request, reply } = ctx
  // Fastify creates its replies in this way; the class has the decorators.
  const Reply = reply.constructor as ReplyClass
  const detached = new Reply(new ServerResponse(request.raw), request, request.log)
  giveNonces(reply, detached)
  const background = new RequestContext(site, request, detached, ctx)
  background.search = ctx.search
  if (!ctx.hasPassedGuards) return background
  background.hasPassedGuards = true
  background.addressExtras = ctx.addressExtras
  Object.assign(background.context, ctx.context)
  return background
}
