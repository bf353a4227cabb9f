import { withBase } from '../../shared/paths.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { parseUrl } from '../util/parse-url.ts'

/** What stands for the site's origin while a path is read; the real one does not matter to a path. */
const SITE = 'http://site.invalid'

/**
 * The Location header for `redirect(to)`. A string stays within the site, whatever a request has put into it; only a
 * URL object leads elsewhere. The base is put before it, unless it is there, as in what `href` gives. Throws HYD_REDIRECT_OUTSIDE.
 *
 * @param path Path of the request, with the base, for what is relative to it.
 */
export function redirectLocation(to: string | URL, path: string, base: string): string {
  if (typeof to !== 'string') {
    if (to.protocol === 'http:' || to.protocol === 'https:') return to.href
    throw createHydrantError('HYD_REDIRECT_OUTSIDE', [showValue(to.href).slice(1, -1)])
  }
  const isRooted = to.startsWith('/')
  // The URL standard's parser, which browsers use: it takes `/\evil.example` and `/<tab>/evil.example` for other hosts.
  const target = parseUrl(to, SITE + path)
  if (target?.origin !== SITE) throw createHydrantError('HYD_REDIRECT_OUTSIDE', [showValue(to).slice(1, -1)])
  const own = isRooted && !isBelow(base, target.pathname) ? withBase(base, target.pathname) : target.pathname
  return collapseSlashes(own) + target.search + target.hash
}

function isBelow(base: string, path: string): boolean {
  return path === base || path.startsWith(`${base}/`)
}

/** The status for `redirect(to)` without one: what has been sent is not sent again. */
export function redirectStatus(given: number | null, method: string): number {
  return given ?? (method === 'GET' || method === 'HEAD' ? 302 : 303)
}

/** Does a browser that gets this status send there what it has sent here? */
export function isSentOnRedirect(status: number, method: string): boolean {
  return (status === 307 || status === 308) && method !== 'GET' && method !== 'HEAD'
}

/** May the address stand in a Location header? It leads to a web page, or is relative to one. */
export function isWebAddress(to: string): boolean {
  return /^https?:$/.test(parseUrl(to, SITE)?.protocol ?? '')
}

// Two slashes (or a backslash) at the beginning would be read as another host, also with what a browser leaves out in between.
export function collapseSlashes(path: string): string {
  return path.replace(/^[/\\\p{Cc}]+/u, '/')
}
