import { withBase } from '../shared/paths.ts'
import { createHydrantError, showValue } from './errors.ts'
import { readUrl } from './read-url.ts'

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
  const target = readUrl(to, SITE + path)
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

/**
 * Of a request's target, which may also be a whole URL: the host that it names is not believed. The path is that which is
 * written there, `..` included: a proxy that guards paths has seen no other.
 */
export function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target
  const [, own = ''] = /^https?:\/\/[^/?#]*(.*)$/is.exec(target) ?? []
  return own.startsWith('/') ? own : `/${own}`
}

/** Signs that mean something else when they are decoded: `/`, `?`, `#` and `%`. */
const KEPT = /%(?:2[35f]|3f)/gi
/** A path of other signs is written the same by everybody. */
const UNUSUAL = /[^\w/.~!$&'()*+,;=:@-]/

/**
 * A request's target as a path that is written in one way only: hooks which compare it see the path that the router reads. Of each
 * sign it has what `encodeURI` gives, whether it was encoded or not; codes are in capitals. `%2F`, `%3F`, `%23` and `%25` stay.
 */
export function plainTarget(target: string): string {
  const own = /^https?:/i.test(target) ? pathAndQuery(target) : target
  if (!own.startsWith('/')) return own
  const at = own.search(/[?#]/)
  const path = at === -1 ? own : own.slice(0, at)
  if (!UNUSUAL.test(path)) return own
  try {
    const decoded = decodeURIComponent(path.replace(KEPT, (code) => `%25${code.slice(1).toUpperCase()}`))
    // Each `%` is one of `KEPT`.
    return encodeURI(decoded).replaceAll('%25', '%') + own.slice(path.length)
  } catch {
    // The router refuses it as well.
    return own
  }
}

/**
 * Fastify's `rewriteUrl` for an app of one's own: `Fastify({ rewriteUrl })`. The app's hooks and routes see each path written in
 * one way only. A server of Hydrant's own has it already.
 */
export function rewriteUrl({ url = '' }: { url?: string | undefined }): string {
  return plainTarget(url)
}

/** May the address stand in a Location header? It leads to a web page, or is relative to one. */
export function isWebAddress(to: string): boolean {
  return /^https?:$/.test(readUrl(to, SITE)?.protocol ?? '')
}

/** The address without the slashes at its end, or null when there are none. */
export function withoutTrailingSlash(url: string): string | null {
  const at = url.indexOf('?')
  const path = at === -1 ? url : url.slice(0, at)
  if (path.length < 2 || !path.endsWith('/')) return null
  let end = path.length
  // A pattern for slashes at the end would begin at each of those before.
  while (path[end - 1] === '/') end--
  return (collapseSlashes(path.slice(0, end)) || '/') + (at === -1 ? '' : url.slice(at))
}

// Two slashes (or a backslash) at the beginning would be read as another host, also with what a browser leaves out in between.
function collapseSlashes(path: string): string {
  return path.replace(/^[/\\\p{Cc}]+/u, '/')
}
