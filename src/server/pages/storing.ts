// What makes a response that may be stored, and decides whether it is.

import { pathTag, queryOf } from '../cache/cache-key.ts'
import { type CacheRule, type TaggedPage, tagsOf } from '../cache/cache-rule.ts'
import { fixDocument } from '../cache/fixed-document.ts'
import { runOutsideRequests } from '../cache/outside-requests.ts'
import type { PrerenderedRedirect } from '../cache/prerendered-pages.ts'
import type { ShellRest, StoredResponse } from '../cache/shared/shared-store.ts'
import { type ReadRecorder, recordReads, type VisitorRead } from '../cache/visitor-reads.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse, RenderedShell } from '../context/response.ts'
import type { SourceFrame } from '../errors/failure-record.ts'
import { createHydrantError, warnOf } from '../errors/hydrant-error.ts'
import { catchError } from '../failures/failure-context.ts'
import { showFrame, siteFrames } from '../failures/stacks/place-frames.ts'
import type { SourceMapper } from '../failures/stacks/source-map.ts'
import { allowsSomeCache, isForSomeCaches } from '../http/caching.ts'
import { HTML_TYPE, JSON_TYPE, MARKDOWN_TYPE, REQUEST_ID_HEADER, styleNonceOf } from '../http/headers.ts'
import { NAVIGATION_CONTENT } from '../http/navigation-strategy.ts'
import type { Format } from '../http/negotiate.ts'
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
  storing: Storing,
  ctx: RequestContext,
  make: (store: Store) => Promise<PageResponse | null>,
): Promise<PageResponse | null> {
  const { route, rule } = storing
  // Before the checks, because other requests wait for this one: it goes on if its client leaves.
  const store = share(storing, ctx)
  // The address of any other page has been checked together with its guards.
  const admitted = ctx.hasPassedGuards ? 'passed' : await admit(route, ctx)
  if (admitted !== 'passed') return admitted
  return runOutsideRequests(async () => {
    const { serverFile } = route.page
    try {
      store.setTags([...tagsOf(rule, taggedPage(ctx), serverFile), pathTag(ctx.path)])
    } catch (thrown) {
      const caught = catchError(thrown, 'load', { file: serverFile, function: 'cache' })
      return errorInLayouts(route, caught, ctx)
    }
    return make(store)
  })
}

/** Returns the parameters and the query of the page: the output of the schemas, or the values that were sent. */
function taggedPage({ addressExtras, params, search }: RequestContext): TaggedPage {
  return { params: addressExtras?.params ?? params, search: addressExtras?.search ?? queryOf(search) }
}

const TYPES: Record<Format, string> = {
  html: HTML_TYPE,
  json: JSON_TYPE,
  markdown: MARKDOWN_TYPE,
  navigation: NAVIGATION_CONTENT,
}

/** Headers of the loads that are not stored: each response has its own, or none. */
const OF_ONE_RESPONSE: readonly string[] = [
  'content-type',
  REQUEST_ID_HEADER,
  'x-correlation-id',
  'traceparent',
  'tracestate',
  'server-timing',
  'date',
  'age',
]

/** Begins to watch the loads. Call it in the async context of the request. */
function share(storing: Storing, ctx: RequestContext): Store {
  const { route, rule, onRefused } = storing
  const { request, reply, search } = ctx
  const reads = recordReads({
    request,
    reply,
    context: ctx.context,
    hasGuards: route.hasGuards,
    url: ctx.path + search,
    query: queryOf(search),
  })
  const { inRequest, context } = reads
  ctx.shared = { request: reads.request, reply: reads.reply, context, run: runOutsideRequests, inRequest }
  let tags: readonly string[] = []

  function refuse(refusal: CacheRefusal): null {
    onRefused(refusal)
    noteRefusal(refusal, route, ctx)
    return null
  }

  /** Returns the headers that the loads have set; null if the response must not be stored. */
  function takeHeaders(): [name: string, value: string][] | null {
    if (reply.statusCode !== 200 || ctx.failureCount > 0) return null
    return storableHeaders(reads, refuse, route, ctx)
  }

  async function keep(format: Format, fixed: () => ReturnType<typeof fixDocument>, rest?: ShellRest) {
    const headers = takeHeaders()
    if (headers === null) return null
    const document = fixed()
    if ('reason' in document) return refuse({ kind: 'document', reason: document.reason })
    const { text: body, scripts, styles } = document
    const { freshMs, staleMs, isPermanent } = rule
    return storing.store({
      ...{ body, headers: [['content-type', TYPES[format]], ...headers], scripts, styles, tags },
      ...{ storedAt: Date.now(), freshMs, staleMs },
      ...(isPermanent && { isPermanent }),
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
        takeHeaders()
        return null
      }
      const { format, body, isPage, headers, status } = made
      if (format === 'redirect' && rule.isPermanent && storing.storeRedirect) {
        const ofLoads = takeHeaders()
        // A redirect of a cached page is sent to one visitor, so it may depend on the visitor.
        return ofLoads
          ? storing.storeRedirect({ location: headers.location ?? '', status: status ?? 302, headers: ofLoads })
          : made
      }
      if (!isPage || typeof body !== 'string') return made
      const fix = () =>
        format === 'html' ? fixDocument(body, ctx.nonce, styleNonceOf(reply)) : { text: body, scripts: [], styles: [] }
      return (await keep(ctx.format, fix)) ?? made
    },
    shell: ({ text, nonce, styleNonce, rest }) => keep('html', () => fixDocument(text, nonce, styleNonce), rest),
    refuse: (reason) => void refuse({ kind: 'document', reason }),
    check: () => void takeHeaders(),
  }
}

function storableHeaders(
  { firstRead, written }: ReadRecorder,
  refuse: (refusal: CacheRefusal) => null,
  route: PreparedRoute,
  ctx: RequestContext,
): [name: string, value: string][] | null {
  if (firstRead) return refuse({ kind: 'read', read: firstRead })
  // Hooks run for each visitor, so the headers that they set while the page was rendered are not stored.
  const headers = [...written].filter(([name]) => !OF_ONE_RESPONSE.includes(name))
  const forbidden = findForbidden(headers)
  if (forbidden) return refuse({ kind: 'header', header: forbidden })
  return hasCookieOfHook(route, ctx) ? null : headers
}

const NOT_SHARED = /(?:^|,)\s*(?:no-store|private|no-cache)\b/i
/** The parts of a request that the key of a response has. */
const KEYED = ['accept', 'accept-encoding', 'host']

/** Returns the header of the loads that forbids storing the response; null if there is none. */
function findForbidden(headers: readonly (readonly [string, string])[]): string | null {
  for (const [name, value] of headers) {
    if (name === 'set-cookie') return name
    if (name === 'vary' && value.split(',').some((part) => !KEYED.includes(part.trim().toLowerCase())))
      return `vary: ${value}`
    const isCaching = name === 'cache-control' || isForSomeCaches(name)
    if (isCaching && (NOT_SHARED.test(value) || (name !== 'cache-control' && !allowsSomeCache(name, value))))
      return `${name}: ${value}`
  }
  return null
}

/**
 * Returns whether a hook has set a cookie, and logs a warning if so. The response must then not be stored. The next
 * visitor may get no cookie, so the next request tries again: otherwise, a client could keep a page out of the cache
 * by a request that makes the hook set a cookie.
 */
export function hasCookieOfHook(route: PreparedRoute, ctx: RequestContext): boolean {
  if (!ctx.reply.hasHeader('set-cookie')) return false
  noteRefusal({ kind: 'header', header: 'set-cookie' }, route, ctx)
  return true
}

/** Why the response of a page with a `cache` is not stored. */
export type CacheRefusal =
  /** A load has read a value of the visitor. */
  | { kind: 'read'; read: VisitorRead }
  /** The response has a header that forbids it. */
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
function noteRefusal(refusal: CacheRefusal, route: PreparedRoute, ctx: RequestContext) {
  const { site, request } = ctx
  const { id, page, prerender, steps } = route
  site.metrics.cacheRefused(id, refusal.kind)
  const keys = warned.get(site) ?? new Set<string>()
  warned.set(site, keys)
  const reason = reasonOf(refusal)
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
