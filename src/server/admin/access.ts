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

/** Returns the hosts, with ports, under which the listener responds; null for any host. */
export type AllowedHosts = () => readonly string[] | null

/**
 * Adds a hook that runs before every route of the admin listener, or of the console in an app. It sets the security
 * headers, and checks the host, the origin and the token of a request.
 */
export function addAccessControl(app: FastifyInstance, auth: Auth, allowedHosts: AllowedHosts) {
  const prefix = app.prefix === '/' ? '' : app.prefix
  // @fastify/helmet decorates replies with it, too.
  if (!app.hasReplyDecorator('cspNonce')) app.decorateReply('cspNonce')
  app.addHook('onRequest', async (request, reply) => {
    setHeaders(reply)
    const refusal = findRefusal(request, allowedHosts())
    if (refusal) return sendProblem(refusal.status, refusal.detail, reply)
    if (isOpenPath(prefix, request.url)) return undefined
    const result = await auth.authenticate(request.headers, request.ip)
    switch (result.kind) {
      case 'ok':
        if (isSafe(request.method) || auth.mayChange(request.headers)) return undefined
        return sendProblem(403, 'This token is read-only.', reply)
      case 'throttled':
        reply.header('retry-after', result.seconds)
        return sendProblem(429, 'Too many wrong tokens; try again in a moment.', reply)
      case 'denied':
        return requestToken(prefix, request, reply)
    }
  })
}

function setHeaders(reply: FastifyReply) {
  const nonce = createNonce()
  // Documents take the nonce of their scripts from here.
  Object.assign(reply, { cspNonce: { script: nonce } })
  // The static page that replaces a failed page has inline styles.
  const others = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"
  reply.headers({
    'content-security-policy': `${others}; form-action 'self'; frame-ancestors 'none'; ${scriptPolicy(nonce)}`,
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    // With `no-referrer`, browsers send `Origin: null` with forms over plain HTTP, which is refused.
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
}

function findRefusal(
  request: FastifyRequest,
  hosts: readonly string[] | null,
): { status: number; detail: string } | null {
  // Fastify's `host` considers the proxy that an app trusts.
  const host = request.host ?? ''
  // Prevents DNS rebinding: another site can point its own name to this machine, but its browser then sends that name.
  if (hosts !== null && !hosts.includes(host.toLowerCase())) {
    return { status: 421, detail: `This host is not allowed; use one of these: ${hosts.join(', ')}.` }
  }
  const { method, headers } = request
  const fetchSite = fetchSiteOf(headers)
  const verdict = judgeOrigin({ method, fetchSite, origin: headers.origin, host, allowedOrigins: [] })
  // Other sites may only link to pages. Other ports of this machine are same-site, and are refused as well.
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

// The paths that signing in needs. With another spelling of the prefix no path is open, because the rest of the URL
// then does not say which route it leads to.
function isOpenPath(prefix: string, url: string): boolean {
  if (!url.startsWith(`${prefix}/`)) return false
  const path = below(prefix, url).replace(/\?.*$/s, '')
  return path.startsWith(ASSETS_PATH) || path === SIGN_IN_PATH || path === '/favicon.svg'
}

function requestToken(prefix: string, request: FastifyRequest, reply: FastifyReply) {
  const { headers, method } = request
  const url = below(prefix, request.url)
  const isForScripts = url.startsWith('/api/') || url.startsWith('/metrics')
  if (preferredFormat(headers) === 'html' && !isForScripts) {
    const search = url === '/' || !isSafe(method) ? '' : `?${new URLSearchParams({ to: url })}`
    return reply.redirect(prefix + SIGN_IN_PATH + search, 303)
  }
  reply.header('www-authenticate', 'Bearer realm="Hydrant"')
  return sendProblem(401, 'Send the token in a header: "Authorization: Bearer <token>".', reply)
}
