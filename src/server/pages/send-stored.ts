import type { StoredPage } from '../cache/stored-page.ts'
import type { RequestContext } from '../context/request-context.ts'
import { limitCaching, REVALIDATE } from '../http/caching.ts'
import { chooseEncoding, sendPrepared } from '../http/compression.ts'
import { matchesEtag } from '../http/etag.ts'
import { addVary } from '../http/headers.ts'
import { hashPolicy, INERT_POLICY, replaceNonces, setDocumentSecurity, setPolicy } from '../http/security-headers.ts'
import { setNavigationHeaders } from './navigation-stream.ts'
import { PRIVACY_HEADERS } from './report-settings.ts'
import { varyOf } from './send-response.ts'

/**
 * Sends a page of the cache.
 *
 * @param isPublic Whether shared caches may store it too.
 */
export function sendStored(page: StoredPage, isPublic: boolean, ctx: RequestContext) {
  const { site, request, reply, format } = ctx
  if (reply.raw.destroyed) return
  const { response } = page
  for (const [name, value] of response.headers) {
    if (name === 'vary') addVary(reply, value)
    else reply.header(name, value)
  }
  if (format === 'navigation') setNavigationHeaders(ctx)
  else setPageHeaders(page, isPublic, ctx)
  const encoding = site.options.compress ? chooseEncoding(request, reply, page.text.length) : null
  if (format !== 'navigation') {
    const etag = page.etagOf(encoding)
    reply.header('etag', etag)
    if (matchesEtag(request.headers['if-none-match'], etag)) {
      reply.removeHeader('content-type')
      return void reply.code(304).send()
    }
  }
  if (format === 'html') site.metrics.firstByteSent(reply)
  sendPrepared(page, encoding, reply)
}

function setPageHeaders(page: StoredPage, isPublic: boolean, ctx: RequestContext) {
  const { site, reply, format } = ctx
  addVary(reply, varyOf(site))
  if (format === 'html') {
    setDocumentHeaders(page, ctx)
    if (isPublic) return setSharedCaching(page, ctx)
  }
  // A shared cache that ignores `Vary` would serve another form to clients that ask for the page.
  limitCaching(reply, 'private')
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
  if (format === 'markdown' && site.options.csp) setPolicy(reply, INERT_POLICY)
}

function setDocumentHeaders({ response }: StoredPage, { site, reply, address }: RequestContext) {
  const { csp, securityHeaders, reports } = site.options
  if (reports.respectPrivacySignals) for (const name of PRIVACY_HEADERS) addVary(reply, name)
  replaceNonces(reply, response)
  if (csp) setPolicy(reply, hashPolicy(response.scripts))
  if (securityHeaders) setDocumentSecurity(reply, address)
}

const S = 1_000
const SEPARATORS = { 'cache-tag': ',', 'surrogate-key': ' ' }

/** Sets the headers by which a shared cache, such as a CDN, keeps the page as long as this server does. */
function setSharedCaching({ response }: StoredPage, { site, reply }: RequestContext) {
  if (reply.hasHeader('cache-control')) return
  const { tagHeader } = site.options.pageCache
  const { storedAt, freshMs, staleMs, tags } = response
  const ageS = Math.max(0, Math.floor((Date.now() - storedAt) / S))
  const stale = staleMs > 0 ? `, stale-while-revalidate=${Math.floor(staleMs / S)}` : ''
  reply.header('cache-control', `public, max-age=0, s-maxage=${Math.floor(freshMs / S)}${stale}`)
  reply.header('age', ageS)
  if (tags.length > 0) reply.header(tagHeader, tags.join(SEPARATORS[tagHeader]))
}
