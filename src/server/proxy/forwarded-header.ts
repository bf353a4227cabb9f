import { isIP } from 'node:net'
import type { TrustProxy } from './trust-proxy.ts'

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
