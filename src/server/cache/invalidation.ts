import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { describeUnknown } from './cache-rule.ts'

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

const NAMES = ['tags', 'path']

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
  const unknownName = Object.keys(given).find((name) => !NAMES.includes(name))
  if (unknownName !== undefined) return describeUnknown(unknownName, NAMES)
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
