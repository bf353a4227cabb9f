import type { FastifyReply, FastifyRequest } from 'fastify'
import { createDocumentHeaders, type DocumentHeaders } from '../../cache/document-headers.ts'
import type { DocumentRequest } from '../../cache/known-keys.ts'
import type { StoredResponse } from '../../cache/shared/shared-store.ts'
import type { StoredPage } from '../../cache/stored-page.ts'
import type { RequestContext } from '../../context/request-context.ts'
import type { Site } from '../../context/site.ts'
import { keepFromSharedCaches } from '../../http/caching.ts'
import { chooseEncoding, sendPrepared } from '../../http/compression.ts'
import { setEtag } from '../../http/etag.ts'
import { addVary } from '../../http/headers.ts'
import type { PublicAddress } from '../../http/public-address.ts'
import { INERT_POLICY, replaceNonces, setDocumentSecurity, setPolicy } from '../../http/security-headers.ts'
import type { CacheResult } from '../../metrics/cache-counts.ts'
import { formatOf } from '../create-context.ts'
import { setNavigationHeaders } from '../navigation-stream.ts'
import type { PreparedRoute } from '../prepared-route.ts'
import { addPrivacyVary, mayReport } from '../report-settings.ts'
import { varyOf } from '../send-response.ts'

/** The request that a stored page is sent to. */
type StoredTarget = Pick<RequestContext, 'site' | 'request' | 'reply' | 'route' | 'format' | 'address'>

/** A stored page that an earlier request for the same URL got. */
export interface KnownPage {
  page: StoredPage
  result: CacheResult
  /** The origin at which the visitor sees the site. */
  address: PublicAddress
}

/**
 * Returns the stored document of a page without guards, if an earlier request for the same URL has found it in the
 * cache, and it need not be rendered again now. Returns null for any other request.
 */
export function findKnown(route: PreparedRoute, site: Site, request: FastifyRequest): KnownPage | null {
  const { cache } = site
  if (cache === null || !isFound(route) || formatOf(site, request) !== 'html') return null
  const knownKey = cache.knownKeys.find(describeRequest(route, site, request))
  const found = knownKey && cache.find(knownKey.key)
  if (!found || (found.isStale && cache.mayRefresh(knownKey.key))) return null
  return { page: found.page, result: found.isStale ? 'stale' : 'hit', address: knownKey.address }
}

/** Returns whether responses of a page may be in the cache, and no guard has to run before they are sent. */
const isFound = ({ cache, hasGuards }: PreparedRoute) => cache !== null && !hasGuards

/** Lets `findKnown` find the page by its key for the next request that is equal. */
export function noteFound(key: string, route: PreparedRoute, { site, request, format }: RequestContext) {
  if (format === 'html' && isFound(route)) site.cache?.knownKeys.add(describeRequest(route, site, request), key)
}

function describeRequest(route: PreparedRoute, { options }: Site, request: FastifyRequest): DocumentRequest {
  return { route: route.id, request, mayReport: mayReport(options.reports, request.headers) }
}

/**
 * Sends a page of the cache.
 *
 * @param mayShare Whether shared caches may store it too, unless the visitor has signed in with HTTP authentication.
 */
export function sendStored(page: StoredPage, mayShare: boolean, target: StoredTarget) {
  const { site, request, reply, format } = target
  // A hook may require HTTP authentication. The response then belongs to visitors with a password.
  const isPublic = mayShare && request.headers.authorization === undefined
  if (reply.raw.destroyed) return
  setStoredHeaders(page.response.headers, reply)
  if (format === 'navigation') setNavigationHeaders(target)
  else setPageHeaders(page, isPublic, target)
  const body = page.bodyIn(site.options.compress ? chooseEncoding(request, reply, page.text.length) : null)
  if (format !== 'navigation' && setEtag(body.etag, reply)) return void reply.send()
  if (format === 'html') site.metrics.firstByteSent(reply)
  sendPrepared(body, reply)
}

/** Sets the headers of a stored response. Names in `Vary` are added to those that hooks have set. */
export function setStoredHeaders(headers: StoredResponse['headers'], reply: FastifyReply) {
  for (const [name, value] of headers) {
    if (name === 'vary') addVary(reply, value)
    else reply.header(name, value)
  }
}

function setPageHeaders(page: StoredPage, isPublic: boolean, target: StoredTarget) {
  const { site, reply, format } = target
  addVary(reply, varyOf(site))
  if (format === 'html') {
    page.documentHeaders ??= createDocumentHeaders(page.response, site.options.pageCache.tagHeader)
    setDocumentHeaders(page.response, page.documentHeaders, target)
    if (isPublic) return setSharedCaching(page.response, page.documentHeaders, target)
  }
  keepFromSharedCaches(reply)
  if (format === 'markdown' && site.options.csp) setPolicy(reply, INERT_POLICY)
}

function setDocumentHeaders(response: StoredResponse, { policy }: DocumentHeaders, target: StoredTarget) {
  const { site, reply, address } = target
  const { csp, securityHeaders, reports } = site.options
  addPrivacyVary(reply, reports)
  replaceNonces(reply, response)
  if (csp) setPolicy(reply, policy)
  if (securityHeaders) setDocumentSecurity(reply, address)
}

/**
 * Sets the headers that allow a shared cache, such as a CDN, to keep the page for as long as this server does. If a load
 * or a hook says how long, only the tags are added, which it needs to drop the page.
 */
function setSharedCaching(response: StoredResponse, headers: DocumentHeaders, { site, reply }: StoredTarget) {
  const { storedAt, isPermanent } = response
  if (headers.tags !== null) reply.header(site.options.pageCache.tagHeader, headers.tags)
  if (reply.hasHeader('cache-control')) return
  reply.header('cache-control', headers.cacheControl)
  // A page that never expires is current as long as it is served.
  reply.header('age', isPermanent ? 0 : Math.max(0, Math.floor((Date.now() - storedAt) / 1_000)))
}
