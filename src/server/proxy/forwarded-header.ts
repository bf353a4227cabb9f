import { isIP } from 'node:net'
import type { TrustProxy } from './trust-proxy.ts'

/** What one proxy says, by the names of RFC 7239 in lower case: `for`, `by`, `host`, `proto`, and others. */
export type ForwardedElement = ReadonlyMap<string, string>

/** What is believed of it, in the form of the `X-Forwarded-…` headers. */
export interface Forwarding {
  /** Addresses, the visitor's first. */
  for: string
  host: string | undefined
  proto: string | undefined
}

const SPACE = /[ \t]*/y
// Values without quotes may have what only quotes allow, a colon above all: many proxies write `host=shop.example:8443`.
const PAIR = /([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))/y

/** Reads the header `Forwarded` (https://www.rfc-editor.org/rfc/rfc7239); null when it is not well formed. */
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
 * What the proxies that are trusted say of the visitor. Each proxy adds itself at the end, so it is read from there: an
 * element counts when whoever wrote it is trusted. The host and the scheme are those that the outermost of them saw.
 */
export function readForwarded(header: string, trust: TrustProxy): Forwarding {
  const elements = parseForwarded(header) ?? []
  const addresses = elements.map((element) => addressOf(element.get('for')))
  let at = elements.length - 1
  // The one that has connected to us is the first hop.
  while (at > 0 && trust(addresses[at], elements.length - at)) at--
  return {
    for: addresses.join(', ') || UNKNOWN,
    host: elements[at]?.get('host'),
    proto: elements[at]?.get('proto'),
  }
}

/** RFC 7239's own word. It is no address, so nobody trusts it. */
const UNKNOWN = 'unknown'

// A text that holds a comma would become two addresses.
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
