import { STATUS_CODES } from 'node:http'
import { fallbackDocument, hostScript } from '../../shared/tree/fallback.ts'
import type { ServerError } from '../../shared/wire/public-error.ts'
import type { RequestContext } from '../context/request-context.ts'
import { catchError } from '../failures/failure-context.ts'
import { ignoreHeaders, NO_STORE } from '../http/caching.ts'
import { createNonce, DIGEST_HEADER, HTML_TYPE, MARKDOWN_TYPE, REQUEST_ID_HEADER } from '../http/headers.ts'
import { errorMarkdown } from '../http/markdown-error.ts'
import { createErrorProblem, PROBLEM_TYPE } from '../http/problem.ts'
import { contentSecurityPolicy, hashPolicy, INERT_POLICY } from '../http/security-headers.ts'
import { updateScript } from './entry-script.ts'
import { type ErrorOutcome, resolveError } from './resolve-error.ts'
// The last resort, when the response of an error handler cannot be sent either, for example because an `onSend` hook
// throws for every response. Fastify would fall back to its own error handler, which sends the error's message to the
// client.

/** Sends an error with Node's own response: it bypasses all hooks and drops every header that they have set. */
export function sendRawError(thrown: unknown, ctx: RequestContext) {
  // The response that failed has not been sent: this failure is not one inside a stream.
  ctx.statusSent = null
  const { status, headers, body } = compose(resolveError(catchError(thrown, 'route'), ctx), ctx)
  const { reply, request } = ctx
  const { raw } = reply.hijack()
  if (raw.headersSent || raw.destroyed) return void raw.destroy()
  for (const name of raw.getHeaderNames()) raw.removeHeader(name)
  ignoreHeaders(raw)
  // Node.js would keep the phrase of the response that it has refused: `500 OK`. HTTP/2 has none, and warns of it.
  if (request.raw.httpVersionMajor === 1) raw.statusMessage = STATUS_CODES[status] ?? ''
  raw.writeHead(status, {
    ...headers,
    [REQUEST_ID_HEADER]: request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': NO_STORE,
    vary: 'Accept',
    'content-length': Buffer.byteLength(body),
  })
  raw.end(request.method === 'HEAD' ? undefined : body)
}

/**
 * Runs `respond` for a request that has been admitted, and frees its render slot. If `respond` rejects, neither the
 * response nor an error page could be sent, for example because a load has set an invalid header: sends the raw
 * error.
 */
export async function respondInSlot(ctx: RequestContext, respond: () => Promise<void>): Promise<void> {
  try {
    await respond()
  } catch (thrown) {
    sendRawError(thrown, ctx)
  } finally {
    ctx.site.slots.free(ctx)
  }
}

interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
}

function compose(outcome: ErrorOutcome, ctx: RequestContext): RawResponse {
  if (outcome.kind === 'redirect') return { status: outcome.status, headers: { location: outcome.location }, body: '' }
  const { shown } = outcome
  if (ctx.errorFormat === 'markdown') return composeMarkdown(shown, ctx)
  return ctx.errorFormat === 'json' ? composeProblem(shown, ctx) : composeDocument(shown, ctx)
}

function composeProblem(shown: ServerError, ctx: RequestContext): RawResponse {
  const body = JSON.stringify(createErrorProblem(shown, ctx.address.host, ctx.request.url))
  return { status: shown.status, headers: headersOf(shown, INERT_POLICY, PROBLEM_TYPE, ctx), body }
}

function composeMarkdown(shown: ServerError, ctx: RequestContext): RawResponse {
  const body = errorMarkdown(shown, ctx.address.host)
  return { status: shown.status, headers: headersOf(shown, INERT_POLICY, MARKDOWN_TYPE, ctx), body }
}

function composeDocument(shown: ServerError, ctx: RequestContext): RawResponse {
  const { host } = ctx.address
  const { search, hasScripts } = ctx
  const nonce = createNonce()
  const update = updateScript(ctx.site, nonce)
  const body = fallbackDocument(shown, { host, search, ...(hasScripts && { nonce, hostScript }) }, update)
  const policy = hasScripts || update !== '' ? contentSecurityPolicy(nonce) : hashPolicy([])
  return { status: shown.status, headers: headersOf(shown, policy, HTML_TYPE, ctx), body }
}

function headersOf(shown: ServerError, policy: string, type: string, { site }: RequestContext) {
  const headers: Record<string, string> = { 'content-type': type }
  if (shown.kind === 'failure') headers[DIGEST_HEADER] = shown.digest
  if (site.options.csp) headers['content-security-policy'] = policy
  return headers
}
