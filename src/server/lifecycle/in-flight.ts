import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { pathOf } from '../http/request-url.ts'
import { replyOf } from '../log/request-log.ts'
import { countOf } from '../log/throttled-line.ts'
import { createRedactor } from '../redaction/redact.ts'

const MAX_NAMED = 10
const MAX_PATH = 200

/**
 * Says why a server has not stopped in time. It names the requests in flight on its connections, the oldest first. It
 * leaves out those that wait for another one on their connection.
 */
export function describeDelay(sockets: readonly Socket[], maxMs: number): string {
  const replies = sockets.map(currentReply).filter((reply) => reply !== null)
  if (replies.length === 0)
    return `the server did not stop within ${maxMs} ms, although no request is in flight (${countOf(sockets.length, 'open connection')})`
  replies.sort((a, b) => b.elapsedTime - a.elapsedTime)
  const named = replies.slice(0, MAX_NAMED).map(describe).join(', ')
  const more = replies.length > MAX_NAMED ? ` and ${replies.length - MAX_NAMED} more` : ''
  return `requests in flight were not finished within ${maxMs} ms: ${named}${more}`
}

function currentReply(socket: Socket): FastifyReply | null {
  // Node.js keeps the current response in `_httpMessage` and offers no public way to read it.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null }
  return response ? replyOf(response) : null
}

function describe({ request, elapsedTime }: FastifyReply): string {
  const { method, headers, originalUrl } = request
  const path = createRedactor(headers)(pathOf(originalUrl), { maxLength: MAX_PATH })
  return `${method} ${path} for ${Math.round(elapsedTime)} ms`
}
