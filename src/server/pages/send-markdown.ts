import type { ServerError } from '../../shared/wire/public-error.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Failure } from '../failures/failure-context.ts'
import { keepFromSharedCaches } from '../http/caching.ts'
import { sendOwn } from '../http/compression.ts'
import { hashEtag, setEtag } from '../http/etag.ts'
import { addVary, MARKDOWN_TYPE } from '../http/headers.ts'
import { errorMarkdown, failureMarkdown } from '../http/markdown-error.ts'
import { INERT_POLICY, setPolicy } from '../http/security-headers.ts'
import type { Rendered } from '../render/document.ts'
import { HttpError } from '../thrown/http-error.ts'
import { setErrorResponse, setFailureStatus, varyOf } from './send-response.ts'

/** The most characters of a document that is converted. Converting such a document takes some seconds. */
const MAX_LENGTH = 1_000_000

/** Sends a rendered document as Markdown. Rejects when it cannot be converted, and with a 406 when it is too long. */
export async function sendMarkdown(rendered: Extract<Rendered, { kind: 'whole' }>, ctx: RequestContext): Promise<void> {
  const { site, href } = ctx
  const { failure, text: html } = rendered
  if (html.length > MAX_LENGTH)
    throw new HttpError(406, 'This page is too long for Markdown; request text/html instead.')
  const text = await site.markdown.convert({ html, address: href }, (stop) => ctx.watchLeaving(stop))
  if (text !== null && !ctx.isGone) ctx.inRequest(() => sendConverted(text, failure, ctx))
}

function sendConverted(text: string, failure: Failure | null, ctx: RequestContext) {
  const { site, reply, request, address } = ctx
  if (ctx.capture?.send(text)) return
  site.metrics.firstByteSent(reply)
  if (failure) setFailureStatus(failure, reply)
  setMarkdownHeaders(ctx)
  if (failure) return sendOwn(`${text}\n---\n\n${failureMarkdown(failure.digest, address.host)}\n`, reply)
  if (reply.statusCode !== 200 || request.method !== 'GET') return sendOwn(text, reply)
  if (setEtag(hashEtag(text), reply)) reply.send()
  else sendOwn(text, reply)
}

/** Sends the headers of a page as Markdown, for HEAD. Nothing is rendered. */
export function sendMarkdownHead(ctx: RequestContext) {
  setMarkdownHeaders(ctx)
  ctx.reply.send()
}

/** Sends an error as Markdown. */
export function sendErrorMarkdown(shown: ServerError, ctx: RequestContext) {
  setErrorResponse(shown, ctx)
  setMarkdownHeaders(ctx)
  sendOwn(errorMarkdown(shown, ctx.address.host), ctx.reply)
}

function setMarkdownHeaders({ site, reply }: RequestContext) {
  addVary(reply, varyOf(site))
  keepFromSharedCaches(reply)
  if (site.options.csp) setPolicy(reply, INERT_POLICY)
  reply.type(MARKDOWN_TYPE)
}
