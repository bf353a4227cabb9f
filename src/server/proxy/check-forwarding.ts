import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Options } from '../options/options.ts'
import { isPrivateAddress } from '../util/ip-ranges.ts'
import type { TrustProxy } from './trust-proxy.ts'

/** How what arrives contradicts what the options say of proxies. */
export type ForwardingMismatch = 'nobody-trusted' | 'other-trusted' | 'other-header' | 'no-proxy'

type ProxyOptions = Pick<Options, 'trustProxy' | 'forwardedHeader'>

const X_FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const
const FORWARDED = ['forwarded'] as const

/**
 * Null for what fits, and for what anybody may send.
 *
 * @param peer Who has connected; undefined when it came through a socket file.
 */
export function findContradiction(
  { trustProxy, forwardedHeader }: ProxyOptions,
  trust: TrustProxy | null,
  peer: string | undefined,
  headers: IncomingHttpHeaders,
): ForwardingMismatch | null {
  const hasOne = (names: readonly string[]) => names.some((name) => headers[name] !== undefined)
  const isStandard = forwardedHeader === 'forwarded'
  const isRead = hasOne(isStandard ? FORWARDED : X_FORWARDED)
  const isOther = hasOne(isStandard ? X_FORWARDED : FORWARDED)
  const isNearby = peer === undefined || isPrivateAddress(peer)
  // Of somebody far away it is an attempt.
  if (trust === null) return isNearby && (isRead || isOther) ? 'nobody-trusted' : null
  if (!isRead && !isOther) return trustProxy === true && !isNearby ? 'no-proxy' : null
  if (!trust(peer, 0)) return 'other-trusted'
  return isRead ? null : 'other-header'
}

/** Warns once of each contradiction. What fits costs a look at a few headers. */
export function checkForwarding(app: FastifyInstance, options: ProxyOptions, trust: TrustProxy | null) {
  const told = new Set<ForwardingMismatch>()
  const sign = options.forwardedHeader === 'forwarded' ? 'forwarded' : 'x-forwarded-for'
  /** Whose requests with that header fit. */
  let fitting: string | undefined

  function look({ headers, socket }: IncomingMessage) {
    const peer = socket.remoteAddress
    const isSigned = headers[sign] !== undefined
    if (isSigned && peer !== undefined && peer === fitting) return
    // A connection that has ended has no address any more.
    if (peer === undefined && typeof app.server.address() !== 'string') return
    const found = findContradiction(options, trust, peer, headers)
    if (found === null && isSigned) fitting = peer
    if (found === null || told.has(found)) return
    told.add(found)
    app.log.warn({ contradiction: found }, describe(found, peer, options))
    if (trust === null) app.server.off('request', look)
  }

  // Before Fastify, which may change the headers.
  app.server.prependListener('request', look)
}

function describe(found: ForwardingMismatch, peer: string | undefined, { forwardedHeader }: ProxyOptions): string {
  const sender = peer ?? 'the socket file'
  const variable = `HYDRANT_TRUST_PROXY=${peer ?? 'loopback'}`
  const isStandard = forwardedHeader === 'forwarded'
  const read = isStandard ? 'Forwarded' : 'X-Forwarded-…'
  const other = isStandard ? 'X-Forwarded-…' : 'Forwarded'
  switch (found) {
    case 'nobody-trusted':
      return `${sender} sends forwarded headers, but trustProxy is false, so every visitor has the address, host and scheme of the proxy: if this is your proxy and it sets these headers itself, set ${variable}`
    case 'other-trusted':
      return `${sender} sends forwarded headers, but trustProxy does not name it, so they are ignored: if this is your proxy and it sets these headers itself, set ${variable}`
    case 'other-header':
      return `${sender}, which trustProxy names, sends ${other} but not ${read}, so its headers are ignored: if the proxy sets ${other} itself, set HYDRANT_FORWARDED_HEADER=${isStandard ? 'x-forwarded' : 'forwarded'}`
    case 'no-proxy':
      return `${sender} bypassed the proxy while trustProxy is true: such clients can forge their address, host and scheme. Set HYDRANT_TRUST_PROXY to the proxy's address, or listen on an address that only the proxy can reach`
  }
}
