import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { parseUrl } from '../../src/server/util/parse-url.ts'

/**
 * Whether a request names this machine. A page elsewhere can point its own name at a developer's computer and would
 * then read what the browser gets (DNS rebinding); an address of digits it cannot have as its name.
 */
export function isAllowedHost(header: string | undefined, ownHost: string): boolean {
  const name = header === undefined ? undefined : hostName(header)
  if (name === undefined) return false
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0 || name === ownHost.toLowerCase()
}

/** Whether the request comes from a page of this server, or from no page at all. */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin, host } = headers
  if (origin === undefined) return true
  const from = parseUrl(origin)
  return from !== null && from.host === host
}

/**
 * Whether a page that does not come from this machine asks for something, other than by a link that leads here: with an
 * element such as `<script>` it would run, and so read, the site's code. Other ports of this machine are other work of
 * the same developer.
 */
export function isForeign(headers: IncomingHttpHeaders, allowedOrigins: readonly string[]): boolean {
  const { host, origin } = headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate'
  if (origin === undefined) return false
  const from = parseUrl(origin)
  return from === null || from.hostname !== parseUrl(`http://${host}`)?.hostname
}

function hostName(header: string): string | undefined {
  return parseUrl(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '')
}
