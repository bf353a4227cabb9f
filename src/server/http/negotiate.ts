import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'

/** How an answer is written: for a reader, for a script, or for a page that goes somewhere without a document. */
export type Format = 'html' | 'json' | 'navigation'

const HTML_FIRST = ['text/html', 'application/json', 'application/problem+json']
const JSON_FIRST = ['application/json', 'application/problem+json', 'text/html']

/** What the client prefers; a page answers in HTML unless JSON is asked for. */
export function preferredFormat(headers: IncomingHttpHeaders): 'html' | 'json' {
  const { accept } = headers
  // What browsers and curl send, without the cost of reading it.
  if (accept === undefined || accept === '*/*' || accept.startsWith('text/html,')) return 'html'
  return negotiate(headers, HTML_FIRST)
}

/** The same for routes that are no pages: JSON unless HTML is asked for. */
export function preferredErrorFormat(headers: IncomingHttpHeaders): 'html' | 'json' {
  return negotiate(headers, JSON_FIRST)
}

function negotiate(headers: IncomingHttpHeaders, types: string[]): 'html' | 'json' {
  const type = new Negotiator({ headers }).mediaType(types) ?? types[0]
  return type === 'text/html' ? 'html' : 'json'
}
