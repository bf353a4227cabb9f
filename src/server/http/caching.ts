// What caches may do with an answer. Hooks of the site, of the app around it and of plugins may set headers when all else has
// been done (session plugins set their cookies then), so the last word is said where Node.js writes the headers.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** What a page without a Cache-Control of its own says: ask again each time, and keep it to this visitor. */
export const REVALIDATE = 'private, no-cache'
export const NO_STORE = 'no-store'

/** `private` keeps an answer to its visitor, `no-store` keeps it out of every cache. */
export type CacheLimit = 'private' | 'no-store'

const limits = new WeakMap<ServerResponse, CacheLimit>()

/** Holds whatever is set later. A limit is never widened. */
export function limitCaching({ raw }: FastifyReply, limit: CacheLimit) {
  if (limits.get(raw) !== 'no-store') limits.set(raw, limit)
}

/** Holds what `Cache-Control` says now, unless it lets others have the answer. */
export function limitCachingAsSaid(reply: FastifyReply) {
  const value = String(reply.getHeader('cache-control'))
  if (NOT_SHARED.test(value)) limitCaching(reply, NOT_STORED.test(value) ? 'no-store' : 'private')
}

interface Look {
  name: string
  take(values: readonly string[]): void
}

const looks = new WeakMap<ServerResponse, Look>()

/** Shows a header as it goes out; empty for none. */
export function lookAtHeaders({ raw }: FastifyReply, name: string, take: Look['take']) {
  looks.set(raw, { name, take })
}

/** Has the last word on the caching of an answer. To be called before anything else may be called when headers are written. */
export function guardCaching(raw: ServerResponse) {
  // A middleware of the app around the site has wrapped it before, and may set cookies behind what is put in front of it here.
  if (Object.hasOwn(raw, 'writeHead') && !guards.has(raw.writeHead)) guardCookies(raw)
  raw.writeHead = guarded(raw.writeHead)
}

function guardCookies(raw: ServerResponse) {
  for (const method of ['setHeader', 'appendHeader'] as const) {
    const original = raw[method]
    raw[method] = function set(this: ServerResponse, name: string, value: never) {
      original.call(this, name, value)
      if (String(name).toLowerCase() === COOKIE) keepLimit(this, limits.get(this) ?? 'private')
      return this
    }
  }
}

type WriteHead = ServerResponse['writeHead']
type GivenHeaders = OutgoingHttpHeaders | readonly unknown[] | undefined

// There is one for each kind of response: Node's own, and the one that `inject` makes.
const guards = new WeakMap<WriteHead, WriteHead>()

function guarded(original: WriteHead): WriteHead {
  const known = guards.get(original)
  if (known) return known
  function writeHead(this: ServerResponse, status: number, reason?: string | GivenHeaders, headers?: GivenHeaders) {
    const given = typeof reason === 'string' ? headers : (reason ?? headers)
    const look = looks.get(this)
    look?.take(valuesOf(look.name, this, given))
    const limit = limits.get(this) ?? (setsCookie(this, given) ? 'private' : undefined)
    // Passed on as they came: Node.js knows each form of them.
    if (limit === undefined) return Reflect.apply(original, this, [status, reason, headers])
    takeHeaders(this, given)
    keepLimit(this, limit)
    return Reflect.apply(original, this, typeof reason === 'string' ? [status, reason] : [status])
  }
  // Overloads of one function.
  const guard = writeHead as WriteHead
  guards.set(original, guard)
  // A request that goes through the router twice has it already.
  guards.set(guard, guard)
  return guard
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
  const own = pairs.filter(([key, value]) => key.toLowerCase() === name && value !== undefined)
  const values = own.length > 0 ? own.flatMap(([, value]) => value) : [raw.getHeader(name) ?? []].flat()
  return values.map(String)
}

/** Sets on the response itself what `writeHead` has been given. */
function takeHeaders(raw: ServerResponse, given: GivenHeaders) {
  // Node.js checks their values.
  type Value = Parameters<ServerResponse['setHeader']>[1]
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries(given ?? {})) raw.setHeader(name, value as Value)
    return
  }
  const pairs = pairsOf(given)
  for (const [name] of pairs) raw.removeHeader(name)
  for (const [name, value] of pairs) raw.appendHeader(name, value as string)
}

// Node.js takes names and values in turn, or in pairs.
function pairsOf(given: readonly unknown[]): [name: string, value: unknown][] {
  if (Array.isArray(given[0]))
    return given.map((pair: unknown) => [String((pair as string[])[0]), (pair as unknown[])[1]])
  return given.flatMap((name, index) => (index % 2 === 0 ? [[String(name), given[index + 1]]] : []))
}

function keepLimit(raw: ServerResponse, limit: CacheLimit) {
  const value = String(raw.getHeader('cache-control'))
  const isKept = limit === 'no-store' ? NOT_STORED.test(value) : NOT_SHARED.test(value)
  if (!isKept || SHARED.test(value)) raw.setHeader('cache-control', limit === 'no-store' ? NO_STORE : REVALIDATE)
  for (const name of raw.getHeaderNames()) if (saysMore(name, raw.getHeader(name))) raw.removeHeader(name)
}

// With a value of its own, `private="set-cookie"` speaks of that header only.
const NOT_STORED = /(?:^|,)\s*no-store\s*(?:,|$)/i
const NOT_SHARED = /(?:^|,)\s*(?:no-store|private)\s*(?:,|$)/i
const SHARED = /\bpublic\b|\bs-maxage\b/i

/**
 * Headers that some caches obey before `Cache-Control`: those for one kind of cache (https://www.rfc-editor.org/rfc/rfc9213 and
 * what there was before it), and those of HTTP/1.0.
 */
const BESIDE_CACHE_CONTROL = /^(?:.+-cache-control|surrogate-control|edge-control|x-accel-expires|expires|pragma)$/i
const SAYS_NOTHING = /^\s*(?:0|-1|no-cache|max-age=0)\s*$/i

/** Is it such a header? */
export function isForSomeCaches(name: string): boolean {
  return BESIDE_CACHE_CONTROL.test(name)
}

/** Is it such a header, and does it let a cache keep the answer? */
export function saysMore(name: string, value: unknown): boolean {
  if (!isForSomeCaches(name)) return false
  const text = String(value)
  // What is no date is in the past (https://www.rfc-editor.org/rfc/rfc9111#section-5.3).
  if (name.toLowerCase() === 'expires') return Date.parse(text) > Date.now()
  return !NOT_SHARED.test(text) && !SAYS_NOTHING.test(text)
}
