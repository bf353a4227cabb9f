// The stages `load` and `produce` of a page: what its loads return becomes a response in the format that was asked for.

import type { RequestContext } from '../context/request-context.ts'
import { createResponse, type PageResponse } from '../context/response.ts'
import { HttpError } from '../errors/http-error.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { catchError } from '../failures/failure-context.ts'
import { keepPrivate, removeCacheHeaders } from '../http/caching.ts'
import { FORMATS, type Format } from '../http/formats.ts'
import { failureMarkdown } from '../http/problem.ts'
import { silencePromises, writeData } from '../render/deferred.ts'
import type { Rendered } from '../render/document.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { documentResponse, mayStream, renderPage } from './documents.ts'
import { errorResponse, targetOf } from './errors.ts'
import { type Loads, runLoads, sourceOfLoad, startVisitorLoad } from './loads.ts'
import { makeNavigation } from './navigation.ts'
import { type WrittenExtras, writeExtras } from './page-extras.ts'
import type { PreparedRoute } from './prepared-route.ts'

/** The results of loads that have run, for a response that is made of them. */
export type KnownLoads = Exclude<Loads, { kind: 'sent' }>

/**
 * Runs the loads of a page, and makes the response to a GET or HEAD request. Returns null if there is none to send: the
 * client has left, or a load has sent a response itself.
 *
 * @param known The results of the loads, if they have run already (null).
 */
export async function loadAndProduce(
  route: PreparedRoute,
  ctx: RequestContext,
  known: KnownLoads | null = null,
): Promise<PageResponse | null> {
  if (route.loadVisitor) {
    // Hooks may have set them. The response could not be sent in parts with them.
    removeCacheHeaders(ctx.reply)
    keepPrivate(ctx.reply)
  }
  const extras = ctx.addressExtras && writeExtras({}, route.page.serverFile, ctx)
  if (FORMATS[ctx.format].isNavigation)
    return await makeNavigation(route, { kind: 'nothing', extras, loads: known }, ctx)
  const loads = known ?? route.noLoads ?? (await runLoads(route.steps, ctx))
  return await produce(route, loads, extras, ctx)
}

/**
 * Makes a response that is no navigation from the results of the loads. Returns null as `loadAndProduce` does.
 *
 * @param extras The page's extras; null for none.
 */
export async function produce(
  route: PreparedRoute,
  loads: Loads,
  extras: WrittenExtras | null,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const { values } = loads
  if (ctx.isGone || loads.kind !== 'loaded' || FORMATS[ctx.format].isData) silencePromises(values, ctx)
  if (ctx.isGone || loads.kind === 'sent') return null
  if (loads.kind === 'thrown') return await errorResponse(loads.caught, targetOf(route, values), ctx)
  try {
    return await PRODUCE[ctx.format]({ route, values, extras }, ctx)
  } catch (thrown) {
    const caught = catchError(thrown, 'load', sourceOfLoad(route.page.serverFile))
    return await errorResponse(caught, targetOf(route, values), ctx)
  }
}

/** A page whose loads have run. */
interface Loaded {
  route: PreparedRoute
  /** The data of the layouts, outermost first, then the page's. */
  values: readonly unknown[]
  extras: WrittenExtras | null
}

type Produce = (loaded: Loaded, ctx: RequestContext) => Promise<PageResponse | null>

/** What each format makes of the data. */
const PRODUCE: Readonly<Record<Format, Produce>> = {
  json: makeJson,
  navigation: ({ route, values, extras }, ctx) =>
    makeNavigation(route, { kind: 'nothing', extras, loads: { kind: 'loaded', values: [...values] } }, ctx),
  html: makeRendered,
  markdown: makeRendered,
}

async function makeRendered({ route, values, extras }: Loaded, ctx: RequestContext): Promise<PageResponse | null> {
  const { plan, leaf, loadVisitor } = route
  if (ctx.request.method === 'HEAD') return makeHead(route, values, ctx)
  const visitorData = loadVisitor ? startVisitorLoad(route, ctx) : undefined
  const rendered = await renderPage({ plan, data: values, extras, leaf, visitorData }, ctx)
  if (rendered.kind === 'gone') return null
  if (rendered.kind === 'thrown') return await errorResponse(rendered.caught, targetOf(route, values), ctx)
  // What is no document is converted as a whole: it is never streamed.
  if (!FORMATS[ctx.format].isDocument && rendered.kind === 'whole') return await makeMarkdown(rendered, ctx)
  return documentResponse(rendered)
}

/** Makes the headers of a document, for HEAD. Nothing is rendered. */
function makeHead(route: PreparedRoute, values: readonly unknown[], ctx: RequestContext): PageResponse {
  const { plan, loadVisitor } = route
  // Promises that reject have to be handled, also where nothing reads them.
  const isPending = writeData(values, plan.dataFiles, ctx).promises !== null || loadVisitor !== null
  ctx.statusSent = ctx.reply.statusCode
  return createResponse(
    ctx.format,
    null,
    isPending && mayStream(plan, ctx) ? { isStreamed: true, audience: 'nobody' } : {},
  )
}

async function makeJson({ route, values }: Loaded, ctx: RequestContext): Promise<PageResponse | null> {
  const { renderMs } = ctx.site.options.timeouts
  if (!route.page.load) throw new HttpError(406, 'This page has no data; request text/html instead.')
  const data = values.at(-1)
  const body = route.loadVisitor ? { data, visitorData: startVisitorLoad(route, ctx) } : data
  const onTimeout = (pending: string) => {
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending])
    ctx.abort(error)
    return error
  }
  const json = await toPlainJson(body, onTimeout, renderMs, {
    promises: ctx.promises,
    watchLeaving: (stop) => ctx.watchLeaving(stop),
  })
  return ctx.isGone ? null : jsonResponse(json)
}

/** Makes a response of JSON that is data of a page. */
export function jsonResponse(json: string): PageResponse {
  return createResponse('json', json, { isPage: true })
}

/** The most characters of a document that is converted. Converting such a document takes some seconds. */
const MAX_MARKDOWN_SOURCE = 1_000_000

/** Converts a rendered document. Rejects when it cannot be converted, and with a 406 when it is too long. */
async function makeMarkdown(
  { failure, text: html }: Extract<Rendered, { kind: 'whole' }>,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const { site, href, address } = ctx
  if (html.length > MAX_MARKDOWN_SOURCE)
    throw new HttpError(406, 'This page is too long for Markdown; request text/html instead.')
  const text = await site.markdown.convert({ html, address: href }, (stop) => ctx.watchLeaving(stop))
  if (text === null || ctx.isGone) return null
  const body = failure ? `${text}\n---\n\n${failureMarkdown(failure.digest, address.host)}\n` : text
  return createResponse('markdown', body, { failure, isPage: failure === null })
}
