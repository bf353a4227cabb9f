import type { FastifyReply } from 'fastify'
import { fallbackDocument, hostScript } from '../../shared/tree/fallback.ts'
import type { ServerError } from '../../shared/wire/public-error.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import type { Failure } from '../failures/failure-context.ts'
import {
  keepFromSharedCaches,
  limitCaching,
  limitCachingAsSaid,
  NO_STORE,
  REVALIDATE,
  removeCacheHeaders,
} from '../http/caching.ts'
import { chooseEncoding, sendOwn, setEncoding } from '../http/compression.ts'
import { setEtag } from '../http/etag.ts'
import { addVary, DIGEST_HEADER, HTML_TYPE, JSON_TYPE, setErrorHeaders, styleNonceOf } from '../http/headers.ts'
import { createErrorProblem, PROBLEM_TYPE } from '../http/problem.ts'
import {
  contentSecurityPolicy,
  hashPolicy,
  INERT_POLICY,
  setDocumentSecurity,
  setPolicy,
} from '../http/security-headers.ts'
import type { Rendered } from '../render/document.ts'
import type { Issue } from '../schemas/issues.ts'
import { updateScript } from './entry-script.ts'
import { addPrivacyVary } from './report-settings.ts'
// Writes responses. Other files have decided which response it is.

/** Sends a rendered document, complete or as a stream. */
export function sendDocument(rendered: Extract<Rendered, { kind: 'whole' | 'stream' }>, ctx: RequestContext) {
  const { site, reply, request } = ctx
  const { failure } = rendered
  if (rendered.kind === 'whole' && ctx.capture?.send(rendered.text)) return
  site.metrics.firstByteSent(reply)
  if (failure && !reply.hasHeader(DIGEST_HEADER)) setFailureStatus(failure, reply)
  setDocumentHeaders(ctx, ctx.hasScripts || (rendered.kind === 'whole' && rendered.text.includes(ctx.nonce)))
  if (rendered.kind === 'stream') {
    setStreamHeaders(ctx)
    return sendOwn(rendered.stream, reply)
  }
  if (failure || reply.statusCode !== 200 || request.method !== 'GET') return sendOwn(rendered.text, reply)
  const { route, nonce } = ctx
  const etag = site.etags.of({ route, text: rendered.text, nonce, styleNonce: styleNonceOf(reply) })
  if (!setEtag(etag, reply)) return sendOwn(rendered.text, reply)
  // The document in the browser's cache carries the nonce of the policy that came with it.
  reply.removeHeader('content-security-policy').send()
}

/** Sets the status of a page if a part of it failed before the headers were sent, even if the rest is complete. */
export function setFailureStatus({ status, digest }: Failure, reply: FastifyReply) {
  setErrorHeaders(reply)
  reply.code(status).header(DIGEST_HEADER, digest)
}

/** Sends the headers of a document that is not rendered, for HEAD. */
export function sendDocumentHead(isStreamed: boolean, ctx: RequestContext) {
  const { site, request, reply } = ctx
  setDocumentHeaders(ctx)
  if (isStreamed) setStreamHeaders(ctx)
  const encoding = isStreamed && site.options.compress ? chooseEncoding(request, reply, Infinity) : null
  if (encoding) setEncoding(encoding, reply)
  reply.send()
}

/** Sends status and headers of an error page, for HEAD. */
export function sendErrorHead(shown: ServerError, ctx: RequestContext) {
  setErrorResponse(shown, ctx)
  setDocumentHeaders(ctx)
  ctx.reply.send()
}

/** Sends an empty response, after an action that returned nothing: 204 unless the action has set a status. */
export function sendNothing({ reply }: RequestContext) {
  addVary(reply, 'Accept')
  if (reply.statusCode === 200) reply.code(204)
  reply.removeHeader('content-type')
  reply.send()
}

export function sendJson(json: string, { site, reply, capture }: RequestContext) {
  if (capture?.send(json)) return
  addVary(reply, varyOf(site))
  keepFromSharedCaches(reply)
  sendOwn(json, reply.type(JSON_TYPE))
}

/** Sets status and headers of an error response, for any body. */
export function setErrorResponse(shown: ServerError, { site, reply }: RequestContext) {
  setErrorHeaders(reply)
  addVary(reply, varyOf(site))
  reply.code(shown.status)
  if (shown.kind === 'failure') reply.header(DIGEST_HEADER, shown.digest)
}

/**
 * Sends an error as a problem.
 *
 * @param issues The problems of a form or a query; none for other errors.
 */
export function sendErrorProblem(shown: ServerError, ctx: RequestContext, issues: readonly Issue[] = []) {
  const { site, reply, request, address } = ctx
  setErrorResponse(shown, ctx)
  if (site.options.csp) setPolicy(reply, INERT_POLICY)
  const problem = createErrorProblem(shown, address.host, request.url)
  const body = issues.length > 0 ? { ...problem, errors: issues } : problem
  sendOwn(JSON.stringify(body), reply.type(PROBLEM_TYPE))
}

/** Sends the static error document, which needs no layout and no React. */
export function sendPlainDocument(shown: ServerError, ctx: RequestContext) {
  const { site, address, reply, search } = ctx
  const scripts = ctx.hasScripts ? { nonce: ctx.nonce, hostScript } : {}
  const update = updateScript(site, ctx.nonce)
  setErrorResponse(shown, ctx)
  setDocumentHeaders(ctx, ctx.hasScripts || update !== '')
  const context = { host: address.host, search, ...scripts, styleNonce: styleNonceOf(reply) }
  sendOwn(fallbackDocument(shown, context, update), reply)
}

export function sendRedirect(location: string, status: number, { reply }: RequestContext) {
  addVary(reply, 'Accept')
  // A load that set headers for one kind of cache meant the page, not the redirect.
  removeCacheHeaders(reply)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', NO_STORE)
  limitCachingAsSaid(reply)
  reply.removeHeader('content-type')
  reply.code(status).header('location', location).send()
}

// `x-accel-buffering` makes nginx, and proxies that know the header, forward each part at once. The stream can still
// fail, so no cache may keep it.
function setStreamHeaders({ reply }: RequestContext) {
  limitCaching(reply, 'no-store')
  reply.header('x-accel-buffering', 'no').header('cache-control', NO_STORE)
}

/** @param hasNonce Whether the document has an element with the nonce. */
function setDocumentHeaders(ctx: RequestContext, hasNonce = ctx.hasScripts) {
  const { site, address, reply } = ctx
  const { options } = site
  addVary(reply, varyOf(site))
  addPrivacyVary(reply, options.reports)
  reply.type(HTML_TYPE)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
  if (options.csp) setPolicy(reply, hasNonce ? contentSecurityPolicy(ctx.nonce) : hashPolicy([]))
  if (ctx.hasScripts) site.policies.watch(ctx)
  if (options.securityHeaders) setDocumentSecurity(reply, address)
}

// A response that is too short to be compressed also varies by encoding: another client might get a compressed one.
export function varyOf({ options }: Pick<Site, 'options'>): string {
  return options.compress ? 'Accept, Accept-Encoding' : 'Accept'
}
