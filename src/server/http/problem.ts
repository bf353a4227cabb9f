import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { fallbackDocument } from '../../shared/tree/fallback.ts'
import {
  digestLine,
  type PublicError,
  type Refusal,
  type ServerError,
  serverSentence,
} from '../../shared/wire/public-error.ts'
import { limitCaching } from './caching.ts'
import { bareHeaders, FORMATS } from './formats.ts'
import { setOwnHeaders } from './headers.ts'
import { preferredFormat } from './negotiate.ts'
import { pathOf, publicAddress } from './request-url.ts'

/** An error response for programs (https://www.rfc-editor.org/rfc/rfc9457). */
export interface Problem {
  type: string
  /** The name of the status. */
  title: string
  status: number
  /** The path of the request; left out if there is no request. */
  instance?: string
  /** The sentence of a failure, or the message of a refusal. */
  detail: string
  /** Only for a failure. */
  digest?: string
}

/** Creates the problem of an error. A failure in the browser has the status 500. */
export function createErrorProblem(visibleError: PublicError, host: string, url: string): Problem {
  if (visibleError.kind === 'refusal') return createRefusalProblem(visibleError.status, visibleError.message, url)
  const isServer = visibleError.side === 'server'
  const problem = createRefusalProblem(isServer ? visibleError.status : 500, serverSentence(host), url)
  return isServer ? { ...problem, digest: visibleError.digest } : problem
}

/** Creates the problem of a refusal. Without a URL it has no `instance`. */
function createRefusalProblem(status: number, detail: string, url?: string): Problem {
  const problem = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status }
  return url === undefined ? { ...problem, detail } : { ...problem, instance: pathOf(url), detail }
}

/** Sends a refusal as a problem. `more` is added to its members. */
export function sendProblem(status: number, detail: string, reply: FastifyReply, more: Record<string, unknown> = {}) {
  const problem = { ...createRefusalProblem(status, detail, reply.request.url), ...more }
  setOwnHeaders(reply, bareHeaders('problem'))
  return reply.code(status).send(JSON.stringify(problem))
}

/** The status of a response that a client may ask for again. */
export const BUSY = 503
const RETRY_AFTER_S = 1

/** Sends a refusal outside of any site, as a document or a problem. The document shows `host` (the public host). */
export function sendRefusal(
  status: number,
  message: string,
  reply: FastifyReply,
  host = publicAddress(reply.request).host,
) {
  limitCaching(reply, 'no-store')
  const format = preferredFormat(reply.request.headers)
  if (!FORMATS[format].isDocument) return sendProblem(status, message, reply)
  const visibleError: Refusal = { kind: 'refusal', status, message }
  setOwnHeaders(reply, bareHeaders(format))
  return reply.code(status).send(fallbackDocument(visibleError, { host, search: '' }))
}

/** Refuses a request because the process has too much to do. */
export function sendBusy(reply: FastifyReply) {
  reply.header('retry-after', RETRY_AFTER_S)
  sendRefusal(BUSY, 'The server is busy. Try again in a moment.', reply)
}

// Refusals of requests that never become a request for Fastify or the site.

export interface RawRefusal {
  status: number
  detail: string
}

/** How long the client has to read the response. Data that still arrives is dropped. */
const LINGER_MS = 1_000

/** Writes a refusal to a connection, and closes it. */
export function writeRefusal(socket: Socket, refusal: RawRefusal) {
  socket.end(compose(refusal))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

// The response is always problem+json: the headers with the preference of the client have not been read.
function compose({ status, detail }: RawRefusal): string {
  const problem = createRefusalProblem(status, detail)
  const body = JSON.stringify(problem)
  const headers = { ...bareHeaders('problem'), 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${titleCase(name)}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${problem.title}\r\n${lines.join('')}\r\n${body}`
}

/** Writes the name of a header as Node.js and proxies do for HTTP/1.1. */
function titleCase(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

/** Returns an error as a document in Markdown: a refusal with its message, a failure with its digest. */
export function errorMarkdown(visibleError: ServerError, host: string): string {
  const { status } = visibleError
  const text =
    visibleError.kind === 'refusal' ? escapeText(visibleError.message) : failureMarkdown(visibleError.digest, host)
  return `# ${status} ${STATUS_CODES[status] ?? 'Error'}\n\n${text}\n`
}

/** Returns the sentence of a failure and its digest. */
export function failureMarkdown(digest: string, host: string): string {
  return `${serverSentence(host)}\n\n${digestLine(digest)}`
}

function escapeText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>&#~|]/g, '\\$&')
}
