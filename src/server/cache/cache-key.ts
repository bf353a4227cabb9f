import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Format } from '../http/negotiate.ts'
import { type PublicAddress, pathOf, plainTarget, publicAddress } from '../http/request-url.ts'
import { createTextCache } from '../util/memoize.ts'

/** The parts of a request that the response of a cached page may depend on. */
export interface KeyedRequest {
  /** The result of `cacheScope`. */
  scope: string
  /** The origin at which the visitor sees the site. */
  origin: string
  format: Format
  /** For a navigation, the number of layouts that the browser keeps; otherwise 0. */
  kept: number
  mayReport: boolean
  /** The path, as it was sent, with the base. */
  path: string
  /** The result of `narrowSearch`. */
  search: string
}

/** What the processes that share a page cache must have in common to share pages. */
export interface ScopeInput {
  buildId: string
  /** The public variables of the environment, which documents contain; null without any. */
  publicEnv: string | null
  /** The option `hosts`. A process that serves any host cannot write pages of one that serves only its own. */
  hosts: readonly string[]
}

/** Returns the part of the keys that all pages of a process have. */
export function cacheScope({ buildId, publicEnv, hosts }: ScopeInput): string {
  return hashOf(JSON.stringify([buildId, publicEnv, [...hosts].sort()]))
}

/** The longest end of a key. Of a longer one, which a client can send at will, the key has a hash. */
const MAX_TARGET_LENGTH = 256

/** Returns the key of a response. Two requests with the same key get the same response. */
export function documentKey({ scope, origin, format, kept, mayReport, path, search }: KeyedRequest): string {
  const target = path + search
  // A path begins with a slash, and no hash does.
  const end = target.length > MAX_TARGET_LENGTH ? hashOf(target) : target
  return detach(`${scope} ${origin} ${format}${kept}${mayReport ? '' : '-'} ${end}`)
}

/** Returns an equal text that is no part of another one: a part of a URL keeps the whole URL in the memory. */
function detach(text: string): string {
  return Buffer.from(text).toString()
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Returns a query with the listed parameters only, in their order, with its question mark; empty for none. */
export function narrowSearch(search: string, names: readonly string[]): string {
  if (search === '' || names.length === 0) return ''
  const given = new URLSearchParams(search)
  const kept = new URLSearchParams()
  for (const name of names) for (const value of given.getAll(name)) kept.append(name, value)
  return kept.size === 0 ? '' : `?${kept}`
}

/** Returns the values of a query by their names: a string, or a list for a name that is repeated. */
export function queryOf(search: string): Record<string, string | string[]> {
  // `Object.create` is typed as `any`.
  const query = Object.create(null) as Record<string, string | string[]>
  const given = new URLSearchParams(search)
  for (const name of given.keys()) {
    const values = given.getAll(name)
    query[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return query
}

/** The most characters of a site's tag as it is stored and sent. */
const MAX_TAG_LENGTH = 256

/** Percent-encodes a site's tag. As it may have a part of any URL, a hash replaces the end of one that is too long. */
export function toStoredTag(tag: string): string {
  const encoded = encodeTag(tag)
  if (encoded.length <= MAX_TAG_LENGTH) return detach(encoded)
  const end = `~${hashOf(encoded)}`
  return detach(encoded.slice(0, MAX_TAG_LENGTH - end.length).replace(/%.?$/, '') + end)
}

/** Encodes all but visible ASCII, and the commas and spaces that separate `Cache-Tag` and `Surrogate-Key`. */
function encodeTag(tag: string): string {
  // Half of a pair of surrogates cannot be encoded.
  return tag.replace(/[^!-+\--~]+/g, (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')))
}

/** Returns the tag that every response for a path has. `path` is relative to the origin; its query is left out. */
export function pathTag(path: string): string {
  // Paths that differ only in their encoding lead to the same page.
  return toStoredTag(`path:${plainTarget(pathOf(path.replace(/^\/*/, '/')))}`)
}

/** The parts of a request that determine the key of a document in this process, as they were sent. */
export interface DocumentRequest {
  /** The route that the router has found. */
  route: string
  request: Pick<FastifyRequest, 'url' | 'protocol' | 'host'>
  mayReport: boolean
}

export interface KnownKey {
  key: string
  /** The origin at which the visitor sees the site. */
  address: PublicAddress
}

interface Entry extends KnownKey {
  route: string
  protocol: string
  host: string
  mayReport: boolean
}

const MAX_KEYS = 1_000
/** The keys of longer URLs are not kept: they are rare, and a client could fill the memory with them. */
const MAX_URL_LENGTH = 256

/**
 * The keys of documents, by the URL of the request. A key depends only on a
 * `DocumentRequest`, so an entry never becomes invalid.
 *
 * perf: making a key reads the query, joins eight strings and hashes the result for the look-up, 1.3 µs less for each
 * request, decision 053
 */
export class KnownKeys {
  #byUrl = createTextCache<Entry>(MAX_KEYS)

  /** Returns the key of an equal request; null if it is not known. */
  find({ route, request, mayReport }: DocumentRequest): KnownKey | null {
    const entry = this.#byUrl.get(request.url)
    if (entry === undefined || entry.route !== route || entry.mayReport !== mayReport) return null
    return entry.host === request.host && entry.protocol === request.protocol ? entry : null
  }

  /** Keeps a key for the next requests; for a URL under several hosts, only that of the last one. */
  add({ route, request, mayReport }: DocumentRequest, key: string) {
    const { url, protocol, host } = request
    if (url.length > MAX_URL_LENGTH) return
    this.#byUrl.set(url, { route, protocol, host, mayReport, key, address: publicAddress(request) })
  }
}
