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

/**
 * Of a request's target, which may also be a whole URL: the host that it names is not believed. The path is that which is
 * written there, `..` included: a proxy that guards paths has seen no other.
 */
export function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target
  const [, own = ''] = /^https?:\/\/[^/?#]*(.*)$/is.exec(target) ?? []
  return own.startsWith('/') ? own : `/${own}`
}

const NO_CODE = /%(?![\da-f]{2})/i
const ENCODED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi

/**
 * A request's target as a path, with letters, digits, `-`, `.`, `_` and `~` as they are, whoever has encoded them
 * (https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2): hooks that read it see the path that the router reads.
 */
export function plainTarget(target: string): string {
  const own = /^https?:/i.test(target) ? pathAndQuery(target) : target
  if (!own.startsWith('/') || !own.includes('%')) return own
  const at = own.search(/[?#]/)
  const path = at === -1 ? own : own.slice(0, at)
  // What is no code stays none: `%6%31` is refused by the router, and must not become `%61`.
  if (NO_CODE.test(path)) return own
  return path.replace(ENCODED, decodeURIComponent) + own.slice(path.length)
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
