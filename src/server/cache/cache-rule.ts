import { createExportError, createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { closestMatch } from '../util/closest-match.ts'
import { toStoredTag } from './cache-key.ts'

/** The export `cache` of a page's server file, with its defaults. */
export interface CacheRule {
  /** Milliseconds for which a stored response is fresh. */
  freshMs: number
  /** Milliseconds after `freshMs` for which a stored response is still served, while a new one is rendered. */
  staleMs: number
  /** True for a prerendered page: its stored responses never expire. The two times then only apply to shared caches. */
  isPermanent?: true
  /** The query parameters that the page reads. No other parameter is visible to the loads. */
  search: readonly string[]
  /** Returns the tags of a response. */
  tags(page: TaggedPage): unknown
}

/** The argument of `tags`. */
export interface TaggedPage {
  /** The output of the schema `params`; without one, the parameters of the path. */
  params: unknown
  /** The output of the schema `search`; without one, the values of the listed parameters. */
  search: unknown
}

const NAMES = ['maxAgeS', 'staleS', 'tags', 'search']
const YEAR_S = 31_536_000
const MAX_PAGE_TAGS = 100

/** Reads the export `cache` of a server file; null if there is none. Throws HYD_CACHE_INVALID. */
export function readCacheRule(exports: Readonly<Record<string, unknown>>, file: string): CacheRule | null {
  const { cache } = exports
  if (cache === undefined) return null
  const refuse = (problem: string) => createExportError('HYD_CACHE_INVALID', [file, problem], { file, name: 'cache' })
  if (typeof cache !== 'object' || cache === null || Array.isArray(cache))
    throw refuse(`it must be an object; got ${showValue(cache)}`)
  const given: Readonly<Record<string, unknown>> = { ...cache }
  for (const name in given) if (!NAMES.includes(name)) throw refuse(describeUnknown(name, NAMES))
  const { maxAgeS, staleS = 0, tags = [], search = [] } = given
  if (!isSeconds(maxAgeS))
    throw refuse(`"maxAgeS" must be a number of seconds from 0 to ${YEAR_S}; got ${showValue(maxAgeS)}`)
  if (!isSeconds(staleS))
    throw refuse(`"staleS" must be a number of seconds from 0 to ${YEAR_S}; got ${showValue(staleS)}`)
  if (!isNames(search)) throw refuse(`"search" must be a list of names of query parameters; got ${showValue(search)}`)
  if (typeof tags !== 'function' && !Array.isArray(tags))
    throw refuse(`"tags" must be a list of strings, or a function that returns one; got ${showValue(tags)}`)
  return {
    freshMs: maxAgeS * 1_000,
    staleMs: staleS * 1_000,
    search,
    tags: typeof tags === 'function' ? (page) => tags(page) : () => tags,
  }
}

/** Says that an object has a property that is not one of the known ones. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const closest = closestMatch(name, known)
  const hint = closest ? `did you mean "${closest}"?` : `it may have ${known.join(', ')}`
  return `it has the unknown property "${name}"; ${hint}`
}

const isSeconds = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= YEAR_S

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

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

export interface PrerenderRule {
  /** The file with the export. */
  file: string
  /** The site's function that returns the addresses; null for a page without parameters. */
  list: (() => unknown) | null
}

/**
 * The rule for storing the responses of prerendered pages. They never expire in this process. Shared caches may keep
 * them for a minute, because shared caches do not learn that another build is served.
 */
export const PERMANENT: CacheRule = {
  freshMs: 60_000,
  staleMs: 600_000,
  isPermanent: true,
  search: [],
  tags: () => [],
}

interface PageExports {
  file: string
  exports: Readonly<Record<string, unknown>>
}

/**
 * Reads the export `prerender` of a page: of its server file or, with the value `true`, of its module. Returns null if
 * there is none. Throws HYD_PRERENDER_INVALID.
 *
 * @param hasParams Whether the path of the page has parameters.
 */
export function readPrerenderRule(server: PageExports, page: PageExports, hasParams: boolean): PrerenderRule | null {
  const { file, exports } = server.exports.prerender === undefined ? page : server
  const { prerender } = exports
  if (prerender === undefined) return null
  const refuse = (problem: string) =>
    createExportError('HYD_PRERENDER_INVALID', [file, problem], { file, name: 'prerender' })
  if (typeof prerender === 'function') {
    if (file === page.file) throw refuse('a function must be in the server file, because the page runs in the browser')
    return { file, list: () => prerender() }
  }
  if (prerender !== true) throw refuse(`it must be true or a function; got ${showValue(prerender)}`)
  if (hasParams) throw refuse('the path of the page has parameters, so it must be a function that lists their values')
  return { file, list: null }
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
