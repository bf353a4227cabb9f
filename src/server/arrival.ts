import type { IncomingMessage } from 'node:http'
import { readForwarded } from './forwarded.ts'
import type { Options } from './options.ts'
import type { Trust } from './trust.ts'

type Rewrite = (raw: IncomingMessage) => string

/**
 * Makes of what a proxy has changed what the visitor has sent, before anything else reads it: Fastify's `rewriteUrl`.
 * Null when there is nothing to do.
 */
export function createRewrite(
  { base, proxyStripsBase, forwardedHeader }: Pick<Options, 'base' | 'proxyStripsBase' | 'forwardedHeader'>,
  trust: Trust | null,
): Rewrite | null {
  const isStripped = proxyStripsBase && base !== '/'
  const isStandard = forwardedHeader === 'forwarded' && trust !== null
  if (!isStripped && !isStandard) return null
  // Some go through the router twice.
  const seen = new WeakSet<IncomingMessage>()
  return (raw) => {
    const { url = '' } = raw
    if (seen.has(raw)) return url
    seen.add(raw)
    if (isStandard) translateForwarded(raw, trust)
    return isStripped ? restoreBase(raw, url, base) : url
  }
}

/** Fastify, and whatever plugin asks it, reads `X-Forwarded-…`; those of the request itself are nobody's word then. */
function translateForwarded({ headers, socket }: IncomingMessage, trust: Trust) {
  for (const name of ['for', 'host', 'proto'] as const) delete headers[`x-forwarded-${name}`]
  const { forwarded } = headers
  if (forwarded === undefined || !trust(socket.remoteAddress, 0)) return
  const said = readForwarded(forwarded, trust)
  headers['x-forwarded-for'] = said.for
  if (said.host !== undefined) headers['x-forwarded-host'] = said.host
  if (said.proto !== undefined) headers['x-forwarded-proto'] = said.proto
}

function restoreBase(raw: IncomingMessage, url: string, base: string): string {
  // A proxy sends paths: whoever sends a whole address has not come through it.
  if (!url.startsWith('/')) return url
  const whole = base + url.replace(/^\/(?=\?|$)/, '')
  // What the log says of it, too.
  Object.assign(raw, { originalUrl: whole })
  return whole
}
