import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { plainTarget, rewriteUrl } from '../http/request-url.ts'
import type { Options } from '../options/options.ts'
import { createAddressList, isPrivateAddress } from '../util/addresses.ts'

/**
 * Whether the forwarded headers from an address are trusted. `hop` counts the proxies, from the connection on. A
 * connection through a socket file has no address, and neither has a closed one.
 */
type TrustProxy = (address: string | undefined, hop: number) => boolean

const LOOPBACK = '127.0.0.1'

/**
 * Creates the check for the option `trustProxy`; null if it trusts no proxy. A connection through the socket file
 * counts as 127.0.0.1.
 */
export function createTrustProxy(trusted: Options['trustProxy'], isOnSocketFile: () => boolean): TrustProxy | null {
  if (trusted === false) return null
  if (trusted === true) return () => true
  const isTrusted = typeof trusted === 'function' ? trusted : trustList(trusted)
  return (address, hop) =>
    address === undefined ? isOnSocketFile() && isTrusted(LOOPBACK, hop) : isTrusted(address, hop)
}

function trustList(trusted: string | string[]): TrustProxy {
  const list = createAddressList((typeof trusted === 'string' ? trusted.split(',') : trusted).map((one) => one.trim()))
  return (address) => address !== undefined && list.includes(address)
}

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

/** The parameters that one proxy has added, by their names in lower case: `for`, `by`, `host`, `proto` and others. */
export type ForwardedElement = ReadonlyMap<string, string>

/** The trusted part of the header, in the form of the `X-Forwarded-…` headers. */
export interface Forwarding {
  /** Addresses with commas between them, the client's address first. */
  for: string
  host: string | undefined
  proto: string | undefined
}

const SPACE = /[ \t]*/y
// The RFC allows a colon only in quotes. Many proxies write `host=shop.example:8443` without them.
const PAIR = /([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))/y

/** Parses the header `Forwarded` (https://www.rfc-editor.org/rfc/rfc7239). Returns null if it is malformed. */
export function parseForwarded(header: string): ForwardedElement[] | null {
  const elements: Map<string, string>[] = []
  let element = new Map<string, string>()
  let at = skipSpace(header, 0)
  while (at < header.length) {
    if (header[at] !== ';' && header[at] !== ',') {
      PAIR.lastIndex = at
      const [pair, name, quoted, bare] = PAIR.exec(header) ?? []
      const key = name?.toLowerCase()
      if (pair === undefined || key === undefined || element.has(key)) return null
      element.set(key, bare ?? quoted?.replace(/\\(.)/gs, '$1') ?? '')
      at = skipSpace(header, at + pair.length)
    }
    if (at < header.length && header[at] !== ';' && header[at] !== ',') return null
    if (at === header.length || header[at] === ',') {
      if (element.size > 0) elements.push(element)
      element = new Map()
    }
    at = skipSpace(header, at + 1)
  }
  if (element.size > 0) elements.push(element)
  return elements
}

/**
 * Returns what trusted proxies say about the client. Each proxy adds its element at the end, so the header is read from
 * there: an element counts if the proxy that wrote it is trusted. Host and scheme are those that the outermost trusted
 * proxy received.
 */
export function readForwarded(header: string, trust: TrustProxy): Forwarding {
  const elements = parseForwarded(header) ?? []
  const addresses = elements.map((element) => addressOf(element.get('for')))
  let at = elements.length - 1
  // The proxy that has connected to this server is the first hop.
  while (at > 0 && trust(addresses[at], elements.length - at)) at--
  return {
    for: addresses.join(', ') || UNKNOWN,
    host: elements[at]?.get('host'),
    proto: elements[at]?.get('proto'),
  }
}

/** The RFC's word for an unknown address. It is not an address, so it is never trusted. */
const UNKNOWN = 'unknown'

/** Returns the address of a node. Other text could contain a comma and would become two addresses. */
function addressOf(node = UNKNOWN): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::[\w.-]+)?$/i.exec(node) ?? []
  const address = bracketed ?? plain ?? node
  if (isIP(address) !== 0) return address
  return /^_[\w.-]{1,100}$/.test(node) ? node : UNKNOWN
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at
  SPACE.exec(text)
  return Math.max(at, SPACE.lastIndex)
}
