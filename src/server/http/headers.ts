import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { allowsSomeCache, limitCaching, NO_STORE } from './caching.ts'
import type { PublicAddress } from './request-url.ts'

export const DIGEST_HEADER = 'x-error-digest'
export const REQUEST_ID_HEADER = 'x-request-id'

const NONCE_BYTES = 18
const NONCE_LENGTH = (NONCE_BYTES / 3) * 4
const NONCES = 128
let nonces = ''
let nextNonce = 0

/**
 * Returns 144 random bits in base 64, for the inline scripts of one document.
 *
 * perf: many nonces are encoded at a time, 0.07 µs instead of 2.7 µs with `randomBytes` and 0.12 µs with a random pool,
 * commit 8d8d4fde
 */
export function createNonce(): string {
  if (nextNonce === nonces.length) {
    nonces = randomBytes(NONCES * NONCE_BYTES).toString('base64')
    nextNonce = 0
  }
  nextNonce += NONCE_LENGTH
  return nonces.slice(nextNonce - NONCE_LENGTH, nextNonce)
}

/** The nonces of the policy that @fastify/helmet sends. It decorates the reply with them. */
interface PolicyReply extends FastifyReply {
  cspNonce?: { script?: string; style?: string } | null
}

/**
 * Copies the nonces of one reply to another. Without a nonce for its styles, a stored document would have no hashes
 * of them, and the hook's policy would forbid the styles.
 */
export function giveNonces(from: PolicyReply, to: FastifyReply) {
  const { cspNonce } = from
  if (cspNonce) Object.assign(to, { cspNonce })
}

/** Returns the nonce of a document's scripts. */
export function nonceOf({ cspNonce }: PolicyReply): string {
  return cspNonce?.script ?? createNonce()
}

/** Returns the nonce of a document's styles; undefined if its policy has none. */
export function styleNonceOf({ cspNonce }: PolicyReply): string | undefined {
  return cspNonce?.style
}

/** Adds names that are missing to the `Vary` header. `names` is a list with commas between them. */
export function addVary(reply: FastifyReply, names: string) {
  const present = reply.getHeader('vary')
  if (present === undefined) reply.header('vary', names)
  else if (present !== '*' && present !== names) for (const name of names.split(', ')) addVaryName(reply, name)
}

function addVaryName(reply: FastifyReply, name: string) {
  const present = String(reply.getHeader('vary'))
  if (!new RegExp(`(?:^|,)\\s*${name}\\s*(?:,|$)`, 'i').test(present)) reply.header('vary', `${present}, ${name}`)
}

/** Whether the site's own headers allow a cache to store the response. */
export function isStorable(reply: FastifyReply): boolean {
  const value = reply.getHeader('cache-control')
  if (value !== undefined && !/\bno-store\b/i.test(String(value))) return true
  return Object.entries(reply.getHeaders()).some(([name, other]) => allowsSomeCache(name, other))
}

/** Headers that describe the page which a load wanted to send, not the error that is sent instead. */
const PAGE_HEADERS = [
  'etag',
  'last-modified',
  'content-length',
  'content-encoding',
  'content-disposition',
  'location',
  'expires',
]

/** Removes the headers that belong to the page itself, and keeps the error out of every cache. */
export function setErrorHeaders(reply: FastifyReply) {
  for (const name of PAGE_HEADERS) if (reply.hasHeader(name)) reply.removeHeader(name)
  reply.header('cache-control', NO_STORE)
  limitCaching(reply, 'no-store')
}

export const POLICY = 'content-security-policy'

/**
 * Returns the policy of a document: it allows only scripts with the nonce, and the scripts that those load. A site that
 * needs another one replaces it: a second policy could only forbid more.
 *
 * @param ancestors The sites that may show the document in a frame.
 */
export function contentSecurityPolicy(nonce: string, ancestors = "'self'"): string {
  return `script-src 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors ${ancestors}`
}

/** Returns the policy of a document whose inline scripts have these hash sources. */
export function hashPolicy(hashes: readonly string[]): string {
  if (hashes.length === 0) return SCRIPTLESS_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
  return `script-src ${hashes.join(' ')} 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'`
}

/** Returns the policy of a document that has inline scripts with these hash sources, and others with the nonce. */
export function mixedPolicy(hashes: readonly string[], nonce: string): string {
  return contentSecurityPolicy(nonce).replace('script-src', `script-src ${hashes.join(' ')}`)
}

/** The policy of a document without scripts. */
export const SCRIPTLESS_POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** The policy of responses that are not documents, in case a browser treats one as a document. */
export const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Hash sources of the inline scripts and styles of a document. */
interface Hashes {
  scripts: readonly string[]
  styles: readonly string[]
}

/** Replaces the nonces in the policy of a hook by hashes, for a document that is the same for every visitor. */
export function replaceNonces(reply: FastifyReply, hashes: Hashes) {
  changeNonces(reply, hashes, () => [])
}

/** Adds hashes to the nonces in the policy of a hook, for a document with a part that is the same for every visitor. */
export function addHashes(reply: FastifyReply, hashes: Hashes) {
  changeNonces(reply, hashes, (source) => [source])
}

function changeNonces(reply: PolicyReply, hashes: Hashes, keep: (source: string) => string[]) {
  const policy = reply.getHeader(POLICY)
  if (policy === undefined || !reply.cspNonce?.script) return
  const { script, style } = reply.cspNonce
  const inDirective = (directive: string) => {
    const isStyle = /^\s*style-src/.test(directive)
    const nonce = isStyle ? (style ?? script) : script
    const source = `'nonce-${nonce}'`
    return directive.replace(source, [...keep(source), ...(isStyle ? hashes.styles : hashes.scripts)].join(' '))
  }
  reply.header(POLICY, String(policy).split(';').map(inDirective).join(';'))
}

const OWN_POLICY = Symbol('policy')

interface OwnReply extends FastifyReply {
  /** The policy that `setPolicy` has set. */
  [OWN_POLICY]?: string
}

/**
 * Sets the `Content-Security-Policy`, unless the site has set one. An error may replace a document whose policy is set
 * already: the error has another nonce.
 */
export function setPolicy(reply: OwnReply, policy: string) {
  if (reply.hasHeader(POLICY) && reply.getHeader(POLICY) !== reply[OWN_POLICY]) return
  reply.header(POLICY, policy)
  reply[OWN_POLICY] = policy
}

/** Sets headers of Hydrant's own. What the site has set stays: the names in `Vary`, and its policy. */
export function setOwnHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>>) {
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (name === 'vary') addVary(reply, value)
    else if (name === POLICY) setPolicy(reply, value)
    else reply.header(name, value)
  }
}

const YEAR_SECONDS = 31_536_000

/** Sets the other security headers of a document, unless they are set already. */
export function setDocumentSecurity(reply: FastifyReply, { host, origin }: PublicAddress) {
  setUnlessSet(reply, 'referrer-policy', 'strict-origin-when-cross-origin')
  if (!String(reply.getHeader(POLICY)).includes('frame-ancestors')) setUnlessSet(reply, 'x-frame-options', 'SAMEORIGIN')
  // Over plain http, browsers ignore these headers and warn about them in the console.
  if (!origin.startsWith('https:')) return
  setUnlessSet(reply, 'cross-origin-opener-policy', 'same-origin-allow-popups')
  // On localhost it would force https on every other server of this machine.
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  if (!isLocal) setUnlessSet(reply, 'strict-transport-security', `max-age=${YEAR_SECONDS}`)
}

function setUnlessSet(reply: FastifyReply, name: string, value: string) {
  if (!reply.hasHeader(name)) reply.header(name, value)
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** Reverses React's escaping of text and attributes. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => CHARACTERS[name] ?? '')
}
