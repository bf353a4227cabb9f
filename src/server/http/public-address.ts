import type { FastifyRequest } from 'fastify'
import { parseUrl } from '../util/parse-url.ts'

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_-]{1,63})*\.?$/i
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/i
/** Can it be a host's name, or an IPv6 address in brackets? */
export function isHostName(name: string): boolean {
  return HOST_NAME.test(name) || IPV6.test(name)
}

const PORT = /^\d{1,5}$/
/** Said where the request named no host that can be believed. */
export const UNKNOWN_HOST = 'this site'

export interface PublicAddress {
  /** Host name as in the address bar, without a port; "this site" when the request's is not valid. */
  host: string
  /** `https://shop.example:8443`; of the unknown host `http://localhost`. */
  origin: string
}

const MAX_KNOWN = 1_000
const known = new Map<string, PublicAddress>()

/**
 * The address that the visitor sees: of the Host header or, behind a proxy that Fastify's `trustProxy` trusts, of
 * the forwarded headers. What is no valid host name is not used anywhere.
 */
export function publicAddress(request: FastifyRequest): PublicAddress {
  const key = `${request.protocol}://${request.host ?? ''}`
  const address = known.get(key)
  if (address) return address
  // Anybody may send any host: what is kept is bounded.
  if (known.size >= MAX_KNOWN) known.clear()
  const fresh = readAddress(request.protocol, request.host ?? '')
  known.set(key, fresh)
  return fresh
}

function readAddress(protocol: string, authority: string): PublicAddress {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? []
  const isValid = isHostName(name) && (port === undefined || PORT.test(port))
  const origin = `${protocol === 'https' ? 'https' : 'http'}://${name.toLowerCase()}${port === undefined ? '' : `:${port}`}`
  if (!isValid || parseUrl(origin) === null) return { host: UNKNOWN_HOST, origin: 'http://localhost' }
  return { host: name.toLowerCase(), origin }
}
