import type { FastifyReply } from 'fastify'
import { givenNoncesOf } from './headers.ts'
import type { PublicAddress } from './public-address.ts'

const POLICY = 'content-security-policy'

/** Returns the policy that allows only scripts with the nonce, and the scripts that those load. */
export function scriptPolicy(nonce: string): string {
  return `script-src 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'`
}

/**
 * Returns the policy of a document. A site that needs another one replaces it: a second policy could only forbid more.
 */
export function contentSecurityPolicy(nonce: string): string {
  return `${scriptPolicy(nonce)}; frame-ancestors 'self'`
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

function changeNonces(reply: FastifyReply, hashes: Hashes, keep: (source: string) => string[]) {
  const policy = reply.getHeader(POLICY)
  const { script, style } = givenNoncesOf(reply)
  if (policy === undefined || script === undefined) return
  const inDirective = (directive: string) => {
    const isStyle = /^\s*style-src/.test(directive)
    const nonce = isStyle ? (style ?? script) : script
    const source = `'nonce-${nonce}'`
    return directive.replace(source, [...keep(source), ...(isStyle ? hashes.styles : hashes.scripts)].join(' '))
  }
  reply.header(POLICY, String(policy).split(';').map(inDirective).join(';'))
}

/** Keeps browsers from guessing a type other than `Content-Type`. */
export function setNosniff(reply: FastifyReply) {
  reply.header('x-content-type-options', 'nosniff')
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
