// The only writer of responses to requests for pages. Every other file returns a `PageResponse`. Streams go through
// `reply.send` too: without it no `onSend` hooks would run, in which Fastify's plugins set cookies and headers.

import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { BUILD_HEADER, LAYOUTS_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { StoredResponse } from '../cache/shared/shared-store.ts'
import { createDocumentHeaders, type DocumentHeaders, type StoredPage } from '../cache/stored-page.ts'
import type { StoredShell } from '../cache/stored-shell.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Audience, PageResponse, ResponseFormat } from '../context/response.ts'
import type { Site } from '../context/site.ts'
import type { Failure } from '../failures/failure-context.ts'
import { isSafe } from '../guards/csrf.ts'
import {
  ignoreHeaders,
  keepFromSharedCaches,
  limitCaching,
  limitCachingAsSaid,
  NO_STORE,
  REVALIDATE,
  removeCacheHeaders,
} from '../http/caching.ts'
import { chooseEncoding, sendOwn, sendPrepared, setEncoding } from '../http/compression.ts'
import { hashEtag, setEtag } from '../http/etag.ts'
import {
  addHashes,
  addVary,
  contentSecurityPolicy,
  DIGEST_HEADER,
  HTML_TYPE,
  hashPolicy,
  INERT_POLICY,
  JSON_TYPE,
  MARKDOWN_TYPE,
  REQUEST_ID_HEADER,
  replaceNonces,
  setDocumentSecurity,
  setErrorHeaders,
  setPolicy,
  styleNonceOf,
} from '../http/headers.ts'
import { forbidCaching, markAsOwn, NAVIGATION_CONTENT } from '../http/navigation-strategy.ts'
import { PROBLEM_TYPE } from '../http/problem.ts'
import { sendStarted } from '../http/send-started.ts'
import { addPrivacyVary } from './report-settings.ts'

/** Sends a response, after the `onError` hooks: Fastify sends nothing while they run. */
export function send(response: PageResponse, ctx: RequestContext): void | Promise<void> {
  const { hooksRun } = ctx
  return hooksRun === null ? write(response, ctx) : hooksRun.then(() => write(response, ctx))
}

/**
 * Sends a response with Node's own functions: it bypasses all hooks and drops every header that they have set. The last
 * resort, when an error cannot be sent either, for example because an `onSend` hook throws for every response. Fastify
 * would fall back to its own error handler, which sends the error's message to the client.
 */
export function sendRaw(response: PageResponse, ctx: RequestContext) {
  const { reply, request, site } = ctx
  const { raw } = reply.hijack()
  if (raw.headersSent || raw.destroyed) return void raw.destroy()
  for (const name of raw.getHeaderNames()) raw.removeHeader(name)
  ignoreHeaders(raw)
  const { failure, headers } = response
  const status = failure?.status ?? response.status ?? 500
  const body = typeof response.body === 'string' ? response.body : ''
  const { type, policyOf } = FORMATS[response.format]
  // Node.js would keep the phrase of the response that it has refused: `500 OK`. HTTP/2 has none, and warns of it.
  if (request.raw.httpVersionMajor === 1) raw.statusMessage = STATUS_CODES[status] ?? ''
  raw.writeHead(status, {
    ...headers,
    ...(type !== null && { 'content-type': type }),
    ...(failure && { [DIGEST_HEADER]: failure.digest }),
    ...(site.options.csp && policyOf && { 'content-security-policy': policyOf(response, ctx) }),
    [REQUEST_ID_HEADER]: request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': NO_STORE,
    vary: 'Accept',
    'content-length': Buffer.byteLength(body),
  })
  raw.end(request.method === 'HEAD' ? undefined : body)
}

/** The headers of a format. */
interface FormatHeaders {
  /** The value of `Content-Type`; null for a response without a body. */
  type: string | null
  varyOf(site: Site): string
  /** Returns the policy, unless the site has one; null if no browser shows the response as a document. */
  policyOf: ((response: PageResponse, ctx: RequestContext) => string) | null
  /** Says what caches may do, in place of the audience. */
  setCaching?(reply: FastifyReply): void
  /** Changes the policy of a hook. */
  prepare?(response: PageResponse, ctx: RequestContext): void
  /** Sets what else the format needs. */
  finish?(response: PageResponse, ctx: RequestContext): void
  /** Returns the ETag of the whole page; null for formats without one. */
  etagOf?(text: string, ctx: RequestContext): string
}

const FORMATS: Readonly<Record<ResponseFormat, FormatHeaders>> = {
  html: {
    type: HTML_TYPE,
    varyOf: varyOfPage,
    policyOf: documentPolicy,
    prepare({ stored, shell }, { reply }) {
      if (stored) (shell ? addHashes : replaceNonces)(reply, stored.response)
    },
    finish({ stored }, ctx) {
      const { site, reply, address } = ctx
      addPrivacyVary(reply, site.options.reports)
      if (!stored && ctx.hasScripts) site.policies?.watch(ctx)
      if (site.options.securityHeaders) setDocumentSecurity(reply, address)
    },
    etagOf: (text, { site, route, nonce, reply }) =>
      site.etags.of({ route, text, nonce, styleNonce: styleNonceOf(reply) }),
  },
  json: { type: JSON_TYPE, varyOf: varyOfPage, policyOf: null },
  markdown: { type: MARKDOWN_TYPE, varyOf: varyOfPage, policyOf: () => INERT_POLICY, etagOf: hashEtag },
  problem: { type: PROBLEM_TYPE, varyOf: varyOfPage, policyOf: () => INERT_POLICY },
  navigation: {
    type: NAVIGATION_CONTENT,
    varyOf: ({ options }) => (options.compress ? `${NAVIGATION_VARIES}, Accept-Encoding` : NAVIGATION_VARIES),
    policyOf: null,
    // The header of a load is replaced before compression, which its `no-transform` would forbid.
    setCaching: forbidCaching,
    finish: (_, { reply }) => markAsOwn(reply),
  },
  redirect: {
    type: null,
    varyOf: () => 'Accept',
    policyOf: null,
    setCaching(reply) {
      // A load that set headers for one kind of cache meant the page, not the redirect.
      removeCacheHeaders(reply)
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', NO_STORE)
      limitCachingAsSaid(reply)
    },
  },
  nothing: { type: null, varyOf: () => 'Accept', policyOf: null, setCaching() {} },
}

/** Returns the `Content-Type` of a format; an empty text for a response without a body. */
export function contentTypeOf(format: ResponseFormat): string {
  return FORMATS[format].type ?? ''
}

/** The cache of a service worker stores any response. It reads `Vary`, and no other header. */
const NAVIGATION_VARIES = `${BUILD_HEADER}, ${LAYOUTS_HEADER}`

// A response that is too short to be compressed also varies by encoding: another client might get a compressed one.
function varyOfPage({ options }: Pick<Site, 'options'>): string {
  return options.compress ? 'Accept, Accept-Encoding' : 'Accept'
}

function documentPolicy({ stored, shell, body }: PageResponse, { hasScripts, nonce, site }: RequestContext): string {
  if (stored && shell) return shell.policy.join(nonce)
  if (stored) return documentHeadersOf(stored, site).policy
  const hasNonce = hasScripts || (typeof body === 'string' && body.includes(nonce))
  return hasNonce ? contentSecurityPolicy(nonce) : hashPolicy([])
}

/** Returns the headers of a stored document that are the same for every visitor. They are created once. */
function documentHeadersOf(page: StoredPage, { options }: Site): DocumentHeaders {
  page.documentHeaders ??= createDocumentHeaders(page.response, options.pageCache.tagHeader)
  return page.documentHeaders
}

function write(response: PageResponse, ctx: RequestContext) {
  const { reply } = ctx
  const { headers, stored, shell, status, failure, isError, body } = response
  if (stored && reply.raw.destroyed) return
  for (const name in headers) setHeader(name, headers[name] ?? '', reply)
  if (stored) setHeaders(shell?.headers ?? stored.response.headers, reply)
  if (failure || isError) setErrorHeaders(reply)
  if (failure) setFailure(failure, reply)
  else if (status !== null) reply.code(status)
  setFormatHeaders(response, ctx)
  if (response.isStreamed) reply.header('x-accel-buffering', 'no')
  if (stored && !shell) sendStored(stored, ctx)
  else if (body === null) sendHead(response, ctx)
  else if (shell && body instanceof Readable) sendShellStream(body as Parameters<typeof sendStarted>[0], shell, ctx)
  else sendBody(body, response, ctx)
}

function setFailure({ status, digest }: Failure, reply: FastifyReply) {
  reply.code(status).header(DIGEST_HEADER, digest)
}

function setFormatHeaders(response: PageResponse, ctx: RequestContext) {
  const { site, reply, request } = ctx
  const { type, varyOf, policyOf, setCaching, prepare, finish } = FORMATS[response.format]
  addVary(reply, varyOf(site))
  // The response to an action belongs to one request, whatever a load has set for the page.
  if (!isSafe(request.method)) limitToAudience('nobody', response, ctx)
  else if (!setCaching) limitToAudience(response.audience, response, ctx)
  setCaching?.(reply)
  if (type === null) reply.removeHeader('content-type')
  else reply.type(type)
  prepare?.(response, ctx)
  if (policyOf && site.options.csp) setPolicy(reply, policyOf(response, ctx))
  finish?.(response, ctx)
}

function limitToAudience(
  audience: Audience,
  { stored, format }: PageResponse,
  { site, request, reply }: RequestContext,
) {
  switch (audience) {
    case 'nobody':
      limitCaching(reply, 'no-store')
      reply.header('cache-control', NO_STORE)
      return
    case 'everyone':
      // A hook may require HTTP authentication. The response then belongs to visitors with a password.
      if (stored && format === 'html' && request.headers.authorization === undefined)
        return setSharedCaching(stored, site, reply)
      return keepFromSharedCaches(reply)
    case 'visitor':
      return keepFromSharedCaches(reply)
    case 'as said':
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
  }
}

function sendStored(page: StoredPage, { site, request, reply, format }: RequestContext) {
  const body = page.bodyIn(site.options.compress ? chooseEncoding(request, reply, page.text.length) : null)
  if (format !== 'navigation' && setEtag(body.etag, reply)) return void reply.send()
  if (format === 'html') site.metrics.firstByteSent(reply)
  sendPrepared(body, reply)
}

function sendHead({ isStreamed }: PageResponse, { site, request, reply }: RequestContext) {
  const encoding = isStreamed && site.options.compress ? chooseEncoding(request, reply, Infinity) : null
  if (encoding) setEncoding(encoding, reply)
  reply.send()
}

function sendBody(body: string | Readable, response: PageResponse, ctx: RequestContext) {
  const { site, reply, request } = ctx
  const { format, isPage } = response
  const { etagOf } = FORMATS[format]
  if (format === 'html' || format === 'markdown') site.metrics.firstByteSent(reply)
  if (typeof body === 'string' && isPage && etagOf && reply.statusCode === 200 && request.method === 'GET') {
    if (setEtag(etagOf(body, ctx), reply)) {
      // The document in the browser's cache carries the nonce of the policy that came with it.
      if (format === 'html') reply.removeHeader('content-security-policy')
      return void reply.send()
    }
  }
  sendOwn(body, reply)
}

function sendShellStream(stream: Parameters<typeof sendStarted>[0], shell: StoredShell, ctx: RequestContext) {
  ctx.site.metrics.firstByteSent(ctx.reply)
  sendStarted(stream, shell.start, ctx.reply)
}

/** Keeps a response out of every cache, because a part of it belongs to the visitor. */
export function keepPrivate(reply: FastifyReply) {
  reply.header('cache-control', `private, ${NO_STORE}`)
  limitCaching(reply, 'no-store')
}

function setHeaders(headers: StoredResponse['headers'], reply: FastifyReply) {
  for (const [name, value] of headers) setHeader(name, value, reply)
}

/** Sets a header of this response. Names in `Vary` are added to those that hooks have set. */
function setHeader(name: string, value: string, reply: FastifyReply) {
  if (name === 'vary') addVary(reply, value)
  else reply.header(name, value)
}

/**
 * Sets the headers that allow a shared cache, such as a CDN, to keep the page for as long as this server does. If a hook
 * says how long, only the tags are added, which it needs to drop the page.
 */
function setSharedCaching(page: StoredPage, site: Site, reply: FastifyReply) {
  const { tags, cacheControl } = documentHeadersOf(page, site)
  const { storedAt, isPermanent } = page.response
  if (tags !== null) reply.header(site.options.pageCache.tagHeader, tags)
  if (reply.hasHeader('cache-control')) return
  reply.header('cache-control', cacheControl)
  // A page that never expires is current as long as it is served.
  reply.header('age', isPermanent ? 0 : Math.max(0, Math.floor((Date.now() - storedAt) / 1_000)))
}
