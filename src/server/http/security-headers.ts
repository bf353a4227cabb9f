import type { FastifyReply } from 'fastify'
import type { PublicAddress } from './public-address.ts'

const POLICY = 'content-security-policy'

/** Scripts run with the document's nonce, or when such a script loads them; there is nothing else that runs. */
export function scriptPolicy(nonce: string): string {
  return `script-src 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'`
}

/** The policy of a document. Whoever needs to say more says all of it: two policies could only forbid more. */
export function contentSecurityPolicy(nonce: string): string {
  return `${scriptPolicy(nonce)}; frame-ancestors 'self'`
}

/** Of a document that has no script of its own. */
export const SCRIPTLESS_POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** Of what is no document, should a browser take it for one. */
export const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** A browser that knows it holds to what `Content-Type` says. */
export function setNosniff(reply: FastifyReply) {
  reply.header('x-content-type-options', 'nosniff')
}

export function setPolicy(reply: FastifyReply, policy: string) {
  if (!reply.hasHeader(POLICY)) reply.header(POLICY, policy)
}

const YEAR_SECONDS = 31_536_000

/** The other headers that a document should have, but for those that it has. */
export function setDocumentSecurity(reply: FastifyReply, { host, origin }: PublicAddress) {
  setUnlessSet(reply, 'referrer-policy', 'strict-origin-when-cross-origin')
  if (!String(reply.getHeader(POLICY)).includes('frame-ancestors')) setUnlessSet(reply, 'x-frame-options', 'SAMEORIGIN')
  // Over plain http browsers neither know these nor keep quiet about it.
  if (!origin.startsWith('https:')) return
  setUnlessSet(reply, 'cross-origin-opener-policy', 'same-origin-allow-popups')
  // Whatever else is developed on this machine would have to be https as well.
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  if (!isLocal) setUnlessSet(reply, 'strict-transport-security', `max-age=${YEAR_SECONDS}`)
}

function setUnlessSet(reply: FastifyReply, name: string, value: string) {
  if (!reply.hasHeader(name)) reply.header(name, value)
}
