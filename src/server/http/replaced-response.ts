// Replaces the response to a navigation that a hook, a load or an action has sent with `reply.send()`.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ACTED_HEADER, NAVIGATION_TYPE, type NavigationLine } from '../../shared/wire/navigation-protocol.ts'
import { isSentOnRedirect, isWebAddress } from '../thrown/redirect-location.ts'
import { setErrorHeaders } from './headers.ts'
import { READ_METHODS } from './page-methods.ts'

export const NAVIGATION_CONTENT = `${NAVIGATION_TYPE}; charset=utf-8`

/** Returns the line that replaces a response which is not Hydrant's; null to send that response. */
export function replacementFor({ method }: FastifyRequest, reply: FastifyReply): NavigationLine | null {
  const to = reply.getHeader('location')
  // `fetch` would follow the redirect: it would load the target a second time, and fail at another origin.
  if (to !== undefined && !READ_METHODS.includes(method) && isWebAddress(String(to))) {
    if (isSentOnRedirect(reply.statusCode, method)) return ['redirect', String(to), 1]
    if (reply.statusCode >= 301 && reply.statusCode <= 303) return ['redirect', String(to)]
  }
  // After an action the browser must not send the form again.
  return reply.hasHeader(ACTED_HEADER) ? null : ['load']
}

/** Drops a response that is replaced, with its headers. A status of 400 or more stays. */
export function dropResponse(payload: unknown, reply: FastifyReply) {
  dropPayload(payload, reply)
  setErrorHeaders(reply)
  reply.type(NAVIGATION_CONTENT)
}

/** Drops the payload of a response that is replaced, and a status below 400. */
export function dropPayload(payload: unknown, reply: FastifyReply) {
  discard(payload)
  // 204, 304 and redirects do not fit a response with a body.
  if (reply.statusCode < 400) reply.code(200)
}

function discard(payload: unknown) {
  if (payload instanceof Readable) payload.destroy()
  else if (payload instanceof ReadableStream) payload.cancel().catch(() => {})
}
