import { createAppTree, type Tree, type TreeLeaf } from '../../shared/tree/app-tree.tsx'
import { fallbackNoscript, fallbackPart, hostScript } from '../../shared/tree/fallback.ts'
import type { Platform } from '../../shared/tree/platform.ts'
import { type BootDocument, bootScript, type ExtraProps } from '../../shared/wire/boot.ts'
import { EARLY_SCRIPT } from '../../shared/wire/early-events.ts'
import { visitorScript } from '../../shared/wire/kept-owner.ts'
import type { ServerError } from '../../shared/wire/public-error.ts'
import { needsUnflatten } from '../../shared/wire/values.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createResponse, type PageResponse } from '../context/response.ts'
import type { Site } from '../context/site.ts'
import { runStep } from '../context/steps.ts'
import { createHydrantError, warnOf } from '../errors/hydrant-error.ts'
import { allowsSharedCache, limitCaching } from '../http/caching.ts'
import { FORMATS } from '../http/formats.ts'
import { isStorable, styleNonceOf } from '../http/headers.ts'
import { mayReport, wantsWhole } from '../http/negotiate.ts'
import { noteLength } from '../http/request-times.ts'
import { timeWork } from '../http/timed-steps.ts'
import { NO_DATA, withSafePromises, writeData } from '../render/deferred.ts'
import { type DocumentInput, type Rendered, renderDocument } from '../render/document.ts'
import { stylesOfParts } from '../render/without-script.ts'
import { hintAtUnreadPromises } from './development-notes.ts'
import type { DocumentPlan } from './document-plan.ts'
import type { WrittenExtras } from './page-extras.ts'

export interface PageRender {
  plan: DocumentPlan
  /** Data of the layouts, outermost first, then the page's. */
  data: readonly unknown[]
  extras?: WrittenExtras | null
  leaf: TreeLeaf
  /** The promise of the page's `loadVisitor`; missing without one. */
  visitorData?: Promise<unknown> | undefined
  /** What an error page shows; missing for a page. */
  shown?: ServerError
}

/**
 * Returns whether a document that is not complete at the shell may be streamed. One that caches may store is sent
 * whole: it could fail halfway, with the status 200, for everyone.
 */
export function mayStream(plan: DocumentPlan, ctx: RequestContext): boolean {
  return ctx.shared === null && !isStorable(ctx.reply) && canSendParts(plan, ctx)
}

/** Returns whether the client and the page can do with a document in parts. */
export function canSendParts({ canStream }: DocumentPlan, { format, request, hasScripts }: RequestContext): boolean {
  return canStream && hasScripts && FORMATS[format].isDocument && !wantsWhole(request.headers['user-agent'])
}

/** Renders a page or an error page. Rejects with HYD_DATA_UNSERIALISABLE; every other outcome is in the result. */
export function renderPage(page: PageRender, ctx: RequestContext): Promise<Rendered> {
  return ctx.site.markVisitor ? findVisitor(ctx).then(() => render(page, ctx)) : render(page, ctx)
}

function render(page: PageRender, ctx: RequestContext): Promise<Rendered> {
  const { plan, leaf, data: loaded, extras: written, visitorData, shown } = page
  const { site, nonce, params } = ctx
  const isPage = leaf.kind === 'page'
  const platform = createPlatform(written?.value, ctx)
  const { styleNonce } = platform
  // Extras that contain a promise are serialized together with the data.
  const extras = visitorData ? null : written
  const values = visitorData ? [...loaded, { ...written?.value, visitorData }] : loaded
  const isBare = !extras && values.every((value) => value === undefined)
  const data = isBare ? NO_DATA : timeWork('data', ctx.times, () => writeData(values, plan.dataFiles, ctx))
  const { promises } = data
  for (const [level, text] of data.serialized.entries()) noteLength(plan.dataFiles[level] ?? '', text.length, ctx.times)
  const safe = promises
    ? values.map((value) =>
        withSafePromises(value, (reason) => ctx.substitute(reason, { phase: 'load', place: promises.place }), ctx),
      )
    : values
  const tree: Tree = {
    layouts: plan.layouts,
    leaf,
    data: extras ? [...safe, extras.value] : safe,
    params,
    address: ctx,
  }
  const serialized = extras ? [...data.serialized, extras.serialized] : data.serialized

  const document: DocumentInput = {
    element: createAppTree(tree, platform),
    promises,
    ctx,
    styleNonce,
    completeHead(isStreamed, head) {
      if (head === null) {
        // In development, the layouts around an error may not be loaded.
        if (isPage) warnOfLayout(ctx)
        return ''
      }
      if (!ctx.hasScripts) return head
      site.policies?.watchHead(head, ctx)
      const needsReader = data.needsReader || Boolean(extras && needsUnflatten(extras.serialized))
      return completeHead(head, plan, needsReader, nonce, isStreamed ? stylesOfParts(styleNonce) : '')
    },
    shellEnd: () => (FORMATS[ctx.format].isDocument ? writeShellEnd(page, serialized, ctx) : ''),
    // The headers of the page do not hold for an error.
    canStream: () => (shown ? ctx.shared === null && canSendParts(plan, ctx) : mayStream(plan, ctx)),
    errorStatus: shown?.status ?? null,
    endOfFailed({ digest, status }) {
      if (!isPage) return ''
      return (ctx.hasScripts ? fallbackNoscript : fallbackPart)(digest, status, platform)
    },
  }
  const rendering = Promise.resolve(runStep('render', '', ctx, () => renderDocument(document), thrownIn))
  if (site.isDevelopment && isPage && promises) hintAtUnreadPromises(safe, plan.dataFiles, rendering, ctx)
  return rendering
}

/**
 * Adds what the browser's side needs to the head of a document: React has written it up to `</head>`.
 *
 * @param styles Those of a document that streams, to be its first layer.
 */
export function completeHead(
  head: string,
  { preloads, readerPreloads }: DocumentPlan,
  needsReader: boolean,
  nonce: string,
  styles: string,
): string {
  // React escapes `>` in attributes.
  const start = head.indexOf('>', head.indexOf('<head')) + 1
  // No stylesheet comes before the script: browsers would wait for it, and not read the rest of the document.
  const early = `<script nonce="${nonce}">${EARLY_SCRIPT}</script>${styles}`
  const readers = needsReader ? readerPreloads.join(nonce) : ''
  return head.slice(0, start) + early + head.slice(start) + preloads.join(nonce) + readers
}

/**
 * Makes the response of a rendered document.
 *
 * @param shown What an error page shows; none for a page.
 */
export function documentResponse(
  rendered: Extract<Rendered, { kind: 'whole' | 'stream' }>,
  shown?: ServerError,
): PageResponse {
  // A part of a page that failed before the response began decides the status, even if the rest is complete.
  const failure = shown?.kind === 'failure' ? shown : rendered.failure
  const status = shown?.status ?? null
  const isError = shown !== undefined
  if (rendered.kind === 'whole')
    return createResponse('html', rendered.text, { failure, status, isError, isPage: !shown && failure === null })
  // The stream can still fail, so no cache may keep it.
  const given = { failure, status, isError, isStreamed: true, audience: 'nobody' } as const
  return createResponse('html', rendered.stream, { ...given, rest: () => rendered.ended })
}

const thrownIn = (rendered: Rendered) => (rendered.kind === 'thrown' ? rendered.caught : null)

const warned = new WeakSet<RequestContext['site']>()

/** Warns once that the root layout does not render `<html>`. */
function warnOfLayout({ site, route }: RequestContext) {
  const file = site.build.root.layouts[0]?.file
  if (warned.has(site) || !file) return
  warned.add(site)
  warnOf(createHydrantError('HYD_LAYOUT_HTML', [file, route]), route, site.app.log)
}

/** Returns the boot data, and the script that starts the browser's side; an empty text for a page without scripts. */
export function writeShellEnd(
  { plan, leaf }: Pick<PageRender, 'plan' | 'leaf'>,
  serialized: readonly string[],
  ctx: RequestContext,
  nonce = ctx.nonce,
): string {
  const { site, request } = ctx
  if (!ctx.hasScripts) return updateScript(site, nonce)
  const document = bootDocument(ctx)
  if (ctx.live !== null && leaf.kind === 'page') document.live = ctx.live
  if (request.method !== 'GET' && request.method !== 'HEAD') document.reload = false
  if (leaf.kind === 'shown') Object.assign(document, { shown: leaf.shown, host: ctx.address.host })
  if (!mayReport(site.options.reports, request.headers)) document.reports = 0
  if (site.isExported) document.isExported = true
  const boot = bootScript(plan.boot, document, serialized, site.publicEnv)
  const visitor = ctx.visitor === null ? '' : visitorScript(ctx.visitor)
  return `<script nonce="${nonce}">${boot}${visitor}</script>${entryScript(site, nonce)}`
}

/** Returns the part of the boot data that belongs to the request. */
export function bootDocument({ href, params, visitor }: RequestContext): BootDocument {
  return visitor === null ? { url: href, params } : { url: href, params, visitor }
}

/**
 * Asks the site for the mark of the visitor, if the response belongs to this visitor. A cache would give the mark to
 * others, so a document that caches may share says nothing, and no cache may share one that does.
 */
export async function findVisitor(ctx: RequestContext): Promise<void> {
  const { site, request, reply } = ctx
  const { isDocument, isNavigation } = FORMATS[ctx.format]
  if (!site.markVisitor || ctx.shared || ctx.visitor !== null || !ctx.hasScripts) return
  if (!isNavigation && (!isDocument || allowsSharedCache(reply))) return
  ctx.visitor = await site.markVisitor(request)
  limitCaching(reply, 'private')
}

// An object that begins with a spread gets a hidden class of its own in V8.
// perf: one literal with all fields, 0.04 µs instead of 4.1 µs, commit 8d8d4fde
export function createPlatform(extras: ExtraProps | undefined, ctx: RequestContext): Platform {
  return {
    side: 'server',
    host: ctx.address.host,
    search: ctx.search,
    base: ctx.site.baseInUrls,
    nonce: ctx.nonce,
    hostScript: ctx.hasScripts ? hostScript : noHostScript,
    styleNonce: styleNonceOf(ctx.reply),
    extras,
    page: 0,
    reload,
  }
}

const noHostScript = () => ''

// On the server there is nothing to reload.
const reload = () => {}

/** Returns the element that loads the script of the browser's side. */
function entryScript({ build }: Site, nonce: string): string {
  return `<script type="module" src="${build.entry.url}" nonce="${nonce}" async=""></script>`
}

/**
 * Returns the script of a document that is not hydrated. In development it shows errors, and loads the document again
 * after a change of the site. In production it is empty.
 */
export function updateScript(site: Site, nonce: string): string {
  return site.isDevelopment ? entryScript(site, nonce) : ''
}
