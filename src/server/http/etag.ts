import { createHash, hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'

/** A text, or its bytes. */
export type Content = string | Buffer

/** Writes the ETags of the documents of one site. */
export interface EtagWriter {
  /** Returns the weak ETag of a document. Its nonces, which differ each time, are left out. */
  of(document: TaggedDocument): string
}

export interface TaggedDocument {
  /** The site's route: `/products/[id]`. */
  route: string
  content: Content
  /** The nonce of the scripts. */
  nonce: string
  /** The nonce of the styles, if the document's policy has one. */
  styleNonce: string | undefined
}

/** The last document of a route. */
interface LastDocument {
  length: number
  nonce: string
  etag: string
  /** What is between the nonces. All are texts, or all are bytes, like the document. */
  parts: readonly Content[]
}

/** The last documents of all routes may have this number of characters or bytes together. */
const MAX_LENGTH = 4_194_304

/**
 * Creates the writer of a site.
 *
 * Many pages send the same document again and again, apart from its nonce. A document of another length is not
 * compared.
 *
 * perf: a document is compared with the last one, 8 µs instead of 320 µs for one of 142 kB, commit ba2913ab
 */
export function createEtagWriter(): EtagWriter {
  const lastOf = new LRUCache<string, LastDocument>({
    maxSize: MAX_LENGTH,
    sizeCalculation: ({ length }) => Math.max(length, 1),
  })
  return {
    of({ route, content, nonce, styleNonce }) {
      if (styleNonce !== undefined) return hashEtag(split(content, nonce).flatMap((part) => split(part, styleNonce)))
      const last = lastOf.get(route)
      if (last && isSame(last, content, nonce)) return last.etag
      const parts = split(content, nonce)
      const etag = hashEtag(parts)
      lastOf.set(route, { length: content.length, nonce, etag, parts })
      return etag
    },
  }
}

function split(content: Content, nonce: string): Content[] {
  if (typeof content === 'string') return content.split(nonce)
  const parts: Buffer[] = []
  let start = 0
  for (let at = content.indexOf(nonce); at !== -1; at = content.indexOf(nonce, start)) {
    parts.push(content.subarray(start, at))
    start = at + nonce.length
  }
  return [...parts, content.subarray(start)]
}

function isSame(last: LastDocument, content: Content, nonce: string): boolean {
  if (content.length !== last.length || nonce.length !== last.nonce.length) return false
  // perf: one comparison of flat texts, 1.2 µs instead of 2.0 µs for a small page, commit e467104f
  if (typeof content === 'string') return last.parts.join(nonce) === content
  let at = 0
  for (const part of last.parts) {
    const end = at + part.length
    if (typeof part === 'string' || !content.subarray(at, end).equals(part)) return false
    at = end + nonce.length
    if (end !== content.length && content.toString('latin1', end, at) !== nonce) return false
  }
  return true
}

/** Returns the weak ETag of a text or of bytes, given in parts. */
export function hashEtag(parts: readonly Content[]): string {
  if (parts.every((part) => typeof part === 'string')) return `W/"${hash('sha1', parts.join(''), 'base64url')}"`
  const whole = createHash('sha1')
  for (const part of parts) whole.update(part)
  return `W/"${whole.digest('base64url')}"`
}

/**
 * Sets the ETag of a response. Returns whether the client has this version already: the response is then a 304, which
 * the caller sends without a body.
 */
export function setEtag(etag: string, reply: FastifyReply): boolean {
  reply.header('etag', etag)
  if (!matchesEtag(reply.request.headers['if-none-match'], etag)) return false
  reply.code(304).removeHeader('content-type')
  return true
}

/** Whether the header `If-None-Match` names the ETag, by weak comparison. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return (
    ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((candidate) => opaqueTag(candidate) === opaqueTag(etag))
  )
}

// Weak comparison ignores the prefix `W/` (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.2).
function opaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//, '')
}
