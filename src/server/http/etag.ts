import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'

/** Writes the ETags of the documents of one site. */
export interface EtagWriter {
  /** Returns the weak ETag of a document. Its nonces, which differ each time, are left out. */
  of(document: TaggedDocument): string
}

export interface TaggedDocument {
  /** The site's route: `/products/[id]`. */
  route: string
  text: string
  /** The nonce of the scripts. */
  nonce: string
  /** The nonce of the styles, if the document's policy has one. */
  styleNonce: string | undefined
}

/** The last document of a route. */
interface LastDocument {
  text: string
  nonce: string
  etag: string
  /** The text between the nonces; null until a document of the same length is compared with it. */
  parts: readonly string[] | null
}

/** The last documents of all routes may have this number of characters together. */
const MAX_LENGTH = 4_194_304

/**
 * Creates the writer of a site.
 *
 * Many pages send the same document again and again, apart from its nonce. A document of another length is not
 * compared.
 *
 * perf: a document is compared with the last one, 0.4 µs instead of 1.3 µs for a small page and 8 µs instead of 320 µs
 * for one of 142 kB, commit ba2913ab
 */
export function createEtagWriter(): EtagWriter {
  const lastOf = new LRUCache<string, LastDocument>({
    maxSize: MAX_LENGTH,
    sizeCalculation: ({ text }) => Math.max(text.length, 1),
  })
  return {
    of({ route, text, nonce, styleNonce }) {
      if (styleNonce !== undefined) return hashEtag(text.replaceAll(nonce, '').replaceAll(styleNonce, ''))
      const last = lastOf.get(route)
      if (last && isSame(last, text, nonce)) return last.etag
      const etag = hashEtag(text.replaceAll(nonce, ''))
      lastOf.set(route, { text, nonce, etag, parts: null })
      return etag
    },
  }
}

function isSame(last: LastDocument, text: string, nonce: string): boolean {
  if (text.length !== last.text.length || nonce.length !== last.nonce.length) return false
  last.parts ??= last.text.split(last.nonce)
  let at = 0
  for (const part of last.parts) {
    // perf: a slice of a long text is no copy, 8 µs instead of 120 µs with `join` for 142 kB, commit ba2913ab
    const isSamePart = text.slice(at, at + part.length) === part
    at += part.length
    const isEnd = at === text.length
    if (!isSamePart || !(isEnd || text.slice(at, at + nonce.length) === nonce)) return false
    at += nonce.length
  }
  return true
}

/** Returns the weak ETag of a text. */
export function hashEtag(text: string): string {
  return `W/"${hash('sha1', text, 'base64url')}"`
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
