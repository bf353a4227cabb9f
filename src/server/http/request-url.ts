import { collapseSlashes } from '../thrown/redirect-location.ts'

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
