// Pages with the export `cache`: finds a stored response, or makes one that is stored.

import { ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { BUILD_HEADER, isBefore, REFRESH_HEADER, RESULT_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { CacheRule } from '../build-output/cache-rule.ts'
import { documentKey } from '../cache/cache-key.ts'
import type { PageCache } from '../cache/page-cache.ts'
import type { CollectedRequest, ResponseCollector } from '../cache/prerendered-pages.ts'
import type { GroupTurn } from '../cache/render-group.ts'
import type { StoredResponse } from '../cache/shared/shared-store.ts'
import type { StoredPage } from '../cache/stored-page.ts'
import { noteLive, RequestContext } from '../context/request-context.ts'
import { createResponse, type PageResponse } from '../context/response.ts'
import { runStep } from '../context/steps.ts'
import { keepFromHistory } from '../http/caching.ts'
import { FORMATS } from '../http/formats.ts'
import { giveNonces } from '../http/headers.ts'
import { mayReport } from '../http/negotiate.ts'
import { createTimes } from '../http/request-times.ts'
import { forgetSteps } from '../http/timed-steps.ts'
import type { CacheResult } from '../metrics/cache-counts.ts'
import { admit } from './admit.ts'
import { countKeptLayouts } from './document-plan.ts'
import { redirectResponse } from './errors.ts'
import { CollectedLines } from './navigation.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { findPrerendered, findRedirect, storePrerendered } from './prerendered.ts'
import { loadAndProduce } from './produce.ts'
import { send, serve } from './send.ts'
import { makeShell, shellResponse } from './shells.ts'
import { findReadPlace, hasCookieOfHook, makeShared, reasonOf, type Storing, share } from './storing.ts'

/** A page whose responses are stored. */
interface CachedRoute {
  route: PreparedRoute
  rule: CacheRule
  cache: PageCache
}

/** Responds to GET and HEAD of a page with the export `cache`. */
export function respondFromCache(cached: CachedRoute, ctx: RequestContext) {
  const { route } = cached
  const { slots } = ctx.site
  if (route.hasGuards) {
    if (!slots.admit(ctx)) return
    void serve(ctx, async () => {
      const admitted = await admit(route, ctx)
      if (admitted !== 'passed') return admitted
      keepFromHistory(ctx.reply)
      slots.free(ctx)
      const key = keyFor(cached, ctx)
      return keepFromOthers(await (find(cached, key, ctx) ?? awaitOrRender(cached, key, ctx)))
    })
    return
  }
  const key = keyFor(cached, ctx)
  const found = find(cached, key, ctx) ?? (key === null ? null : findStoredRedirect(cached, ctx))
  if (found === null) void serve(ctx, () => awaitOrRender(cached, key, ctx))
  else if (found instanceof Promise) void serve(ctx, () => found)
  // A page that is stored as a whole needs no slot, and no promise.
  else void send(found, ctx)
}

/** A shared cache would serve a page with guards to visitors whom the guards refuse, whatever its load or a hook says. */
export function keepFromOthers(response: PageResponse | null): PageResponse | null {
  return response?.audience === 'as said' ? { ...response, audience: 'visitor' } : response
}

/**
 * Returns the key of the response; null for a request that gets a response of its own, as without a cache.
 *
 * perf: the key of a document is made once for each URL, 1.3 µs less for each request, decision 053
 */
function keyFor({ route, cache }: CachedRoute, ctx: RequestContext): string | null {
  if (!FORMATS[ctx.format].isDocument) return makeKey(route, ctx)
  const { site, request, address } = ctx
  const described = {
    route: route.id,
    url: request.url,
    origin: address.origin,
    mayReport: mayReport(site.options.reports, request.headers),
  }
  const known = cache.knownKeys.find(described)
  if (known !== null) return known
  const key = makeKey(route, ctx)
  if (key !== null) cache.knownKeys.add(described, key)
  return key
}

function makeKey(route: PreparedRoute, ctx: RequestContext): string | null {
  const { site, request, address, path, search } = ctx
  const { headers } = request
  // For a partly static page, the responses in all formats are made from the stored shell.
  const format = route.loadVisitor ? 'html' : ctx.format
  if (FORMATS[ctx.format].isNavigation) {
    // An open page of another build gets another response, and so does an open page that has called an action.
    if (headers[BUILD_HEADER] !== site.build.manifest.buildId || headers[RESULT_HEADER] !== undefined) return null
  }
  return documentKey({
    scope: site.cacheScope,
    origin: address.origin,
    format,
    kept: route.loadVisitor ? 0 : countKeptLayouts(route.plan, ctx),
    mayReport: mayReport(site.options.reports, headers),
    path,
    search,
  })
}

/** A promise is for a stored shell. */
type Found = PageResponse | Promise<PageResponse | null>

/** Returns the stored page; null if there is none. A stale page is rendered again in the background. */
function find(cached: CachedRoute, key: string | null, ctx: RequestContext): Found | null {
  const found = key === null ? null : cached.cache.find(key)
  if (key === null || found === null || isBehind(found.page.response, ctx)) return null
  // Its loads begin in the next microtask.
  if (found.isStale && ctx.request.method === 'GET' && cached.cache.mayRefresh(key))
    refresh(cached, key, found.page, ctx)
  return storedResponse(found.page, found.isStale ? 'stale' : 'hit', cached.route, ctx)
}

/**
 * Whether a stored response is older than what the open page was told of: the page would have to refresh again. What a
 * client says leads at most to one render for each position of the site.
 */
function isBehind({ live }: StoredResponse, { request, live: position }: RequestContext): boolean {
  const told = request.headers[REFRESH_HEADER]
  if (live === undefined || position === null || told === undefined) return false
  return isBefore(live, String(told)) && isBefore(live, position)
}

/** Returns the redirect that the build has stored instead of a page, if there is one. */
function findStoredRedirect({ route, cache }: CachedRoute, ctx: RequestContext): PageResponse | null {
  const redirect = findRedirect(route, cache, ctx)
  if (redirect === null) return null
  setResult('hit', ctx)
  countResult('hit', ctx)
  if (FORMATS[ctx.format].isNavigation) ctx.navigation = new CollectedLines(ctx)
  return redirectResponse(redirect.location, redirect.status, ctx)
}

/** Waits for the page if another request is rendering it. Otherwise renders it. */
async function awaitOrRender(
  cached: CachedRoute,
  key: string | null,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const { cache, route } = cached
  const file = key === null ? null : findPrerendered(route, ctx)
  if (key !== null && file !== null) {
    const stored = await storePrerendered(file, { key, cache }, ctx)
    if (ctx.reply.raw.destroyed) return null
    if (stored !== null && stored !== 'outdated') return storedResponse(stored, 'hit', route, ctx)
  }
  // A HEAD request renders nothing for the cache.
  if (key === null || ctx.request.method !== 'GET' || cache.isPassed(key)) return await renderOnce(route, ctx)
  const running = cache.awaitRendering(key)
  if (!running) return await (hasCookieOfHook(route, ctx) ? renderOnce(route, ctx) : renderFirst(cached, key, ctx))
  const page = await runStep('cache', 'render of another request', ctx, () => running)
  if (ctx.reply.raw.destroyed) return null
  if (page === null) return await renderOnce(route, ctx)
  // The page was invalidated during the render. Another waiting request may have begun to render it again.
  if (page === 'outdated') return await awaitOrRender(cached, key, ctx)
  return storedResponse(page, 'hit', route, ctx)
}

/** Renders a page for this request only. */
async function renderOnce(route: PreparedRoute, ctx: RequestContext): Promise<PageResponse | null> {
  if (!ctx.site.slots.admit(ctx)) return null
  setResult('pass', ctx)
  countResult('pass', ctx)
  const admitted = ctx.hasPassedGuards ? 'passed' : await admit(route, ctx)
  return admitted === 'passed' ? await loadAndProduce(route, ctx) : admitted
}

async function renderFirst(cached: CachedRoute, key: string, ctx: RequestContext): Promise<PageResponse | null> {
  if (!ctx.site.slots.admit(ctx)) return null
  // A response that is stored replaces the header.
  setResult('pass', ctx)
  return await renderAndStore(cached, key, ctx)
}

/**
 * Renders a page, and stores the response if it may be served to other visitors. Otherwise the response is for this
 * visitor only.
 *
 * @param stale The response that is replaced (null).
 */
async function renderAndStore(
  { route, rule, cache }: CachedRoute,
  key: string,
  ctx: RequestContext,
  stale: StoredResponse | null = null,
): Promise<PageResponse | null> {
  const { loadMs, renderMs } = ctx.site.options.timeouts
  const isRefresh = stale !== null
  // The rendering begins before anything is awaited, so that the next request finds it and waits.
  const rendering = cache.begin(key, ctx.route)
  let turn: GroupTurn | null = null
  let isStored = false
  const respond = (page: StoredPage, result: CacheResult) => {
    isStored = true
    return isRefresh ? null : storedResponse(page, result, route, ctx)
  }
  const storing: Storing = {
    route,
    rule,
    onTags: rendering.setTags,
    store(response) {
      turn?.share(response)
      return respond(rendering.store(response), 'miss')
    },
    onRefused: () => cache.pass(key),
  }
  try {
    const store = share(storing, ctx)
    const ask = () => cache.takeTurn(key, loadMs + renderMs, stale, (found) => isBehind(found, ctx))
    const answer = await (cache.isShared ? runStep('store', 'look-up', ctx, ask) : ask())
    if (answer === null) return null
    turn = 'wait' in answer ? await runStep('cache', 'render of another process', ctx, answer.wait) : answer
    if (turn.response) return await respond(rendering.store(turn.response), 'hit')
    return await makeShared(storing, store, ctx, async () =>
      route.loadVisitor
        ? await makeShell(route, store, isRefresh, ctx)
        : await store.response(await loadAndProduce(route, ctx)),
    )
  } finally {
    rendering.giveUp()
    turn?.end()
    if (!isStored && !isRefresh) countResult('pass', ctx)
  }
}

/** Responds in development, where nothing is stored. The loads get the same objects as in production, with warnings. */
export function checkCachedPage(route: PreparedRoute, rule: CacheRule, ctx: RequestContext) {
  const { times } = ctx
  // As for an error, which is not stored either.
  times.cache = 'pass'
  function onPassed() {
    times.cache = 'stored in production'
  }
  function store() {
    onPassed()
    return null
  }
  respondShared({ route, rule, onTags() {}, store, onPassed, onRefused() {} }, ctx)
}

/** Gives the response of a prerendered page to the build. */
export function collectPage(route: PreparedRoute, rule: CacheRule, collector: ResponseCollector, ctx: RequestContext) {
  const { request, path, params } = ctx
  const collected: CollectedRequest = { id: request.id, route: ctx.route, path, params }
  const taken = createResponse('nothing', null, { status: 204 })
  const storing: Storing = {
    route,
    rule,
    onTags() {},
    store(response) {
      collector.store(collected, response)
      return taken
    },
    storeRedirect(redirect) {
      collector.storeRedirect(collected, redirect)
      return taken
    },
    onRefused(refusal) {
      const place = refusal.kind === 'read' ? findReadPlace(refusal.read, route.steps, ctx.site.mapper) : null
      collector.refuse(collected, reasonOf(refusal) + (place?.calledFrom ?? ''), place?.frame ?? null)
    },
  }
  respondShared(storing, ctx)
}

function respondShared(storing: Storing, ctx: RequestContext) {
  const { route } = storing
  if (!ctx.site.slots.admit(ctx)) return
  void serve(ctx, async () => {
    const admitted = await admit(route, ctx)
    if (admitted !== 'passed') return admitted
    if (route.hasGuards) keepFromHistory(ctx.reply)
    const store = share(storing, ctx)
    const response = await makeShared(storing, store, ctx, async () =>
      route.loadVisitor
        ? await makeShell(route, store, false, ctx)
        : await store.response(await loadAndProduce(route, ctx)),
    )
    return route.hasGuards ? keepFromOthers(response) : response
  })
}

/** Renders a stale page again, after the request got the stale response. Nothing is sent. */
function refresh(cached: CachedRoute, key: string, { response }: StoredPage, ctx: RequestContext) {
  const background = createBackgroundContext(cached.route, ctx)
  if (!background.site.slots.tryTake(background)) return
  void serve(background, async () => {
    await renderAndStore(cached, key, background, response).finally(() => forgetSteps(background.times))
    return null
  })
}

type ReplyClass = new (raw: ServerResponse, request: FastifyRequest, log: FastifyBaseLogger) => FastifyReply

/** Creates a context whose reply has no connection: Node.js discards its data. */
function createBackgroundContext(route: PreparedRoute, ctx: RequestContext): RequestContext {
  const { site, request, reply } = ctx
  // Fastify creates its replies in this way; the class has the decorators.
  const Reply = reply.constructor as ReplyClass
  const detached = new Reply(new ServerResponse(request.raw), request, request.log)
  giveNonces(reply, detached)
  const background = new RequestContext(site, request, detached, ctx)
  background.staleReply = reply
  background.times = createTimes()
  background.search = ctx.search
  noteLive(route, background)
  if (!ctx.hasPassedGuards) return background
  background.hasPassedGuards = true
  background.addressExtras = ctx.addressExtras
  Object.assign(background.guardResults, ctx.guardResults)
  return background
}

function storedResponse(page: StoredPage, result: CacheResult, route: PreparedRoute, ctx: RequestContext): Found {
  setResult(result, ctx)
  countResult(result, ctx)
  const { rest } = page.response
  if (rest) return shellResponse({ page, rest }, route, ctx)
  // A shared cache would serve a page with guards to visitors whom the guards refuse.
  const audience = route.hasGuards ? 'visitor' : 'everyone'
  return createResponse(ctx.format, null, { stored: page, audience })
}

const RESULT_NAME = 'hydrant-cache'

type Counted = Pick<RequestContext, 'site' | 'request' | 'reply' | 'route' | 'times'>

/** Sets the header `Hydrant-Cache`, if the site wants it. Call it before anything is sent. */
function setResult(result: CacheResult, { site, reply }: Counted) {
  if (site.options.pageCache.header) reply.header(RESULT_NAME, result)
}

/** Counts a response and writes a line at the level debug. */
function countResult(result: CacheResult, { site, request, route, times }: Counted) {
  site.metrics.cacheResponded(route, result)
  // A refusal has said more.
  times.cache ??= result
  request.log.debug({ route, cache: result }, `page cache: ${result}`)
}
