import type { FastifyRequest } from 'fastify'

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_-]{1,63})*\.?$/i
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/i
const PORT = /^\d{1,5}$/
/** Said where the request named no host that can be believed. */
const UNKNOWN_HOST = 'this site'

export interface PublicAddress {
  /** Host name as in the address bar, without a port; "this site" when the request's is not valid. */
  host: string
  /** `https://shop.example:8443`; of the unknown host `http://localhost`. */
  origin: string
}

/**
 * The address that the visitor sees: of the Host header or, behind a proxy that Fastify's `trustProxy` trusts, of
 * the forwarded headers. What is no valid host name is not used anywhere.
 */
export function publicAddress(request: FastifyRequest): PublicAddress {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(request.host ?? '') ?? []
  const isValid = (HOST_NAME.test(name) || IPV6.test(name)) && (port === undefined || PORT.test(port))
  if (!isValid) return { host: UNKNOWN_HOST, origin: 'http://localhost' }
  const protocol = request.protocol === 'https' ? 'https' : 'http'
  return { host: name.toLowerCase(), origin: `${protocol}://${name.toLowerCase()}${port === undefined ? '' : `:${port}`}` }
}
