import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ASSETS_PATH } from '../../shared/paths.ts'
import { isSafe, judgeOrigin } from '../guards/csrf.ts'
import { fetchSiteOf, isFromOtherOrigin } from '../http/fetch-metadata.ts'
import { createNonce } from '../http/headers.ts'
import { preferredFormat } from '../http/negotiate.ts'
import { sendProblem } from '../http/problem.ts'
import { scriptPolicy } from '../http/security-headers.ts'
import type { Auth } from './auth.ts'

const SIGN_IN_PATH = '/sign-in'

/** Hosts, with ports, under which the listener answers; null for any. */
export type AllowedHosts = () => readonly string[] | null

/** Stands before every route of the admin listener, or of the console in an app, which is below the instance's prefix. */
export function addGuard(app: FastifyInstance, door: Auth, allowedHosts: AllowedHosts) {
  const prefix = app.prefix === '/' ? '' : app.prefix
  // @fastify/helmet adds it as well.
  if (!app.hasReplyDecorator('cspNonce')) app.decorateReply('cspNonce')
  app.addHook('onRequest', async (request, reply) => {
    setHeaders(reply)
    const refusal = judge(request, allowedHosts())
    if (refusal) return sendProblem(refusal.status, refusal.detail, request, reply)
    if (isOpenPath(prefix, request.url)) return undefined
    const judgement = await door.judge(request.headers, request.ip)
    switch (judgement.kind) {
      case 'in':
        if (isSafe(request.method) || door.mayChange(request.headers)) return undefined
        return sendProblem(403, 'This token is read-only.', request, reply)
      case 'wait':
        reply.header('retry-after', judgement.seconds)
        return sendProblem(429, 'Too many wrong tokens; try again in a moment.', request, reply)
      case 'out':
        return askForToken(prefix, request, reply)
    }
  })
}

function setHeaders(reply: FastifyReply) {
  const nonce = createNonce()
  // Where a document takes the nonce of its scripts from.
  Object.assign(reply, { cspNonce: { script: nonce } })
  // What stands for a page that fails brings its style along.
  const others = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"
  reply.headers({
    'content-security-policy': `${others}; form-action 'self'; frame-ancestors 'none'; ${scriptPolicy(nonce)}`,
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    // With `no-referrer` a form says by plain http that it comes from nowhere, and is refused.
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
}

function judge(request: FastifyRequest, hosts: readonly string[] | null): { status: number; detail: string } | null {
  // Of an app behind a proxy that it trusts, as the browser sees it.
  const host = request.host ?? ''
  // A page of another site can have its own name lead to this machine; it cannot have another name sent.
  if (hosts !== null && !hosts.includes(host.toLowerCase())) {
    return { status: 421, detail: `This host is not allowed; use one of these: ${hosts.join(', ')}.` }
  }
  const { method, headers } = request
  const fetchSite = fetchSiteOf(headers)
  const verdict = judgeOrigin({ method, fetchSite, origin: headers.origin, host, allowedOrigins: [] })
  // What only reads may be linked to, and nothing else: other ports of this machine are of the same site.
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  if (verdict.kind === 'refused' || (isFromOtherOrigin(headers) && isSafe(method) && !isLink)) {
    return { status: 403, detail: 'This request comes from another site.' }
  }
  return null
}

function below(prefix: string, url: string): string {
  const rest = url.startsWith(prefix) ? url.slice(prefix.length) : url
  return rest.startsWith('/') ? rest : `/${rest}`
}

// What signing in takes. Nothing is open below a prefix that is spelled in another way, or that has parameters: there the
// address says nothing of the route that it has come to.
function isOpenPath(prefix: string, url: string): boolean {
  if (!url.startsWith(`${prefix}/`)) return false
  const path = below(prefix, url).replace(/\?.*$/s, '')
  return path.startsWith(ASSETS_PATH) || path === SIGN_IN_PATH || path === '/favicon.svg'
}

function askForToken(prefix: string, request: FastifyRequest, reply: FastifyReply) {
  const { headers, method } = request
  const url = below(prefix, request.url)
  const isForScripts = url.startsWith('/api/') || url.startsWith('/metrics')
  if (preferredFormat(headers) === 'html' && !isForScripts) {
    const search = url === '/' || !isSafe(method) ? '' : `?${new URLSearchParams({ to: url })}`
    return reply.redirect(prefix + SIGN_IN_PATH + search, 303)
  }
  reply.header('www-authenticate', 'Bearer realm="Hydrant"')
  return sendProblem(401, 'Send the token in a header: "Authorization: Bearer <token>".', request, reply)
}
