import type { Route } from '../build-output/load-build.ts'
import { narrowSearch } from '../cache/cache-key.ts'
import type { CacheRule } from '../cache/cache-rule.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { silencePromises } from '../render/data-promises.ts'
import { deferData } from '../render/deferred-data.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { HttpError } from '../thrown/http-error.ts'
import { admitToPage } from './admit-to-page.ts'
import { loadOf, runLoads } from './loads.ts'
import { createCapture } from './page-capture.ts'
import { type WrittenExtras, writeExtras } from './page-extras.ts'
import type { PageRoute } from './page-route.ts'
import { respondInSlot } from './raw-response.ts'
import { mayStream, renderPage } from './render-page.ts'
import { catchError } from './resolve-error.ts'
import { respondWithError, targetOf } from './respond-with-error.ts'
import { sendMarkdown, sendMarkdownHead } from './send-markdown.ts'
import { sendDocument, sendDocumentHead, sendJson } from './send-response.ts'
import { serveCachedPage } from './serve-cached.ts'
import { serveNavigation } from './serve-navigation.ts'

/** Responds to GET and HEAD of a page. */
export function servePage(route: PageRoute, ctx: RequestContext) {
  const { cache } = ctx.site
  if (route.cache && cache)
    return serveCachedPage({ route, rule: route.cache, cache, respond: (own) => respond(route, own) }, ctx)
  // Without a cache too, so that the page is the same with any `pageCache.maxBytes`.
  if (route.cache) ctx.search = narrowSearch(ctx.search, route.cache.search)
  if (!ctx.site.slots.admit(ctx)) return
  const { cache: rule } = route
  const isChecked = rule !== null && ctx.site.build.manifest.mode === 'development'
  void respondInSlot(ctx, () => (isChecked ? respondAndCheck(route, rule, ctx) : respondToGet(route, ctx)))
}

/** Responds in development, where nothing is stored, with the warnings of production. */
async function respondAndCheck(route: PageRoute, rule: CacheRule, ctx: RequestContext): Promise<void> {
  if (route.guards.length > 0 && !(await admitToPage(route, ctx))) return
  ctx.capture = createCapture(route, { rule, tags: [], store: null, onRefused() {} }, ctx)
  await respond(route, ctx)
}

function respondToGet(route: PageRoute, ctx: RequestContext): Promise<void> {
  return route.guards.length > 0 ? respondIfAdmitted(route, ctx) : respond(route, ctx)
}

async function respondIfAdmitted(route: PageRoute, ctx: RequestContext): Promise<void> {
  if (await admitToPage(route, ctx)) await respond(route, ctx)
}

function respond(route: PageRoute, ctx: RequestContext): Promise<void> {
  const extras = writeExtras({}, route.page.serverFile, ctx)
  return ctx.format === 'navigation'
    ? serveNavigation(route, { kind: 'nothing', extras }, ctx)
    : respondWithPage(route, extras, ctx)
}

async function respondWithPage(route: PageRoute, extras: WrittenExtras | null, ctx: RequestContext): Promise<void> {
  const loads = route.noLoads ?? (await runLoads(route.steps, ctx))
  if (ctx.isGone || loads.kind === 'thrown' || ctx.format === 'json') silencePromises(loads.values)
  if (ctx.isGone) return
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
  route: PageRoute,
  values: readonly unknown[],
  extras: WrittenExtras | null,
  ctx: RequestContext,
): Promise<void> {
  const { plan, leaf } = route
  try {
    if (ctx.request.method === 'HEAD') {
      if (ctx.format === 'markdown') return sendMarkdownHead(ctx)
      const isPending = deferData(values, plan.dataFiles, ctx).pendingCount() > 0
      return sendDocumentHead(isPending && mayStream(plan, ctx), ctx)
    }
    const render = () => renderPage({ plan, data: values, extras, leaf }, ctx)
    const rendered = await (ctx.capture ? ctx.capture.run(render) : render())
    if (rendered.kind === 'gone') return
    if (ctx.hooksRun) await ctx.hooksRun
    if (rendered.kind === 'thrown')
      return respondWithError(catchError(rendered.thrown, 'render'), targetOf(route, values), ctx)
    if (ctx.format === 'markdown' && rendered.kind === 'whole') return await sendMarkdown(rendered, ctx)
    sendDocument(rendered, ctx)
    if (rendered.kind === 'stream') await rendered.ended
  } catch (thrown) {
    const caught = catchError(thrown, 'load', loadOf(route.page.serverFile))
    await respondWithError(caught, targetOf(route, values), ctx)
  }
}

async function respondWithJson(route: Route, values: readonly unknown[], ctx: RequestContext): Promise<void> {
  const { load, serverFile } = route.page
  const { renderMs } = ctx.site.options.timeouts
  const onTimeout = (pending: string) => {
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending])
    ctx.abort(error)
    return error
  }
  try {
    if (!load) throw new HttpError(406, 'This page has no data; request text/html instead.')
    const json = await toPlainJson(values.at(-1), onTimeout, renderMs, (stop) => ctx.watchLeaving(stop))
    if (!ctx.isGone) sendJson(json, ctx)
  } catch (thrown) {
    await respondWithError(catchError(thrown, 'load', loadOf(serverFile)), targetOf(route, values), ctx)
  }
}
