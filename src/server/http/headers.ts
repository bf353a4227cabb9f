import crypto from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { limitCaching, NO_STORE, saysMore } from './caching.ts'

export const HTML_TYPE = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json; charset=utf-8'
export const DIGEST_HEADER = 'x-error-digest'
export const REQUEST_ID_HEADER = 'x-request-id'

export { NO_STORE, REVALIDATE } from './caching.ts'

const NONCE_BYTES = 18
const pool = Buffer.alloc(NONCE_BYTES * 128)
let poolOffset = pool.length

/** 144 random bits in base 64, for the inline scripts of one document. */
export function createNonce(): string {
  if (poolOffset === pool.length) {
    crypto.randomFillSync(pool)
    poolOffset = 0
  }
  poolOffset += NONCE_BYTES
  return pool.toString('base64', poolOffset - NONCE_BYTES, poolOffset)
}

/** What @fastify/helmet decorates a reply with, for the policy that it sends. */
interface Nonces {
  cspNonce?: { script?: string; style?: string } | null
}

/** The nonce of a document's scripts. */
export function nonceOf(reply: FastifyReply): string {
  return (reply as Nonces).cspNonce?.script ?? createNonce()
}

/** The nonce of a document's styles, if its policy has one. */
export function styleNonceOf(reply: FastifyReply): string | undefined {
  return (reply as Nonces).cspNonce?.style
}

/** Adds to the Vary header what is not in it yet. `names` have commas between them. */
export function addVary(reply: FastifyReply, names: string) {
  const present = reply.getHeader('vary')
  if (present === undefined) reply.header('vary', names)
  else if (present !== '*' && present !== names) for (const name of names.split(', ')) addVaryName(reply, name)
}

function addVaryName(reply: FastifyReply, name: string) {
  const present = String(reply.getHeader('vary'))
  if (!new RegExp(`(?:^|,)\\s*${name}\\s*(?:,|$)`, 'i').test(present)) reply.header('vary', `${present}, ${name}`)
}

/** May the answer be kept by anybody, as the site's own headers say? */
export function isStorable(reply: FastifyReply): boolean {
  const value = reply.getHeader('cache-control')
  if (value !== undefined && !/\bno-store\b/i.test(String(value))) return true
  return Object.entries(reply.getHeaders()).some(([name, own]) => saysMore(name, own))
}

const OF_THE_PAGE_ONLY = [
  'etag',
  'last-modified',
  'content-length',
  'content-encoding',
  'content-disposition',
  'location',
  'expires',
]

/** Takes back what a load has said of the page that it did not get to, and keeps the answer out of every cache. */
export function setErrorHeaders(reply: FastifyReply) {
  for (const name of OF_THE_PAGE_ONLY) if (reply.hasHeader(name)) reply.removeHeader(name)
  reply.header('cache-control', NO_STORE)
  limitCaching(reply, 'no-store')
}

/** A weak validator of a document; its nonces differ each time and do not count. */
export function etagOf(text: string, nonce: string, styleNonce?: string): string {
  const same = text.replaceAll(nonce, '')
  return `W/"${sha1(styleNonce ? same.replaceAll(styleNonce, '') : same)}"`
}

// Node 20.12 has a quicker way for a single piece of text.
const sha1 = (text: string): string =>
  typeof crypto.hash === 'function'
    ? crypto.hash('sha1', text, 'base64url')
    : crypto.createHash('sha1').update(text).digest('base64url')

export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return (
    ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((candidate) => opaqueTag(candidate) === opaqueTag(etag))
  )
}

// Weak comparison (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.2).
function opaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//, '')
}
