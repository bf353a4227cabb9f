// Decides what caches may do with a response. Hooks of the site, the app and plugins can set headers after everything
// else (session plugins set their cookies then), so the decision is made where Node.js writes the headers. See
// docs/decisions/032-last-word-on-caching.md.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/**
 * The Cache-Control of a page that sets none: caches must revalidate each time, and shared caches must not store it.
 */
export const REVALIDATE = 'private, no-cache'
export const NO_STORE = 'no-store'
const PRIVATE_NO_STORE = 'private, no-store'

/** `private` keeps a response out of shared caches, `no-store` out of every cache. */
export type CacheLimit = 'private' | 'no-store'

const LIMIT = Symbol('limit')

/** perf: a property of the response, 0.5 µs less than an entry in a `WeakMap`, decision 053 */
interface LimitedResponse extends ServerResponse {
  [LIMIT]?: CacheLimit
}

/** Limits the caching of a response, whatever headers are set later. A limit is never widened. */
export function limitCaching({ raw }: { raw: LimitedResponse }, limit: CacheLimit) {
  if (raw[LIMIT] !== 'no-store') raw[LIMIT] = limit
}

/** Limits the caching of a redirect to its `Cache-Control`, unless that allows shared caches (no cache may store it). */
export function limitRedirect(reply: FastifyReply) {
  // A load that set headers for one kind of cache meant the page, not the redirect.
  removeCacheHeaders(reply)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', NO_STORE)
  const value = String(reply.getHeader('cache-control'))
  if (NOT_SHARED.test(value)) limitCaching(reply, NOT_STORED.test(value) ? 'no-store' : 'private')
}

/** Keeps a response out of every cache, because a part of it belongs to the visitor. */
export function keepPrivate(reply: FastifyReply) {
  reply.header('cache-control', PRIVATE_NO_STORE)
  limitCaching(reply, 'no-store')
}

/**
 * Keeps a response out of shared caches: one that ignores `Vary` would serve it to clients that ask for another form of
 * the page.
 */
export function keepFromSharedCaches(reply: FastifyReply) {
  limitCaching(reply, 'private')
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', REVALIDATE)
}

/**
 * Keeps a page with guards out of browsers' caches, unless a hook or a guard has set a `Cache-Control` without shared caches.
 * The Back button would show it after the visitor has signed out: browsers do not revalidate for it. Call it before the
 * loads, which may set another value.
 */
export function keepFromHistory(reply: FastifyReply) {
  if (reply.hasHeader('cache-control') && !allowsSharedCache(reply)) return
  // A hook that sets them for all pages does not mean those with guards.
  removeCacheHeaders(reply)
  reply.header('cache-control', PRIVATE_NO_STORE)
}

/** Whether the site's own headers allow a shared cache, such as a CDN, to store the response. */
export function allowsSharedCache(reply: FastifyReply): boolean {
  const { [CACHE_CONTROL]: value, ...others } = reply.getHeaders()
  const isShared = value !== undefined && limitValue(value, 'private') !== value
  return isShared || Object.entries(others).some(([name, other]) => allowsSomeCache(name, other))
}

/** Removes the headers that override `Cache-Control` in some caches. */
export function removeCacheHeaders(reply: FastifyReply) {
  for (const name of Object.keys(reply.getHeaders())) if (BESIDE_CACHE_CONTROL.test(name)) reply.removeHeader(name)
}

interface HeaderListener {
  name: string
  onValues(values: readonly string[], status: number): void
}

const listeners = new WeakMap<ServerResponse, HeaderListener>()

/**
 * Calls `onValues` with the values of a header, and the status, when they are sent. The list is empty if the header is
 * not set.
 */
export function onHeaderSent({ raw }: FastifyReply, name: string, onValues: HeaderListener['onValues']) {
  listeners.set(raw, { name, onValues })
}

/** Removes the listener of `onHeaderSent`, because another response is sent in place of the one that it is for. */
export function ignoreHeaders(raw: ServerResponse) {
  listeners.delete(raw)
}

/**
 * Enforces the caching limits when the headers of a response are written. Call it before any other code can replace
 * `writeHead`.
 */
export function guardCaching(raw: ServerResponse) {
  // A middleware of the app has replaced `writeHead` already. It can set cookies after the guard below has run.
  if (Object.hasOwn(raw, 'writeHead') && !guards.has(raw.writeHead)) guardCookies(raw)
  raw.writeHead = guards.get(raw.writeHead) ?? createGuard(raw.writeHead)
}

function guardCookies(raw: ServerResponse) {
  for (const method of ['setHeader', 'appendHeader'] as const) {
    const original = raw[method]
    raw[method] = function set(this: LimitedResponse, name: string, value: never) {
      original.call(this, name, value)
      if (String(name).toLowerCase() === COOKIE) keepLimit(this, this[LIMIT] ?? 'private')
      return this
    }
  }
}

type WriteHead = ServerResponse['writeHead']
type GivenHeaders = OutgoingHttpHeaders | readonly unknown[] | undefined

/** The guard of each `writeHead`: Node's own, and that of the responses of `inject`. */
const guards = new WeakMap<WriteHead, WriteHead>()

function createGuard(original: WriteHead): WriteHead {
  function writeHead(this: LimitedResponse, status: number, reason?: string | GivenHeaders, headers?: GivenHeaders) {
    const given = typeof reason === 'string' ? headers : (reason ?? headers)
    const listener = listeners.get(this)
    listener?.onValues(valuesOf(listener.name, this, given), status)
    const limit = this[LIMIT] ?? (setsCookie(this, given) ? 'private' : undefined)
    // Node.js accepts the arguments in each form.
    if (limit === undefined) return Reflect.apply(original, this, [status, reason, headers])
    const isText = typeof reason === 'string'
    // perf: Fastify gives all headers of most responses, 5 µs less than setting each one, commit 3ed7a4b7
    if (isObject(given) && this.getHeaderNames().length === 0) {
      const limited = limitHeaders(given, limit)
      return Reflect.apply(original, this, isText ? [status, reason, limited] : [status, limited])
    }
    takeHeaders(this, given)
    keepLimit(this, limit)
    return Reflect.apply(original, this, isText ? [status, reason] : [status])
  }
  // TypeScript cannot express the overloads of `writeHead` as one function.
  const guard = writeHead as WriteHead
  guards.set(original, guard)
  // A request that goes through the router twice has the guard already.
  guards.set(guard, guard)
  return guard
}

function isObject(given: GivenHeaders): given is OutgoingHttpHeaders {
  return given !== undefined && !Array.isArray(given)
}

const COOKIE = 'set-cookie'

function setsCookie(raw: ServerResponse, given: GivenHeaders): boolean {
  if (raw.hasHeader(COOKIE)) return true
  if (Array.isArray(given)) return pairsOf(given).some(([name]) => name.toLowerCase() === COOKIE)
  for (const name in given) if (name.length === COOKIE.length && name.toLowerCase() === COOKIE) return true
  return false
}

function valuesOf(name: string, raw: ServerResponse, given: GivenHeaders): string[] {
  const pairs = Array.isArray(given) ? pairsOf(given) : Object.entries(given ?? {})
  const matching = pairs.filter(([key, value]) => key.toLowerCase() === name && value !== undefined)
  const values = matching.length > 0 ? matching.flatMap(([, value]) => value) : [raw.getHeader(name) ?? []].flat()
  return values.map(String)
}

/** Sets the headers that `writeHead` was called with on the response itself. */
function takeHeaders(raw: ServerResponse, given: GivenHeaders) {
  // Node.js validates the values.
  type Value = Parameters<ServerResponse['setHeader']>[1]
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries(given ?? {})) raw.setHeader(name, value as Value)
    return
  }
  const pairs = pairsOf(given)
  for (const [name] of pairs) raw.removeHeader(name)
  for (const [name, value] of pairs) raw.appendHeader(name, value as string)
}

// Node.js accepts a flat list of names and values, or a list of pairs.
function pairsOf(given: readonly unknown[]): [name: string, value: unknown][] {
  if (Array.isArray(given[0]))
    return given.map((pair: unknown) => [String((pair as string[])[0]), (pair as unknown[])[1]])
  return given.flatMap((name, index) => (index % 2 === 0 ? [[String(name), given[index + 1]]] : []))
}

function keepLimit(raw: ServerResponse, limit: CacheLimit) {
  raw.setHeader('cache-control', limitValue(raw.getHeader('cache-control'), limit))
  for (const name of raw.getHeaderNames()) if (allowsSomeCache(name, raw.getHeader(name))) raw.removeHeader(name)
}

/** Returns headers that keep to a limit: the given ones if they do. */
function limitHeaders(given: OutgoingHttpHeaders, limit: CacheLimit): OutgoingHttpHeaders {
  if (keepsLimit(given, limit)) return given
  const limited: OutgoingHttpHeaders = {}
  let cacheControl: unknown
  for (const name in given) {
    if (isCacheControl(name)) cacheControl = given[name]
    else if (!allowsSomeCache(name, given[name])) limited[name] = given[name]
  }
  limited[CACHE_CONTROL] = limitValue(cacheControl, limit)
  return limited
}

// perf: most responses keep to their limit and need no new object, 0.3 µs instead of 0.4 µs, commit 8d8d4fde
function keepsLimit(given: OutgoingHttpHeaders, limit: CacheLimit): boolean {
  if (limitValue(given[CACHE_CONTROL], limit) !== given[CACHE_CONTROL]) return false
  for (const name in given) {
    if (name !== CACHE_CONTROL && (isCacheControl(name) || allowsSomeCache(name, given[name]))) return false
  }
  return true
}

const CACHE_CONTROL = 'cache-control'

function isCacheControl(name: string): boolean {
  return name.length === CACHE_CONTROL.length && name.toLowerCase() === CACHE_CONTROL
}

/** Returns a `Cache-Control` that keeps to a limit: the given one if it does. */
function limitValue(cacheControl: unknown, limit: CacheLimit): string {
  const value = String(cacheControl)
  const isKept = limit === 'no-store' ? NOT_STORED.test(value) : NOT_SHARED.test(value)
  return isKept && !SHARED.test(value) ? value : limit === 'no-store' ? NO_STORE : REVALIDATE
}

// `private="set-cookie"` does not match: it restricts only that header.
const NOT_STORED = /(?:^|,)\s*no-store\s*(?:,|$)/i
const NOT_SHARED = /(?:^|,)\s*(?:no-store|private)\s*(?:,|$)/i
const SHARED = /\bpublic\b|\bs-maxage\b/i

/**
 * Headers that override `Cache-Control` in some caches: targeted headers (https://www.rfc-editor.org/rfc/rfc9213),
 * their older forms, and the headers of HTTP/1.0.
 */
const BESIDE_CACHE_CONTROL = /^(?:.+-cache-control|surrogate-control|edge-control|x-accel-expires|expires|pragma)$/i
const SAYS_NOTHING = /^\s*(?:0|-1|no-cache|max-age=0)\s*$/i

/** Whether a header overrides `Cache-Control` in some caches and allows them to store the response. */
export function allowsSomeCache(name: string, value: unknown): boolean {
  if (!BESIDE_CACHE_CONTROL.test(name)) return false
  const text = String(value)
  // A value that is not a date counts as past (https://www.rfc-editor.org/rfc/rfc9111#section-5.3).
  if (name.toLowerCase() === 'expires') return Date.parse(text) > Date.now()
  return !NOT_SHARED.test(text) && !SAYS_NOTHING.test(text)
}
