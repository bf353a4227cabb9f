// The only writer of responses to requests for pages. Every other file returns a `PageResponse`. Streams go through
// `reply.send` too: without it no `onSend` hooks would run, in which Fastify's plugins set cookies and headers.

import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { createDocumentHeaders, type DocumentHeaders, type StoredPage, type StoredShell } from '../cache/stored-page.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import type { Site } from '../context/site.ts'
import { isSafe } from '../guards/csrf.ts'
import {
  ignoreHeaders,
  keepFromSharedCaches,
  limitCaching,
  limitRedirect,
  NO_STORE,
  REVALIDATE,
} from '../http/caching.ts'
import { chooseEncoding, sendOwn, sendPrepared, setEncoding } from '../http/compression.ts'
import { hashEtag, setEtag } from '../http/etag.ts'
import { bareHeaders, RESPONSES } from '../http/formats.ts'
import {
  addHashes,
  addVary,
  contentSecurityPolicy,
  DIGEST_HEADER,
  hashPolicy,
  REQUEST_ID_HEADER,
  replaceNonces,
  setDocumentSecurity,
  setErrorHeaders,
  setOwnHeaders,
  setPolicy,
  styleNonceOf,
} from '../http/headers.ts'
import { markAsOwn } from '../http/navigation-strategy.ts'
import { listMetrics, writeServerTiming } from '../http/request-times.ts'
import { sendStarted } from '../http/send-started.ts'
import { lastResort } from './errors.ts'

/**
 * A text of this length or more is encoded once, for the ETag, the compression and the connection. Node.js writes a
 * shorter one together with the headers.
 *
 * perf: 0.92 of the processor time for a page of 193 kB whose data differ each time, commit bbc602e6
 */
const MIN_BYTES_LENGTH = 16_384

/** Makes the response of a request; null if there is none to send. */
export type MakeResponse = () => Promise<PageResponse | null>

/**
 * Makes and sends the response of a request that holds a render slot, and frees the slot. If neither the response nor an
 * error page can be sent, for example because a load has set an invalid header, the error is sent without hooks. Never
 * rejects.
 *
 * The stages await what they return. When the watchdog interrupts code of the site, V8 drops the microtasks that wait: a
 * promise that an async function returns without `await` would never be followed, and the request would get no response.
 */
export async function serve(ctx: RequestContext, make: MakeResponse): Promise<void> {
  try {
    await deliver(await make(), ctx)
  } catch (thrown) {
    sendRaw(thrown, ctx)
  } finally {
    ctx.site.slots.free(ctx)
  }
}

/** Sends a response, and makes the rest of its body. */
export async function deliver(response: PageResponse | null, ctx: RequestContext): Promise<void> {
  if (response === null || ctx.isGone) return
  const sending = send(response, ctx)
  if (sending) await sending
  if (response.rest) await response.rest()
}

/** Sends a response, after the `onError` hooks: Fastify sends nothing while they run. */
export function send(response: PageResponse, ctx: RequestContext): void | Promise<void> {
  const { hooksRun } = ctx
  return hooksRun === null ? write(response, ctx) : hooksRun.then(() => write(response, ctx))
}

/**
 * Sends an error with Node's own functions: it bypasses all hooks and drops every header that they have set. The last
 * resort, when an error cannot be sent either, for example because an `onSend` hook throws for every response. Fastify
 * would fall back to its own error handler, which sends the error's message to the client.
 */
export function sendRaw(thrown: unknown, ctx: RequestContext) {
  const response = lastResort(thrown, ctx)
  const { reply, request } = ctx
  const { raw } = reply.hijack()
  if (raw.headersSent || raw.destroyed) return void raw.destroy()
  for (const name of raw.getHeaderNames()) raw.removeHeader(name)
  ignoreHeaders(raw)
  const { failure, headers, format } = response
  const status = failure?.status ?? response.status ?? 500
  const body = typeof response.body === 'string' ? response.body : ''
  // Node.js would keep the phrase of the response that it has refused: `500 OK`. HTTP/2 has none, and warns of it.
  if (request.raw.httpVersionMajor === 1) raw.statusMessage = STATUS_CODES[status] ?? ''
  raw.writeHead(status, {
    ...headers,
    ...bareHeaders(format, policyOf(response, ctx)),
    ...(failure && { [DIGEST_HEADER]: failure.digest }),
    [REQUEST_ID_HEADER]: request.id,
    'content-length': Buffer.byteLength(body),
  })
  raw.end(request.method === 'HEAD' ? undefined : body)
}

/** Returns the policy of a response; null if it has none. */
function policyOf({ format, stored, shell, body }: PageResponse, ctx: RequestContext): string | null {
  if (!ctx.site.options.csp) return null
  if (!RESPONSES[format].isDocument) return RESPONSES[format].policy
  if (stored) return shell ? shell.policy.join(ctx.nonce) : documentHeadersOf(stored, ctx.site).policy
  const hasNonce = ctx.hasScripts || (typeof body === 'string' && body.includes(ctx.nonce))
  return hasNonce ? contentSecurityPolicy(ctx.nonce) : hashPolicy([])
}

/** Returns the headers of a stored document that are the same for every visitor. They are created once. */
function documentHeadersOf(page: StoredPage, { options }: Site): DocumentHeaders {
  page.documentHeaders ??= createDocumentHeaders(page.response, options.pageCache.tagHeader)
  return page.documentHeaders
}

function write(response: PageResponse, ctx: RequestContext) {
  const { reply, site, address } = ctx
  const { format, headers, stored, shell, status, failure, body } = response
  const { contentType, isDocument, isNavigation } = RESPONSES[format]
  if (stored && reply.raw.destroyed) return
  for (const name in headers) setHeader(name, headers[name] ?? '', reply)
  if (stored) for (const [name, value] of shell?.headers ?? stored.response.headers) setHeader(name, value, reply)
  if (failure || response.isError) setErrorHeaders(reply)
  if (failure) reply.code(failure.status).header(DIGEST_HEADER, failure.digest)
  else if (status !== null) reply.code(status)
  limitToAudience(response, ctx)
  if (contentType === null) reply.removeHeader('content-type')
  // The policy of a hook.
  if (isDocument && stored) (shell ? addHashes : replaceNonces)(reply, stored.response)
  setOwnHeaders(reply, site.headers[format])
  const policy = policyOf(response, ctx)
  if (policy !== null) setPolicy(reply, policy)
  if (isDocument && !stored && ctx.hasScripts) site.policies?.watch(ctx)
  if (isDocument && site.options.securityHeaders) setDocumentSecurity(reply, address)
  if (isNavigation) markAsOwn(reply)
  if (response.isStreamed) reply.header('x-accel-buffering', 'no')
  if (site.options.serverTiming) addServerTiming(ctx)
  if (stored && !shell) sendStored(stored, ctx)
  else if (body === null) sendHead(response, ctx)
  else if (shell && body instanceof Readable) sendShellStream(body as Parameters<typeof sendStarted>[0], shell, ctx)
  else sendBody(body, response, ctx)
}

/** Adds the times of the steps to those that the site has measured itself. */
function addServerTiming({ reply, request, route }: RequestContext) {
  const given = reply.getHeader('server-timing')
  const own = writeServerTiming(listMetrics(route, reply.elapsedTime, request))
  reply.header('server-timing', given === undefined ? own : `${String(given)}, ${own}`)
}

/** Sets a header of this response. Names in `Vary` are added to those that hooks have set. */
function setHeader(name: string, value: string, reply: FastifyReply) {
  if (name === 'vary') addVary(reply, value)
  else reply.header(name, value)
}

function limitToAudience({ audience, stored, format }: PageResponse, { site, request, reply }: RequestContext) {
  const { isDocument, isNavigation } = RESPONSES[format]
  // The response to an action belongs to one request, whatever a load has set for the page. That to a navigation is
  // limited by `replaceForeignResponses` as well; compression comes before, which the header of a load might forbid (`no-transform`).
  if (audience === 'nobody' || isNavigation || !isSafe(request.method)) {
    limitCaching(reply, 'no-store')
    reply.header('cache-control', NO_STORE)
  } else if (format === 'redirect') limitRedirect(reply)
  // A hook may require HTTP authentication. The response then belongs to visitors with a password.
  else if (audience === 'everyone' && stored && isDocument && request.headers.authorization === undefined)
    setSharedCaching(stored, site, reply)
  else if (audience !== 'as said' || !isDocument) keepFromSharedCaches(reply)
  else if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
}

function sendStored(page: StoredPage, { site, request, reply, format }: RequestContext) {
  const { isDocument, isNavigation } = RESPONSES[format]
  const body = page.bodyIn(site.options.compress ? chooseEncoding(request, reply, page.text.length) : null)
  if (!isNavigation && setEtag(body.etag, reply)) return void reply.send()
  if (isDocument) site.metrics.firstByteSent(reply)
  sendPrepared(body, reply)
}

function sendHead({ isStreamed, format }: PageResponse, { site, request, reply }: RequestContext) {
  // The log and the metrics see by its type that a response is a stream.
  if (RESPONSES[format].isEndless) reply.removeHeader('content-type')
  const encoding = isStreamed && site.options.compress ? chooseEncoding(request, reply, Infinity) : null
  if (encoding) setEncoding(encoding, reply)
  reply.send()
}

function sendBody(body: string | Readable, { format, isPage }: PageResponse, ctx: RequestContext) {
  const { site, reply, request, route } = ctx
  const { isDocument, isRendered, isEndless } = RESPONSES[format]
  // Nothing that is compressed would be sent at once.
  if (isEndless && body instanceof Readable) return sendEndless(body, reply)
  if (isRendered) site.metrics.firstByteSent(reply)
  const isTagged = isRendered && isPage && reply.statusCode === 200 && request.method === 'GET'
  if (!isTagged || typeof body !== 'string') return sendOwn(body, reply)
  const utf8 = body.length < MIN_BYTES_LENGTH ? null : Buffer.from(body)
  const document = { route, content: utf8 ?? body, nonce: ctx.nonce, styleNonce: styleNonceOf(reply) }
  if (!setEtag(isDocument ? site.etags.of(document) : hashEtag([document.content]), reply))
    return sendOwn(body, reply, utf8)
  // The document in the browser's cache carries the nonce of the policy that came with it.
  if (isDocument) reply.removeHeader('content-security-policy')
  reply.send()
}

/** Sends a body that lasts until the client leaves, or a hook sends something else. */
function sendEndless(body: Readable, reply: FastifyReply) {
  const { raw } = reply
  raw.once('close', () => body.destroy())
  if (raw.destroyed) body.destroy()
  else reply.send(body)
}

function sendShellStream(stream: Parameters<typeof sendStarted>[0], shell: StoredShell, ctx: RequestContext) {
  ctx.site.metrics.firstByteSent(ctx.reply)
  sendStarted(stream, shell.start, ctx.reply)
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
