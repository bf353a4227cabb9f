import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const NAME = 'hydrant_console'
const SESSION_MS = 12 * 3_600_000
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=(\\d{1,16})\\.([\\w-]{43})(?:;|$)`)

/** Returns whether a `Cookie` header has a session that began with this token and has not expired. */
export function hasSession(cookies: string | undefined, token: string, now: number): boolean {
  const [, until = '', signature = ''] = COOKIE.exec(cookies ?? '') ?? []
  return Number(until) > now && isSame(signature, sign(Number(until), token))
}

/** Returns a `Set-Cookie` header that begins a session with this token, for the console that is mounted at `path`. */
export function createSessionCookie(token: string, now: number, path: string, headers: IncomingHttpHeaders): string {
  const until = now + SESSION_MS
  return createCookie(`${until}.${sign(until, token)}`, SESSION_MS / 1_000, path, headers)
}

/** Returns a `Set-Cookie` header that ends the session. */
export function createEndCookie(path: string, headers: IncomingHttpHeaders): string {
  return createCookie('', 0, path, headers)
}

/** Compares two texts. It takes the same time wherever they differ, and whatever their lengths are. */
export function isSame(given: string, expected: string): boolean {
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
