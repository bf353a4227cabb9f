import type { FastifyRequest } from 'fastify'
import { isHostName, parseUrl } from '../util/parse-url.ts'
import { remember } from '../util/remember.ts'

const PORT = /^\d{1,5}$/
/** The host that is shown if the request has no valid host. */
export const UNKNOWN_HOST = 'this site'

export interface PublicAddress {
  /** The host name in the address bar, without a port, or `UNKNOWN_HOST`. */
  host: string
  /** For example `https://shop.example:8443`; `http://localhost` for the unknown host. */
  origin: string
}

const MAX_KNOWN = 1_000
const addresses = new Map<string, PublicAddress>()

/**
 * Returns the address that the visitor sees. It comes from the Host header or, behind a proxy that `trustProxy` trusts,
 * from the forwarded headers. An invalid host name is not used anywhere.
 *
 * perf: cached, 0.1 µs instead of 1.4 µs, commit 7b7c185a
 */
export function publicAddress(request: Pick<FastifyRequest, 'protocol' | 'host'>): PublicAddress {
  const { protocol, host = '' } = request
  const key = `${protocol}://${host}`
  return addresses.get(key) ?? remember(addresses, MAX_KNOWN, key, readAddress(protocol, host))
}

function readAddress(protocol: string, authority: string): PublicAddress {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? []
  const isValid = isHostName(name) && (port === undefined || PORT.test(port))
  const origin = `${protocol === 'https' ? 'https' : 'http'}://${name.toLowerCase()}${port === undefined ? '' : `:${port}`}`
  if (!isValid || parseUrl(origin) === null) return { host: UNKNOWN_HOST, origin: 'http://localhost' }
  return { host: name.toLowerCase(), origin }
}
