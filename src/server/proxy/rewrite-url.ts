import type { IncomingMessage } from 'node:http'
import { plainTarget, rewriteUrl } from '../http/request-url.ts'
import type { Options } from '../options/options.ts'
import { readForwarded } from './forwarded-header.ts'
import type { TrustProxy } from './trust-proxy.ts'

type Rewrite = (raw: IncomingMessage) => string

/**
 * Makes of what a proxy has changed what the visitor has sent, and of a target that is spelled in an unusual way the usual
 * one, before anything else reads it: Fastify's `rewriteUrl`.
 */
export function createRewrite(
  { base, proxyStripsBase, forwardedHeader }: Pick<Options, 'base' | 'proxyStripsBase' | 'forwardedHeader'>,
  trust: TrustProxy | null,
): Rewrite {
  const isStripped = proxyStripsBase && base !== '/'
  const isStandard = forwardedHeader === 'forwarded' && trust !== null
  if (!isStripped && !isStandard) return rewriteUrl
  return (raw) => {
    const { url = '' } = raw
    if (isStandard) translateForwarded(raw, trust)
    return isStripped ? restoreBase(raw, url, base) : plainTarget(url)
  }
}

/** Fastify, and whatever plugin asks it, reads `X-Forwarded-…`; those of the request itself are nobody's word then. */
function translateForwarded({ headers, socket }: IncomingMessage, trust: TrustProxy) {
  for (const name of ['for', 'host', 'proto'] as const) delete headers[`x-forwarded-${name}`]
  const { forwarded } = headers
  if (forwarded === undefined || !trust(socket.remoteAddress, 0)) return
  const said = readForwarded(forwarded, trust)
  headers['x-forwarded-for'] = said.for
  if (said.host !== undefined) headers['x-forwarded-host'] = said.host
  if (said.proto !== undefined) headers['x-forwarded-proto'] = said.proto
}

function restoreBase(raw: IncomingMessage, url: string, base: string): string {
  // Also of a whole address, which some proxies pass on as one: what they guard by its path must not be reached by another.
  const path = plainTarget(url)
  if (!path.startsWith('/')) return path
  const whole = base + path.replace(/^\/(?=\?|$)/, '')
  // What the log says of it, too.
  Object.assign(raw, { originalUrl: whole })
  return whole
}
