import type { PrerenderRule } from '../../../src/server/cache/prerender-rule.ts'
import { showValue } from '../../../src/server/errors/hydrant-error.ts'
import { createDeadline, DEADLINE } from '../../../src/server/util/deadline.ts'
import { messageOf } from '../../../src/server/util/message-of.ts'
import { href, NO_PAGE_PATH } from '../../../src/shared/href.ts'
import { compareText } from '../../build-problem.ts'

/** The time for the function `prerender`, long enough to read the list of a large site from a slow service. */
const LIST_MS = 60_000

export type Addresses = { paths: readonly string[] } | { problem: string }

/**
 * Lists the addresses of a page that the build renders: sorted, spelled as a browser sends them, and without the base.
 * Never rejects. A problem is the end of a sentence.
 *
 * @param id The page's route: `/products/[id]`.
 * @param base The base, which is removed from the paths that `href` has returned.
 * @param maxMs The time that the function may take, in milliseconds.
 */
export async function listAddresses(
  id: string,
  { list }: PrerenderRule,
  base: string,
  maxMs = LIST_MS,
): Promise<Addresses> {
  if (list === null) return { paths: [toPath(id, {})] }
  let listed: unknown
  const deadline = createDeadline(maxMs)
  try {
    listed = await Promise.race([list(), deadline.passed])
  } catch (error) {
    return { problem: `the function threw: ${messageOf(error)}` }
  } finally {
    deadline.clear()
  }
  if (listed === DEADLINE) return { problem: `the function has not returned within ${maxMs / 1_000} s` }
  if (!Array.isArray(listed)) return { problem: `the function must return a list; got ${showValue(listed)}` }
  const paths = new Set<string>()
  for (const item of listed) {
    const read = readAddress(id, item, base)
    if ('problem' in read) return read
    paths.add(read.path)
  }
  return { paths: [...paths].sort(compareText) }
}

// The type of `href` knows only the routes of this program. It checks the values itself.
const toPath = href as (route: string, params: object) => string

function readAddress(id: string, item: unknown, base: string): { path: string } | { problem: string } {
  if (typeof item === 'string') {
    // A path of a page has no host, no query and no fragment.
    const isPath = /^\/(?!\/)[^?#\\]*$/.test(item)
    const wanted = 'an address must be a path such as "/products/7", without a query'
    if (!isPath) return { problem: `${wanted}; got ${showValue(item)}` }
    const { pathname } = new URL(item, 'http://localhost')
    return { path: base !== '/' && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname }
  }
  const params = typeof item === 'object' && item !== null ? Reflect.get(item, 'params') : undefined
  if (typeof params !== 'object' || params === null)
    return { problem: `an address must be a path or { params }; got ${showValue(item)}` }
  try {
    const path = toPath(id, params)
    return path === NO_PAGE_PATH
      ? { problem: `no URL of the page can have the params ${JSON.stringify(params)}` }
      : { path }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
