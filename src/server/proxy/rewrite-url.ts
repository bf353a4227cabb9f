import type { IncomingMessage } from 'node:http'
import { plainTarget, rewriteUrl } from '../http/request-url.ts'
import type { Options } from '../options/options.ts'
import { readForwarded } from './forwarded-header.ts'
import type { TrustProxy } from './trust-proxy.ts'

/**
 * Creates Fastify's `rewriteUrl`. It puts back the base that a proxy stripped, applies the header `Forwarded`, and
 * normalizes the percent-encoding, before anything else reads the request.
 */
export function createRewrite(
  { base, proxyStripsBase, forwardedHeader }: Pick<Options, 'base' | 'proxyStripsBase' | 'forwardedHeader'>,
  trust: TrustProxy | null,
): (raw: IncomingMessage) => string {
  const isStripped = proxyStripsBase && base !== '/'
  const isStandard = forwardedHeader === 'forwarded' && trust !== null
  if (!isStripped && !isStandard) return rewriteUrl
  return (raw) => {
    const { url = '' } = raw
    if (isStandard) translateForwarded(raw, trust)
    return isStripped ? restoreBase(raw, url, base) : plainTarget(url)
  }
}

/**
 * Replaces the `X-Forwarded-…` headers, which Fastify and its plugins read. Those of the request itself are not
 * trusted.
 */
function translateForwarded({ headers, socket }: IncomingMessage, trust: TrustProxy) {
  for (const name of ['for', 'host', 'proto'] as const) delete headers[`x-forwarded-${name}`]
  const { forwarded } = headers
  if (forwarded === undefined || !trust(socket.remoteAddress, 0)) return
  const { for: addresses, host, proto } = readForwarded(forwarded, trust)
  headers['x-forwarded-for'] = addresses
  if (host !== undefined) headers['x-forwarded-host'] = host
  if (proto !== undefined) headers['x-forwarded-proto'] = proto
}

function restoreBase(raw: IncomingMessage, url: string, base: string): string {
  // Some proxies pass on a whole URL. It gets the base too, so that a guarded path cannot be reached in another form.
  const path = plainTarget(url)
  if (!path.startsWith('/')) return path
  const restored = base + path.replace(/^\/(?=\?|$)/, '')
  // The log shows the original URL.
  Object.assign(raw, { originalUrl: restored })
  return restored
}
