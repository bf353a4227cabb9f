// Sends what has been decided. Nothing here decides what an answer is, only how it is written.

import { fallbackDocument, hostScript } from '../../shared/tree/fallback.ts'
import type { PublicError } from '../../shared/wire/public-error.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { isForSomeCaches, limitCaching, limitCachingAsSaid, NO_STORE, REVALIDATE } from '../http/caching.ts'
import { chooseEncoding, sendOwn, setEncoding } from '../http/compression.ts'
import {
  addVary,
  DIGEST_HEADER,
  etagOf,
  HTML_TYPE,
  JSON_TYPE,
  matchesEtag,
  setErrorHeaders,
  styleNonceOf,
} from '../http/headers.ts'
import { createProblem, PROBLEM_TYPE } from '../http/problem.ts'
import { contentSecurityPolicy, INERT_POLICY, setDocumentSecurity, setPolicy } from '../http/security-headers.ts'
import type { Rendered } from '../render/document.ts'
import { PRIVACY_HEADERS } from './report-settings.ts'

/** Sends a document that renders a page as it should be, or as far as it could be. */
export function sendDocument(
  rendered: Extract<Rendered, { kind: 'whole' | 'stream' }>,
  site: Site,
  visit: RequestContext,
) {
  const { reply, request } = visit
  const { failure } = rendered
  site.metrics.firstByteSent(reply)
  // Known before the headers go out: a status that says so, though most of the page may be there.
  if (failure && !reply.hasHeader(DIGEST_HEADER)) {
    setErrorHeaders(reply)
    reply.code(failure.status).header(DIGEST_HEADER, failure.digest)
  }
  setDocumentHeaders(site, visit)
  if (rendered.kind === 'stream') {
    setStreamHeaders(visit)
    return sendOwn(rendered.stream, reply)
  }
  if (failure || reply.statusCode !== 200 || request.method !== 'GET') return sendOwn(rendered.text, reply)
  const etag = etagOf(rendered.text, visit.nonce, styleNonceOf(reply))
  reply.header('etag', etag)
  if (!matchesEtag(request.headers['if-none-match'], etag)) return sendOwn(rendered.text, reply)
  // The stored document carries the nonce of the policy that it was stored with.
  reply.removeHeader('content-security-policy')
  reply.removeHeader('content-type')
  reply.code(304).send()
}

/** The headers of a document that is not rendered, for HEAD. */
export function sendDocumentHead(isStreamed: boolean, site: Site, visit: RequestContext) {
  setDocumentHeaders(site, visit)
  if (isStreamed) setStreamHeaders(visit)
  const encoding = isStreamed && site.options.compress ? chooseEncoding(visit.request, visit.reply, Infinity) : null
  if (encoding) setEncoding(encoding, visit.reply)
  visit.reply.send()
}

/** The headers of what is shown, for HEAD. */
export function sendShownHead(shown: PublicError, site: Site, visit: RequestContext) {
  setShownHeaders(shown, site, visit)
  setDocumentHeaders(site, visit)
  visit.reply.send()
}

/** What an action has returned nothing for. A status that it has set stays. */
export function sendNothing({ reply }: RequestContext) {
  addVary(reply, 'Accept')
  if (reply.statusCode === 200) reply.code(204)
  reply.removeHeader('content-type')
  reply.send()
}

export function sendJson(json: string, site: Site, { reply }: RequestContext) {
  addVary(reply, varyOf(site))
  // Caches that do not look at `Vary` would give it to those who ask for the page.
  limitCaching(reply, 'private')
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
  sendOwn(json, reply.type(JSON_TYPE))
}

/** Status and headers of what went wrong, whatever its body will be. */
export function setShownHeaders(shown: PublicError, site: Site, visit: RequestContext) {
  const { reply } = visit
  setErrorHeaders(reply)
  addVary(reply, varyOf(site))
  if (shown.kind === 'failure' && shown.side === 'client') return
  reply.code(shown.status)
  if (shown.kind === 'failure') reply.header(DIGEST_HEADER, shown.digest)
}

export function sendProblem(shown: PublicError, site: Site, visit: RequestContext) {
  const { reply, request, address } = visit
  setShownHeaders(shown, site, visit)
  if (site.options.csp) setPolicy(reply, INERT_POLICY)
  sendOwn(JSON.stringify(createProblem(shown, address.host, request.url)), reply.type(PROBLEM_TYPE))
}

/** The document of last resort: no layout, no React. */
export function sendPlainDocument(shown: PublicError, site: Site, visit: RequestContext) {
  const { address, reply, search, nonce } = visit
  setShownHeaders(shown, site, visit)
  setDocumentHeaders(site, visit)
  const context = { host: address.host, search, nonce, hostScript, styleNonce: styleNonceOf(reply) }
  sendOwn(fallbackDocument(shown, context), reply)
}

export function sendRedirect(location: string, status: number, visit: RequestContext) {
  const { reply } = visit
  addVary(reply, 'Accept')
  // What a load has said for caches of some kind it has said of the page.
  for (const name of Object.keys(reply.getHeaders())) if (isForSomeCaches(name)) reply.removeHeader(name)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', NO_STORE)
  limitCachingAsSaid(reply)
  reply.removeHeader('content-type')
  reply.code(status).header('location', location).send()
}

// nginx and others that know the header pass each part on as it comes. What may yet fail is not to be kept.
function setStreamHeaders({ reply }: RequestContext) {
  limitCaching(reply, 'no-store')
  reply.header('x-accel-buffering', 'no').header('cache-control', NO_STORE)
}

function setDocumentHeaders(site: Site, visit: RequestContext) {
  const { options } = site
  const { address, reply, nonce } = visit
  addVary(reply, varyOf(site))
  if (options.reports.respectPrivacySignals) for (const name of PRIVACY_HEADERS) addVary(reply, name)
  reply.type(HTML_TYPE)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
  if (options.csp) setPolicy(reply, contentSecurityPolicy(nonce))
  site.policies.watch(visit)
  if (options.securityHeaders) setDocumentSecurity(reply, address)
}

// Also of what is too short to be compressed: whoever stores it has to know that another client might get it otherwise.
function varyOf({ options }: Site): string {
  return options.compress ? 'Accept, Accept-Encoding' : 'Accept'
}
