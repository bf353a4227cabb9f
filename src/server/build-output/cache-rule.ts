import { createExportError, showValue } from '../errors/hydrant-error.ts'
import { closestMatch } from '../util/closest-match.ts'

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

/** The export `prerender` of a page. */
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
