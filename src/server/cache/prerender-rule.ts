import { createExportError } from '../errors/export-error.ts'
import { showValue } from '../errors/hydrant-error.ts'
import type { CacheRule } from './cache-rule.ts'

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
