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
  const target = parseLocal(to, path)
  if (!target) throw createHydrantError('HYD_REDIRECT_OUTSIDE', [showValue(to)])
  const pathname =
    to.startsWith('/') && !isBelow(base, target.pathname) ? withBase(base, target.pathname) : target.pathname
  return collapseSlashes(pathname) + target.search + target.hash
}

/**
 * Returns `text` if `redirect()` accepts it as a path of this site, otherwise `fallback`. It is for a path that comes
 * from the request, such as the page to return to after a sign-in: `redirect(localPath(url.searchParams.get('from'),
 * '/'))`. Anyone can write a link to that page with any text. Never throws.
 *
 * @param text The value from the request. A missing value, an empty text and a value of another type, such as a file
 *   of a form or several values of a query, lead to the fallback. So do the addresses of other sites: those with a
 *   protocol, `//evil.example` and `/\evil.example`, also with control characters in between.
 * @param fallback The path if there is no text that leads to this site. It is not checked.
 */
export function localPath(text: unknown, fallback: string): string {
  return typeof text === 'string' && text !== '' && parseLocal(text, '/') ? text : fallback
}

/** Parses a relative address. Returns null if a browser would leave the site for it. */
function parseLocal(to: string, path: string): URL | null {
  // With the protocol of the placeholder, `http:a` is a path. A browser at an https address reads it as a host.
  if (parseUrl(to)) return null
  // The URL parser of the standard, as in browsers: `/\evil.example` and `/<tab>/evil.example` lead to another host.
  const target = parseUrl(to, SITE + path)
  return target?.origin === SITE ? target : null
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
