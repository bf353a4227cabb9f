import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Options } from '../options/options.ts'
import { isPrivateAddress } from '../util/ip-ranges.ts'
import type { TrustProxy } from './trust-proxy.ts'

/** How a request contradicts the options about proxies. */
export type ForwardingMismatch = 'nobody-trusted' | 'other-trusted' | 'other-header' | 'no-proxy'

type ProxyOptions = Pick<Options, 'trustProxy' | 'forwardedHeader'>

const X_FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const
const FORWARDED = ['forwarded'] as const

/**
 * Returns how a request contradicts the options. Returns null if it does not, or if any client could have sent it.
 *
 * @param peer The address of the connection; undefined for a connection through a socket file.
 */
export function findMismatch(
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
  // A distant client only tries to forge its address.
  if (trust === null) return isNearby && (isRead || isOther) ? 'nobody-trusted' : null
  if (!isRead && !isOther) return trustProxy === true && !isNearby ? 'no-proxy' : null
  if (!trust(peer, 0)) return 'other-trusted'
  return isRead ? null : 'other-header'
}

/** Warns once about each mismatch. A request without one costs the look-up of a few headers. */
export function checkForwarding(app: FastifyInstance, options: ProxyOptions, trust: TrustProxy | null) {
  const logged = new Set<ForwardingMismatch>()
  const mark = options.forwardedHeader === 'forwarded' ? 'forwarded' : 'x-forwarded-for'
  /** The address whose requests with `mark` match the options. */
  let matching: string | undefined

  function check({ headers, socket }: IncomingMessage) {
    const peer = socket.remoteAddress
    const isMarked = headers[mark] !== undefined
    if (isMarked && peer !== undefined && peer === matching) return
    // A closed connection no longer has an address.
    if (peer === undefined && typeof app.server.address() !== 'string') return
    const mismatch = findMismatch(options, trust, peer, headers)
    if (mismatch === null && isMarked) matching = peer
    if (mismatch === null || logged.has(mismatch)) return
    logged.add(mismatch)
    app.log.warn({ contradiction: mismatch }, describeMismatch(mismatch, peer, options))
    if (trust === null) app.server.off('request', check)
  }

  // Before Fastify's listener, which may change the headers.
  app.server.prependListener('request', check)
}

function describeMismatch(
  mismatch: ForwardingMismatch,
  peer: string | undefined,
  { forwardedHeader }: ProxyOptions,
): string {
  const sender = peer ?? 'the socket file'
  const variable = `HYDRANT_TRUST_PROXY=${peer ?? 'loopback'}`
  const isStandard = forwardedHeader === 'forwarded'
  const read = isStandard ? 'Forwarded' : 'X-Forwarded-…'
  const other = isStandard ? 'X-Forwarded-…' : 'Forwarded'
  switch (mismatch) {
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
