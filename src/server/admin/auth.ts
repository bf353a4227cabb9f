import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ASSETS_PATH } from '../../shared/paths.ts'
import { isSafe, judgeOrigin } from '../guards/csrf.ts'
import { createAddressTable } from '../guards/request-limits.ts'
import { FORMATS } from '../http/formats.ts'
import { contentSecurityPolicy, createNonce } from '../http/headers.ts'
import { preferredFormat } from '../http/negotiate.ts'
import { sendProblem } from '../http/problem.ts'
import { fetchSiteOf, isFromOtherOrigin } from '../http/request-url.ts'

/** Authenticates operators by a token or a session cookie. */
export type Auth = ReturnType<typeof createAuth>

export type AuthResult =
  | { kind: 'ok' }
  /** No token, or a wrong one. */
  | { kind: 'denied' }
  /** A wrong token, after many others from this address. Too many of them are still pending. */
  | { kind: 'throttled'; seconds: number }

/** After this many wrong tokens, each further one is denied `DELAY_MS` late, at most `MAX_PENDING` at a time. */
const MAX_WRONG = 10
const DELAY_MS = 1_000
const MAX_PENDING = 10
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 1_000

interface Attempts {
  /** The start of the window in which wrong tokens are counted. */
  since: number
  wrong: number
  /** Wrong tokens that wait to be denied. */
  pending: number
}

const pause = (ms: number): Promise<unknown> => wait(ms, undefined, { ref: false })

/** The tokens that give access; empty for none. */
export interface Tokens {
  token: string
  /** Gives read-only access. */
  readToken: string
}

const BEARER = /^Bearer +(\S+) *$/i

/**
 * Creates the authentication of a console. Wrong tokens never delay a right one: behind a proxy all clients have the
 * same address, so any client could lock out the operators and Prometheus. A random token of the required length
 * cannot be guessed at any rate.
 *
 * @param now Returns milliseconds since 1970.
 * @param path Where the console is mounted, for the cookie.
 */
export function createAuth({ token, readToken }: Tokens, now: () => number = Date.now, delay = pause, path = '/') {
  const tokens = [token, readToken].filter((one) => one !== '')
  const attemptsOf = createAttempts(now)

  // Compares with all tokens, so that it always takes the same time.
  const findToken = (typed: string) => tokens.filter((one) => isSame(typed, one))[0]

  async function compare(typed: string, ip: string): Promise<AuthResult> {
    if (findToken(typed) !== undefined) return { kind: 'ok' }
    const attempts = attemptsOf(ip)
    attempts.wrong++
    if (attempts.wrong > MAX_WRONG) {
      if (attempts.pending >= MAX_PENDING) return { kind: 'throttled', seconds: DELAY_MS / 1_000 }
      attempts.pending++
      await delay(DELAY_MS)
      attempts.pending--
    }
    return { kind: 'denied' }
  }

  return {
    /** True if there is no token: then everyone has access. */
    isOpen: token === '',
    /** Checks the bearer token or the cookie of a request from the address `ip`. */
    async authenticate({ authorization, cookie }: IncomingHttpHeaders, ip: string): Promise<AuthResult> {
      if (token === '' || tokens.some((one) => hasSession(cookie, one, now()))) return { kind: 'ok' }
      const [, bearer] = BEARER.exec(authorization ?? '') ?? []
      return bearer === undefined ? { kind: 'denied' } : compare(bearer, ip)
    },
    /** Returns whether an authenticated request may change anything. The read token may not. */
    mayChange({ authorization, cookie }: IncomingHttpHeaders) {
      if (token === '' || hasSession(cookie, token, now())) return true
      const [, bearer = ''] = BEARER.exec(authorization ?? '') ?? []
      return isSame(bearer, token)
    },
    /** Checks a token that was typed, and returns a session cookie to set. */
    async signIn(
      typed: string,
      ip: string,
      headers: IncomingHttpHeaders,
    ): Promise<{ kind: 'ok'; cookie: string } | Exclude<AuthResult, { kind: 'ok' }>> {
      const result = await compare(typed.trim(), ip)
      if (result.kind !== 'ok') return result
      const cookie = createSessionCookie(findToken(typed.trim()) ?? token, now(), path, headers)
      return { kind: 'ok', cookie }
    },
    /** Returns a cookie that ends the browser's session. */
    signOut: (headers: IncomingHttpHeaders) => createEndCookie(path, headers),
  }
}

/** Returns a function that finds the attempts of an address within the last `WINDOW_MS`. */
function createAttempts(now: () => number): (ip: string) => Attempts {
  const attemptsOf = createAddressTable<Attempts>(MAX_ADDRESSES, () => ({ since: now(), wrong: 0, pending: 0 }))
  return (ip) => {
    const attempts = attemptsOf(ip)
    if (attempts.since + WINDOW_MS <= now()) Object.assign(attempts, { since: now(), wrong: 0 })
    return attempts
  }
}

const NAME = 'hydrant_console'
const SESSION_MS = 12 * 3_600_000
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=(\\d{1,16})\\.([\\w-]{43})(?:;|$)`)

/** Returns whether a `Cookie` header has a session that began with this token and has not expired. */
function hasSession(cookies: string | undefined, token: string, now: number): boolean {
  const [, until = '', signature = ''] = COOKIE.exec(cookies ?? '') ?? []
  return Number(until) > now && isSame(signature, sign(Number(until), token))
}

/** Returns a `Set-Cookie` header that begins a session with this token, for the console that is mounted at `path`. */
function createSessionCookie(token: string, now: number, path: string, headers: IncomingHttpHeaders): string {
  const until = now + SESSION_MS
  return createCookie(`${until}.${sign(until, token)}`, SESSION_MS / 1_000, path, headers)
}

function createEndCookie(path: string, headers: IncomingHttpHeaders): string {
  return createCookie('', 0, path, headers)
}

/** Compares two texts. It takes the same time wherever they differ, and whatever their lengths are. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHmac('sha256', 'same').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

// The cookie does not reveal the token, and cannot be forged to last longer.
function sign(until: number, token: string): string {
  return createHmac('sha256', token).update(`console until ${until}`).digest('base64url')
}

function createCookie(value: string, maxAgeSeconds: number, path: string, headers: IncomingHttpHeaders): string {
  const attributes = `Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=Strict`
  return `${NAME}=${value}; ${attributes}${isHttps(headers) ? '; Secure' : ''}`
}

// Trusts the headers of the browser or of a proxy. A client that sends them over plain HTTP gets a cookie that its own
// browser rejects.
function isHttps({ origin = '', forwarded = '', 'x-forwarded-proto': proto = '' }: IncomingHttpHeaders): boolean {
  return /^https:/i.test(origin) || /^[^,]*\bproto="?https\b/i.test(forwarded) || /^\s*https\b/i.test(String(proto))
}

const SIGN_IN_PATH = '/sign-in'

/** Returns the hosts, with ports, under which the listener responds; null for any host. */
export type AllowedHosts = () => readonly string[] | null

/** Adds a hook before every route: it sets the security headers, and checks host, origin and token of requests. */
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
    'content-security-policy': `${others}; form-action 'self'; ${contentSecurityPolicy(nonce, "'none'")}`,
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
  if (FORMATS[preferredFormat(headers)].isDocument && !isForScripts) {
    const search = url === '/' || !isSafe(method) ? '' : `?${new URLSearchParams({ to: url })}`
    return reply.redirect(prefix + SIGN_IN_PATH + search, 303)
  }
  reply.header('www-authenticate', 'Bearer realm="Hydrant"')
  return sendProblem(401, 'Send the token in a header: "Authorization: Bearer <token>".', reply)
}
