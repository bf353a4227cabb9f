// What makes a response that may be stored, and decides whether it is.

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { CacheRule } from '../build-output/cache-rule.ts'
import { pathTag, queryOf, tagsOf } from '../cache/cache-key.ts'
import { fixDocument } from '../cache/fixed-document.ts'
import { createLoadLog } from '../cache/load-log.ts'
import { runOutsideRequests } from '../cache/outside-requests.ts'
import type { PrerenderedRedirect } from '../cache/prerendered-pages.ts'
import type { ShellRest, StoredResponse } from '../cache/shared/shared-store.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse, RenderedShell, VisitorProperty } from '../context/response.ts'
import type { SourceFrame } from '../errors/failure-record.ts'
import { createHydrantError, warnOf } from '../errors/hydrant-error.ts'
import { catchError } from '../failures/failure-context.ts'
import { showFrame, siteFrames } from '../failures/stacks/place-frames.ts'
import type { SourceMapper } from '../failures/stacks/source-map.ts'
import { FORMATS, type Format, RESPONSES } from '../http/formats.ts'
import { styleNonceOf } from '../http/headers.ts'
import { admit } from './admit.ts'
import { errorInLayouts } from './error-handler.ts'
import type { LoadStep } from './loads.ts'
import type { PreparedRoute } from './prepared-route.ts'

/** What becomes of a response that may be stored. */
export interface Storing {
  route: PreparedRoute
  rule: CacheRule
  /** Called with the tags of the response, before the loads run. */
  onTags(tags: readonly string[]): void
  /** Stores the response. Returns what is sent; null to send the response as it was made. */
  store(response: StoredResponse): Promise<PageResponse | null> | PageResponse | null
  /** Stores a redirect of a page that never expires. Returns what is sent (redirects are not stored). */
  storeRedirect?(redirect: PrerenderedRedirect): PageResponse
  /** Called if a page without a shell may be stored, as far as its loads say: in development, shells are not made. */
  onPassed?(): void
  /** Called if the response must not be stored for a reason that also applies to the next request. */
  onRefused(refusal: CacheRefusal): void
}

/** Decides whether a response is stored. */
export interface Store {
  /** Sets the tags of the response, which the result of its schemas decides. Call it before the loads. */
  setTags(tags: readonly string[]): void
  /** Stores the response if it may be stored. Returns the response that is sent. */
  response(made: PageResponse | null): Promise<PageResponse | null>
  /** Stores a shell. Returns null if it must not be stored. The response may then be sent to this visitor only. */
  shell(shell: RenderedShell): Promise<PageResponse | null>
  /** Says why a response must not be stored. */
  refuse(reason: string): void
  /** Says why a response must not be stored, if its loads are the reason. */
  check(): void
}

/**
 * Makes a response that may be stored, outside of the async context of the request: whatever the site runs meanwhile,
 * for example a thenable in the data, finds no store of this visitor.
 */
export async function makeShared(
  { route, rule }: Storing,
  store: Store,
  ctx: RequestContext,
  make: () => Promise<PageResponse | null>,
): Promise<PageResponse | null> {
  // The address of any other page has been checked together with its guards.
  const admitted = ctx.hasPassedGuards ? 'passed' : await admit(route, ctx)
  if (admitted !== 'passed') return admitted
  return await runOutsideRequests(async () => {
    const { serverFile } = route.page
    const { addressExtras, params, search, path } = ctx
    try {
      // The output of the schemas, or the values that were sent.
      const tagged = { params: addressExtras?.params ?? params, search: addressExtras?.search ?? queryOf(search) }
      store.setTags([...tagsOf(rule, tagged, serverFile), pathTag(path)])
    } catch (thrown) {
      const caught = catchError(thrown, 'load', { file: serverFile, function: 'cache' })
      return await errorInLayouts(route, caught, ctx)
    }
    return await make()
  })
}

/**
 * Begins to make a response that may be stored. Call it in the async context of the request, before anything is awaited:
 * others wait for the response, so from now on the request goes on if its client leaves.
 */
export function share(storing: Storing, ctx: RequestContext): Store {
  const { route, rule, onRefused } = storing
  const { request, reply } = ctx
  const inRequest = AsyncLocalStorage.snapshot()
  let firstRead: VisitorRead | null = null
  ctx.share({
    key: {},
    log: createLoadLog(request.log, inRequest),
    touch(property) {
      firstRead ??= { property, error: captureRead(property) }
      return property === 'context' ? ctx.guardResults : ctx[property]
    },
    run: runOutsideRequests,
    inRequest,
  })
  let tags: readonly string[] = []

  function refuse(refusal: CacheRefusal): null {
    onRefused(refusal)
    warnOfRefusal(refusal, route, ctx)
    return null
  }

  function mayStore(): boolean {
    if (reply.statusCode !== 200 || ctx.failureCount > 0 || ctx.isRefused) return false
    if (firstRead === null) return !hasCookieOfHook(route, ctx)
    refuse({ kind: 'read', read: firstRead })
    return false
  }

  async function keep(format: Format, fixed: () => ReturnType<typeof fixDocument>, rest?: ShellRest) {
    if (!mayStore()) return null
    const document = fixed()
    if ('reason' in document) return refuse({ kind: 'document', reason: document.reason })
    const { text: body, scripts, styles } = document
    const { freshMs, staleMs, isPermanent } = rule
    return storing.store({
      ...{ body, headers: [['content-type', FORMATS[format].contentType ?? '']], scripts, styles, tags },
      ...{ id: randomUUID(), storedAt: Date.now(), freshMs, staleMs },
      ...(isPermanent && { isPermanent }),
      ...(ctx.live !== null && (rest || FORMATS[format].isNavigation) && { live: ctx.live }),
      ...(rest && { rest }),
    })
  }

  return {
    setTags(given) {
      tags = given
      storing.onTags(given)
    },
    async response(made) {
      if (made === null) {
        // A load has sent a response.
        mayStore()
        return null
      }
      const { format, body, isPage, headers, status } = made
      // A redirect of a cached page is sent to one visitor, so it may depend on the visitor.
      if (format === 'redirect' && rule.isPermanent) {
        const redirect = { location: headers.location ?? '', status: status ?? 302 }
        return (mayStore() && storing.storeRedirect?.(redirect)) || made
      }
      if (!isPage || typeof body !== 'string') return made
      const fix = () =>
        RESPONSES[format].isDocument
          ? fixDocument(body, ctx.nonce, styleNonceOf(reply))
          : { text: body, scripts: [], styles: [] }
      return (await keep(ctx.format, fix)) ?? made
    },
    shell: ({ text, nonce, styleNonce, rest }) => keep('html', () => fixDocument(text, nonce, styleNonce), rest),
    refuse: (reason) => void refuse({ kind: 'document', reason }),
    check: () => void (mayStore() && storing.onPassed?.()),
  }
}

/** A load has touched a property of the visitor. */
interface VisitorRead {
  property: VisitorProperty
  /** Its stack leads to the line that touched the property. */
  error: Error
}

/** The number of frames in a stack. A package may touch the property for the load, several calls below it. */
const MAX_FRAMES = 50

function captureRead(property: VisitorProperty): Error {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = MAX_FRAMES
  const error = new Error(`${property} was read`)
  Error.stackTraceLimit = before
  return error
}

/**
 * Returns whether a hook has set a cookie, and logs a warning if so. The response must then not be stored. The next
 * visitor may get no cookie, so the next request tries again: otherwise, a client could keep a page out of the cache
 * by a request that makes the hook set a cookie.
 */
export function hasCookieOfHook(route: PreparedRoute, ctx: RequestContext): boolean {
  if (!ctx.reply.hasHeader('set-cookie')) return false
  warnOfRefusal({ kind: 'header', header: 'set-cookie' }, route, ctx)
  return true
}

/** Why the response of a page with a `cache` is not stored. */
export type CacheRefusal =
  | { kind: 'read'; read: VisitorRead }
  /** A hook has set a header that forbids it. */
  | { kind: 'header'; header: string }
  /** The document cannot do without its nonce. */
  | { kind: 'document'; reason: string }

/** The most reasons of one site that are reported. */
const MAX_WARNED = 1_000
/** The advice if a layout has read the value: only a page can have `loadVisitor`. */
const LAYOUT_FIX =
  'Load the part that differs for each visitor in the browser, because a layout cannot have "loadVisitor"; see "hydrant docs prerender". Or remove the export "cache".'
const warned = new WeakMap<object, Set<string>>()

/**
 * Counts a response that is not stored. Warns once for each page and reason (HYD_CACHE_PERSONAL,
 * HYD_PRERENDER_PERSONAL).
 */
function warnOfRefusal(refusal: CacheRefusal, route: PreparedRoute, ctx: RequestContext) {
  const { site, request, times } = ctx
  const { id, page, prerender, steps } = route
  site.metrics.cacheRefused(id, refusal.kind)
  const reason = reasonOf(refusal)
  times.cache = `pass: ${refusal.kind}${site.isDevelopment ? ` (${reason})` : ''}`
  const keys = warned.get(site) ?? new Set<string>()
  warned.set(site, keys)
  const key = `${id} ${reason}`
  if (keys.has(key) || keys.size >= MAX_WARNED) return
  keys.add(key)
  const place = refusal.kind === 'read' ? findReadPlace(refusal.read, steps, site.mapper) : null
  const at = place?.frame ? ` at ${showFrame(place.frame)}${place.calledFrom}` : ''
  const error = prerender
    ? createHydrantError('HYD_PRERENDER_PERSONAL', [prerender.file, `${reason}${at}`])
    : createHydrantError('HYD_CACHE_PERSONAL', [page.serverFile, `${reason}${at}`])
  ctx.inRequest(() => warnOf(error, id, request.log, place?.isInLayout && !prerender ? LAYOUT_FIX : error.fix))
}

/** Returns the reason as the end of a sentence. */
export function reasonOf(refusal: CacheRefusal): string {
  switch (refusal.kind) {
    case 'read':
      return `it reads ${refusal.read.property}`
    case 'header':
      return `its response has the header ${refusal.header}`
    case 'document':
      return refusal.reason
  }
}

/** The place of a read in the site. */
export interface ReadPlace {
  /** The line that read the value; null if no code of the site did. */
  frame: SourceFrame | null
  /** The line of the load that called the code of another file, as the end of a sentence; else empty. */
  calledFrom: string
  /** Whether the load of a layout is known to have read the value. */
  isInLayout: boolean
}

/** @param steps The loads of the page and its layouts. */
export function findReadPlace(
  { error }: VisitorRead,
  steps: readonly LoadStep[],
  mapper: Pick<SourceMapper, 'mapFrame'>,
): ReadPlace {
  const frames = [...siteFrames(error, mapper)]
  const stepOf = ({ file }: SourceFrame) => steps.find(({ serverFile }) => serverFile === file)
  const frame = frames[0] ?? null
  const caller = frames.find(stepOf)
  return {
    frame,
    calledFrom: caller && caller.file !== frame?.file ? `, called from ${showFrame(caller)}` : '',
    isInLayout: caller !== undefined && !stepOf(caller)?.isPage,
  }
}
