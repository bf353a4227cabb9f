import { queryOf } from '../cache/cache-key.ts'
import type { CacheRule } from '../cache/cache-rule.ts'
import { fixDocument } from '../cache/fixed-document.ts'
import type { StoredResponse } from '../cache/shared/shared-store.ts'
import { recordReads } from '../cache/visitor-reads.ts'
import type { PageCapture } from '../context/page-capture.ts'
import type { RequestContext } from '../context/request-context.ts'
import { allowsSomeCache, isForSomeCaches } from '../http/caching.ts'
import { HTML_TYPE, JSON_TYPE, MARKDOWN_TYPE, styleNonceOf } from '../http/headers.ts'
import type { Format } from '../http/negotiate.ts'
import { type CacheRefusal, noteRefusal } from './cache-warnings.ts'
import { NAVIGATION_CONTENT } from './navigation-stream.ts'
import type { PageRoute } from './page-route.ts'

const TYPES: Record<Format, string> = {
  html: HTML_TYPE,
  json: JSON_TYPE,
  markdown: MARKDOWN_TYPE,
  navigation: NAVIGATION_CONTENT,
}

export interface CaptureInput {
  rule: CacheRule
  tags: readonly string[]
  /** Stores and sends the response; null to check it only. */
  store: ((response: StoredResponse) => void) | null
  /** Called when the response differs for each visitor, or for another reason that the next request will meet too. */
  onRefused(): void
}

/** Creates the capture of one response. Call it before the loads. */
export function createCapture(route: PageRoute, input: CaptureInput, ctx: RequestContext): PageCapture {
  const { rule, tags, store, onRefused } = input
  const { request, reply, search } = ctx
  const before = new Map(Object.entries(reply.getHeaders()))
  const reads = recordReads({
    request,
    reply,
    context: ctx.context,
    hasGuards: route.hasGuards,
    url: ctx.path + search,
    query: queryOf(search),
  })

  function refuse(refusal: CacheRefusal): false {
    onRefused()
    noteRefusal(refusal, route, ctx)
    return false
  }

  /** Returns the headers that the loads have set. */
  function ownHeaders(): [string, string][] {
    const headers: [string, string][] = []
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value === undefined || before.get(name) === value || name === 'content-type') continue
      headers.push([name, String(value)])
    }
    return headers
  }

  return {
    request: reads.request,
    reply: reads.reply,
    context: reads.context,
    run: reads.run,
    send(text) {
      if (reply.statusCode !== 200 || ctx.failureCount > 0) return false
      if (reads.firstRead) return refuse({ kind: 'read', read: reads.firstRead })
      // A hook has set it, which does so for some visitors only. The next response can be stored.
      if (before.has('set-cookie')) return false
      const headers = ownHeaders()
      const forbidden = findForbidden(headers)
      if (forbidden) return refuse({ kind: 'header', header: forbidden })
      const { format } = ctx
      const fixed =
        format === 'html' ? fixDocument(text, ctx.nonce, styleNonceOf(reply)) : { text, scripts: [], styles: [] }
      if ('reason' in fixed) return refuse({ kind: 'document', reason: fixed.reason })
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
      })
      return true
    },
  }
}

const NOT_SHARED = /(?:^|,)\s*(?:no-store|private|no-cache)\b/i
/** The parts of a request that the key of a response has. */
const KEYED = ['accept', 'accept-encoding', 'host']

/** Returns the header by which a response says that it must not be stored; null if there is none. */
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
