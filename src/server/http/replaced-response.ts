// The headers of responses to navigations, and what replaces a response that a hook, a load or an action has sent with
// `reply.send()`.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ACTED_HEADER, NAVIGATION_TYPE, type NavigationLine } from '../../shared/wire/navigation-protocol.ts'
import { isSentOnRedirect, isWebAddress } from '../thrown/redirect-location.ts'
import { limitCaching, removeCacheHeaders } from './caching.ts'
import { setErrorHeaders } from './headers.ts'
import { READ_METHODS } from './page-methods.ts'

export const NAVIGATION_CONTENT = `${NAVIGATION_TYPE}; charset=utf-8`

/**
 * Some caches leave the query out of their key, and some read other headers before `Cache-Control`. nginx reads
 * `X-Accel-Expires`.
 */
const UNCACHED = {
  'cache-control': 'private, no-store',
  'cdn-cache-control': 'no-store',
  'surrogate-control': 'no-store',
  'x-accel-expires': '0',
}

/**
 * Forbids every cache to store the response to a navigation, whatever a load, a hook or a middleware has set. A cache
 * could serve it in place of the page.
 */
export function forbidCaching(reply: FastifyReply) {
  removeCacheHeaders(reply)
  reply.headers(UNCACHED)
  limitCaching(reply, 'no-store')
}

const ownResponses = new WeakSet<FastifyReply>()

/** Marks a response to a navigation as Hydrant's: see `isOwnResponse`. */
export function markAsOwn(reply: FastifyReply) {
  ownResponses.add(reply)
}

/** Returns false for a response that a hook, a load or an action has sent with `reply.send()`. */
export function isOwnResponse(reply: FastifyReply): boolean {
  return ownResponses.has(reply)
}

const sentCookies = new WeakMap<FastifyReply, string>()

/** Remembers the cookies of a response to a navigation, when the hooks that may set cookies have run. */
export function rememberCookies(reply: FastifyReply) {
  sentCookies.set(reply, readCookies(reply))
}

/** Returns whether the hooks have run. The headers may have been sent. */
export function haveHooksRun(reply: FastifyReply): boolean {
  return sentCookies.has(reply)
}

/** Returns whether a cookie was set after the hooks have run, so that it is not sent. */
export function hasLateCookie(reply: FastifyReply): boolean {
  const sent = sentCookies.get(reply)
  return sent !== undefined && readCookies(reply) !== sent
}

// The result is a text, because Fastify returns its own array and later appends to it.
function readCookies(reply: FastifyReply): string {
  return String(reply.getHeader('set-cookie'))
}

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
