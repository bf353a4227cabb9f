import { withBase } from '../../shared/paths.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { parseUrl } from '../util/parse-url.ts'

/** A placeholder for the site's origin while a path is parsed. The result does not depend on it. */
const SITE = 'http://site.invalid'

/**
 * Returns the Location header for `redirect(to)`. A string stays within the site, whatever a request has put into it;
 * only a URL object leads elsewhere. The base is prepended unless the path has it already, as a path from `href`
 * does. Throws HYD_REDIRECT_OUTSIDE.
 *
 * @param path The request's path, with the base. A relative `to` is resolved against it.
 */
export function redirectLocation(to: string | URL, path: string, base: string): string {
  if (typeof to !== 'string') {
    if (to.protocol === 'http:' || to.protocol === 'https:') return to.href
    throw createHydrantError('HYD_REDIRECT_OUTSIDE', [showValue(to.href)])
  }
  const isRooted = to.startsWith('/')
  // The URL parser of the standard, as in browsers: `/\evil.example` and `/<tab>/evil.example` lead to another host.
  const target = parseUrl(to, SITE + path)
  if (target?.origin !== SITE) throw createHydrantError('HYD_REDIRECT_OUTSIDE', [showValue(to)])
  const pathname = isRooted && !isBelow(base, target.pathname) ? withBase(base, target.pathname) : target.pathname
  return collapseSlashes(pathname) + target.search + target.hash
}

function isBelow(base: string, path: string): boolean {
  return path === base || path.startsWith(`${base}/`)
}

/**
 * Returns the given status, else 302 for GET and HEAD, and 303 for other methods: the browser does not send a form
 * again.
 */
export function redirectStatus(given: number | null, method: string): number {
  return given ?? (method === 'GET' || method === 'HEAD' ? 302 : 303)
}

/** Returns whether a browser that receives this status repeats the request, with its body, at the new location. */
export function isSentOnRedirect(status: number, method: string): boolean {
  return (status === 307 || status === 308) && method !== 'GET' && method !== 'HEAD'
}

/** Returns whether a Location header leads to an http or https address, or is relative. */
export function isWebAddress(to: string): boolean {
  return /^https?:$/.test(parseUrl(to, SITE)?.protocol ?? '')
}

/**
 * Collapses leading slashes: two of them, or a backslash, begin a host name, even with control characters in between.
 */
export function collapseSlashes(path: string): string {
  return path.replace(/^[/\\\p{Cc}]+/u, '/')
}
