import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createAddressTable } from '../util/address-table.ts'

/** Authenticates operators by a token or a session cookie. */
export interface Auth {
  /** True if there is no token: then everyone has access. */
  isOpen: boolean
  /** Checks the bearer token or the cookie of a request from the address `ip`. */
  authenticate(headers: IncomingHttpHeaders, ip: string): Promise<AuthResult>
  /** Returns whether an authenticated request may change anything. The read token may not. */
  mayChange(headers: IncomingHttpHeaders): boolean
  /** Checks a token that was typed, and returns a session cookie to set. */
  signIn(
    typed: string,
    ip: string,
    headers: IncomingHttpHeaders,
  ): Promise<{ kind: 'ok'; cookie: string } | Exclude<AuthResult, { kind: 'ok' }>>
  /** Returns a cookie that ends the browser's session. */
  signOut(headers: IncomingHttpHeaders): string
}

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
export function createAuth(
  { token, readToken }: Tokens,
  now: () => number = Date.now,
  delay = pause,
  path = '/',
): Auth {
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
    isOpen: token === '',
    async authenticate({ authorization, cookie }, ip) {
      if (token === '' || tokens.some((one) => hasSession(cookie, one, now()))) return { kind: 'ok' }
      const [, bearer] = BEARER.exec(authorization ?? '') ?? []
      return bearer === undefined ? { kind: 'denied' } : compare(bearer, ip)
    },
    mayChange({ authorization, cookie }) {
      if (token === '' || hasSession(cookie, token, now())) return true
      const [, bearer = ''] = BEARER.exec(authorization ?? '') ?? []
      return isSame(bearer, token)
    },
    async signIn(typed, ip, headers) {
      const result = await compare(typed.trim(), ip)
      if (result.kind !== 'ok') return result
      const cookie = createSessionCookie(findToken(typed.trim()) ?? token, now(), path, headers)
      return { kind: 'ok', cookie }
    },
    signOut: (headers) => createEndCookie(path, headers),
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

/** Returns a `Set-Cookie` header that ends the session. */
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
