import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { isServedHost } from '../../../src/server/guards/refused-requests.ts'
import { fetchSiteOf } from '../../../src/server/http/request-url.ts'
import { isHostName, parseUrl } from '../../../src/server/util/addresses.ts'

/**
 * Returns whether a site may be requested under the host of a request: localhost, an IP address, the host to listen on, or
 * one of `hosts`. Prevents DNS rebinding: a foreign page can resolve its own host name to the developer's machine and then
 * read the responses. It cannot do so with an IP address as its host.
 */
export function isAllowedHost(header: string | undefined, listenHost: string, hosts: readonly string[] = []): boolean {
  const name = header === undefined ? undefined : hostName(header)
  if (name === undefined) return false
  if (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0) return true
  return isServedHost(
    name,
    [listenHost, ...hosts].map((host) => host.toLowerCase()),
  )
}

/** Explains a host that is not allowed. Names the flag, and no other host: a foreign page can read the text. */
export function explainHost(header: string | undefined): string {
  const refusal = `The host ${JSON.stringify(header ?? '')} is not served here.`
  const name = header === undefined ? undefined : hostName(header)
  if (name === undefined || !isHostName(name)) return refusal
  return `${refusal}\nTry: hydrant dev --hosts ${name} (or HYDRANT_HOSTS=${name}), with commas between several names.`
}

/** Returns whether a request comes from a page of this server, or from no page. */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = fetchSiteOf(headers)
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin, host } = headers
  if (origin === undefined) return true
  const from = parseUrl(origin)
  return from !== null && from.host === host
}

/**
 * Returns whether a page of another machine makes the request, except by navigation. Such a page could run, and so
 * read, the site's code with an element such as `<script>`. Other ports of this machine are allowed.
 */
export function isForeign(headers: IncomingHttpHeaders, allowedOrigins: readonly string[]): boolean {
  const { host, origin } = headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return false
  const site = fetchSiteOf(headers)
  if (site !== undefined) return site === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate'
  if (origin === undefined) return false
  const from = parseUrl(origin)
  return from === null || from.hostname !== parseUrl(`http://${host}`)?.hostname
}

function hostName(header: string): string | undefined {
  return parseUrl(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '')
}
