import { BUILD_HEADER, RESULT_HEADER } from '../../../shared/wire/navigation-protocol.ts'
import { keyOf, narrowSearch } from '../../cache/cache-key.ts'
import type { StoredPage } from '../../cache/stored-page.ts'
import type { RequestContext } from '../../context/request-context.ts'
import type { CacheResult } from '../../metrics/cache-counts.ts'
import { admitToPage } from '../admit-to-page.ts'
import { countKeptLayouts } from '../document-plan.ts'
import { NavigationStream } from '../navigation-stream.ts'
import type { PreparedRoute } from '../prepared-route.ts'
import { respondInSlot } from '../raw-response.ts'
import { mayReport } from '../report-settings.ts'
import { respondWithRedirect } from '../respond-with-error.ts'
import type { CachedRoute } from './cached-route.ts'
import { hasCookieOfHook } from './create-capture.ts'
import { findPrerendered, findRedirect, storePrerendered } from './find-prerendered.ts'
import { noteCacheResult, setCacheResult } from './note-cache-result.ts'
import { refreshStored } from './refresh-stored.ts'
import { passesChecks, renderAndStore } from './render-and-store.ts'
import { noteFound, setStoredHeaders } from './send-stored.ts'

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

/** Returns the key of the response; null for a request that gets a response of its own, as without a cache. */
function keyFor(route: PreparedRoute, ctx: RequestContext): string | null {
  const { site, request, address, path, search } = ctx
  const { headers } = request
  // For a partly static page, the responses in all formats are made from the stored shell.
  const format = route.loadVisitor ? 'html' : ctx.format
  if (ctx.format === 'navigation') {
    // An open page of another build gets another response, and so does an open page that has called an action.
    if (headers[BUILD_HEADER] !== site.build.manifest.buildId || headers[RESULT_HEADER] !== undefined) return null
  }
  const kept = format === 'navigation' ? countKeptLayouts(route.plan, ctx) : 0
  const mayReportFailures = mayReport(site.options.reports, headers)
  return keyOf({
    scope: site.cacheScope,
    origin: address.origin,
    format,
    kept,
    mayReport: mayReportFailures,
    path,
    search,
  })
}

/** Sends the stored page, if there is one. A stale page is rendered again after that. */
function sendFound(cached: CachedRoute, key: string | null, ctx: RequestContext): boolean {
  const found = key === null ? null : cached.cache.find(key)
  if (key === null || found === null) return false
  respondWithStored(found.page, found.isStale ? 'stale' : 'hit', cached, ctx)
  noteFound(key, cached.route, ctx)
  if (found.isStale && cached.cache.mayRefresh(key)) refreshStored(cached, key, found.page, ctx)
  return true
}

/** Sends the redirect that the build has stored instead of a page, if there is one. */
function sendPrerenderedRedirect({ route, cache }: CachedRoute, ctx: RequestContext): boolean {
  const redirect = findRedirect(route, cache, ctx)
  if (redirect === null) return false
  setCacheResult('hit', ctx)
  setStoredHeaders(redirect.headers, ctx.reply)
  if (ctx.format === 'navigation') ctx.navigation = new NavigationStream(ctx)
  respondWithRedirect(redirect.location, redirect.status, ctx)
  noteCacheResult('hit', ctx)
  return true
}

/** Waits for the page if another request is rendering it. Otherwise renders it. */
async function awaitOrRender(cached: CachedRoute, key: string | null, ctx: RequestContext): Promise<void> {
  const { cache, route } = cached
  const file = key === null ? null : findPrerendered(route, ctx)
  if (key !== null && file !== null) {
    const stored = await storePrerendered(file, { key, cache }, ctx)
    if (ctx.reply.raw.destroyed) return
    if (stored !== null && stored !== 'outdated') return respondWithStored(stored, 'hit', cached, ctx)
  }
  // A HEAD request renders nothing for the cache.
  if (key === null || ctx.request.method !== 'GET' || cache.isPassed(key)) return renderOnce(cached, ctx)
  const running = cache.awaitRendering(key)
  if (!running) return hasCookieOfHook(cached.route, ctx) ? renderOnce(cached, ctx) : renderFirst(cached, key, ctx)
  const page = await running
  if (ctx.reply.raw.destroyed) return
  if (page === null) return renderOnce(cached, ctx)
  // The page was invalidated during the render. Another waiting request may have begun to render it again.
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
  await renderAndStore(cached, key, ctx, {
    onStored(page, isOwn) {
      isSent = true
      respondWithStored(page, isOwn ? 'miss' : 'hit', cached, ctx)
    },
  })
  if (!isSent) noteCacheResult('pass', ctx)
}
