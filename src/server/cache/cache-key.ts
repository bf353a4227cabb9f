import { createHash } from 'node:crypto'
import { type CacheRule, describeUnknown, type TaggedPage } from '../build-output/cache-rule.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import type { Format } from '../http/formats.ts'
import { pathOf, plainTarget } from '../http/request-url.ts'
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

/** The most tags of a page. */
const MAX_PAGE_TAGS = 100

/** Returns the tags of a page, as they are sent. Throws HYD_CACHE_TAGS for anything but a list of at most 100 tags. */
export function tagsOf(rule: CacheRule, page: TaggedPage, file: string): readonly string[] {
  const tags = rule.tags(page)
  if (!Array.isArray(tags) || tags.length > MAX_PAGE_TAGS || !tags.every(isTag))
    throw createHydrantError('HYD_CACHE_TAGS', [file, showValue(tags)])
  return [...new Set(tags.map(toStoredTag))]
}

/** Whether a value may be a tag of a page. */
export function isTag(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** The most characters of a site's tag as it is stored and sent. */
const MAX_TAG_LENGTH = 256

/**
 * Returns a tag of a site as it is stored and sent. Everything but visible ASCII characters is percent-encoded, and so are
 * commas: `Cache-Tag` separates tags by commas, and `Surrogate-Key` by spaces. A tag may contain a part of any URL, so
 * the end of a tag that is too long is replaced by the hash of the whole.
 */
export function toStoredTag(tag: string): string {
  // Half of a pair of surrogates cannot be encoded.
  const encoded = tag.replace(/[^!-+\--~]+/g, (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')))
  if (encoded.length <= MAX_TAG_LENGTH) return detach(encoded)
  const end = `~${hashOf(encoded)}`
  return detach(encoded.slice(0, MAX_TAG_LENGTH - end.length).replace(/%.?$/, '') + end)
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
  url: string
  /** The origin at which the visitor sees the site. */
  origin: string
  /** Whether the browser may report failures. */
  mayReport: boolean
}

interface Entry extends Omit<DocumentRequest, 'url'> {
  key: string
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
  find({ route, url, origin, mayReport }: DocumentRequest): string | null {
    const entry = this.#byUrl.get(url)
    if (entry === undefined || entry.route !== route || entry.origin !== origin) return null
    return entry.mayReport === mayReport ? entry.key : null
  }

  /**
   * Keeps a key for the next requests. If a URL is requested at several origins, only the key of the last one is kept.
   */
  add({ url, ...rest }: DocumentRequest, key: string) {
    if (url.length <= MAX_URL_LENGTH) this.#byUrl.set(url, { ...rest, key })
  }
}

/** The stored responses that `invalidate` removes: those with any of these tags, and those of this path. */
export interface Invalidation {
  /** Tags of the export `cache`. An empty text is ignored (none). */
  tags?: readonly string[]
  /**
   * The path of a page as a visitor sees it, with the base: `/shop/products/7`. A query is ignored, so the responses
   * for all queries are removed (none).
   */
  path?: string
}

/** Returns the tags of an invalidation, as they are stored. */
export function tagsToInvalidate({ tags = [], path }: Invalidation): string[] {
  // Tags may come from a visitor. The empty text must not reach the store, where it means all tags.
  const possible = tags.filter(isTag).map(toStoredTag)
  return path === undefined ? possible : [...possible, pathTag(path)]
}

/** What has become of an invalidation when `invalidate` or `clear` resolves. */
export interface InvalidationResult {
  /**
   * True if the store has recorded the invalidation, so that every process which uses the store takes it; also without
   * a store. False if the store is unavailable, or did not respond in time. This process and the other workers of this
   * machine have then removed the pages, and record the invalidation as soon as they can, but other machines may still
   * serve the old ones. The invalidation can be repeated until it is recorded.
   */
  isRecorded: boolean
}

const INVALIDATION_NAMES = ['tags', 'path']

/**
 * Checks the argument of `app.pageCache.invalidate`, because a wrong one would remove nothing and outdated pages would
 * stay. Throws HYD_CACHE_INVALIDATE.
 */
export function checkInvalidation(given: unknown): asserts given is Invalidation {
  const problem = findProblem(given)
  if (problem !== null) throw createHydrantError('HYD_CACHE_INVALIDATE', [problem])
}

function findProblem(given: unknown): string | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return `it must be an object with "tags" or "path"; got ${showValue(given)}`
  const unknownName = Object.keys(given).find((name) => !INVALIDATION_NAMES.includes(name))
  if (unknownName !== undefined) return describeUnknown(unknownName, INVALIDATION_NAMES)
  const { tags, path }: { tags?: unknown; path?: unknown } = given
  if (tags === undefined && path === undefined) return 'it must have "tags" or "path"; got neither'
  if (tags !== undefined && !isTexts(tags)) return `"tags" must be a list of strings; got ${showValue(tags)}`
  if (path !== undefined && !(typeof path === 'string' && path.startsWith('/')))
    return `"path" must be a path that begins with "/"; got ${showValue(path)}`
  return null
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
