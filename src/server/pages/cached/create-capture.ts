import { queryOf } from '../../cache/cache-key.ts'
import type { CacheRule } from '../../cache/cache-rule.ts'
import { type FixedDocument, fixDocument } from '../../cache/fixed-document.ts'
import { runOutsideRequests } from '../../cache/outside-requests.ts'
import type { PrerenderedRedirect } from '../../cache/prerendered/format.ts'
import type { StoredResponse } from '../../cache/shared/shared-store.ts'
import type { ShellRest } from '../../cache/shell-rest.ts'
import { recordReads } from '../../cache/visitor-reads.ts'
import type { PageCapture } from '../../context/page-capture.ts'
import type { RequestContext } from '../../context/request-context.ts'
import { allowsSomeCache, isForSomeCaches } from '../../http/caching.ts'
import { HTML_TYPE, JSON_TYPE, MARKDOWN_TYPE, REQUEST_ID_HEADER, styleNonceOf } from '../../http/headers.ts'
import type { Format } from '../../http/negotiate.ts'
import { NAVIGATION_CONTENT } from '../../http/replaced-response.ts'
import type { PreparedRoute } from '../prepared-route.ts'
import { type CacheRefusal, noteRefusal } from './cache-warnings.ts'

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

export interface CaptureInput {
  rule: CacheRule
  /** Stores and sends the response; null if it is only checked. */
  store: ((response: StoredResponse) => void) | null
  /** Stores a redirect, and responds (redirects are not stored). */
  storeRedirect?(redirect: PrerenderedRedirect): void
  /** Called if the response must not be stored for a reason that also applies to the next request. */
  onRefused(refusal: CacheRefusal): void
}

/** Creates the capture of one response. Call it in the async context of the request, before the loads. */
export function createCapture(route: PreparedRoute, input: CaptureInput, ctx: RequestContext): PageCapture {
  const { rule, store, storeRedirect, onRefused } = input
  const { request, reply, search } = ctx
  let tags: readonly string[] = []
  const reads = recordReads({
    request,
    reply,
    context: ctx.context,
    hasGuards: route.hasGuards,
    url: ctx.path + search,
    query: queryOf(search),
  })

  function refuse(refusal: CacheRefusal): null {
    onRefused(refusal)
    noteRefusal(refusal, route, ctx)
    return null
  }

  /** Returns the headers that the loads have set; null if the response must not be stored. */
  function takeHeaders(): [name: string, value: string][] | null {
    if (reply.statusCode !== 200 || ctx.failureCount > 0) return null
    if (reads.firstRead) return refuse({ kind: 'read', read: reads.firstRead })
    // Hooks run for each visitor, so the headers that they set while the page was rendered are not stored.
    const headers = [...reads.written].filter(([name]) => !OF_ONE_RESPONSE.includes(name))
    const forbidden = findForbidden(headers)
    if (forbidden) return refuse({ kind: 'header', header: forbidden })
    return hasCookieOfHook(route, ctx) ? null : headers
  }

  /** @param fix Returns the text without its nonces. Called only for a response that may be stored. */
  function keep(format: Format, fix: () => FixedDocument | { reason: string }, rest?: ShellRest): boolean {
    const headers = takeHeaders()
    if (headers === null) return false
    const fixed = fix()
    if ('reason' in fixed) return refuse({ kind: 'document', reason: fixed.reason }) !== null
    if (store === null) return false
    store({
      body: fixed.text,
      headers: [['content-type', TYPES[format]], ...headers],
      scripts: fixed.scripts,
      styles: fixed.styles,
      tags,
      storedAt: Date.now(),
      freshMs: rule.freshMs,
      staleMs: rule.staleMs,
      ...(rule.isPermanent && { isPermanent: true }),
      ...(rest && { rest }),
    })
    return true
  }

  return {
    request: reads.request,
    reply: reads.reply,
    context: reads.context,
    run: runOutsideRequests,
    inRequest: reads.inRequest,
    setTags(given) {
      tags = given
    },
    send(text) {
      const { format } = ctx
      const isDocument = format === 'html'
      return keep(format, () =>
        isDocument ? fixDocument(text, ctx.nonce, styleNonceOf(reply)) : { text, scripts: [], styles: [] },
      )
    },
    sendShell: ({ text, nonce, styleNonce, rest }) => keep('html', () => fixDocument(text, nonce, styleNonce), rest),
    sendRedirect(location, status) {
      // A redirect of a cached page is sent to one visitor, so it may depend on the visitor.
      const headers = rule.isPermanent ? takeHeaders() : null
      if (headers === null || !storeRedirect) return false
      storeRedirect({ location, status, headers })
      return true
    },
    check: () => takeHeaders() !== null,
    refuse: (reason) => void refuse({ kind: 'document', reason }),
  }
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
