import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createAddressTable } from '../util/address-table.ts'

/** Who is let in where a token is asked for. */
export interface Auth {
  /** Without a token everybody is. */
  isOpen: boolean
  judge(headers: IncomingHttpHeaders, ip: string): Promise<AuthResult>
  /** May who was let in change anything? False for the token that only reads. */
  mayChange(headers: IncomingHttpHeaders): boolean
  /** Takes what was typed; a pass is a cookie to set. */
  signIn(
    typed: string,
    ip: string,
    headers: IncomingHttpHeaders,
  ): Promise<{ kind: 'in'; cookie: string } | Exclude<AuthResult, { kind: 'in' }>>
  /** The cookie that ends a browser's stay. */
  signOut(headers: IncomingHttpHeaders): string
}

export type AuthResult =
  | { kind: 'in' }
  /** Nothing, or not the token. */
  | { kind: 'out' }
  /** After too many wrong ones, when too many from the same address wait to be looked at. */
  | { kind: 'wait'; seconds: number }

const COOKIE = 'hydrant_console'
const STAY_MS = 12 * 3_600_000
const MAX_WRONG = 10
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 1_000
/** What is tried after that many is looked at so much later, and of so many at once. */
const DELAY_MS = 1_000
const MAX_WAITING = 10

interface Attempts {
  since: number
  wrong: number
  /** How many wait to be looked at. */
  waiting: number
}

const pause = (ms: number): Promise<unknown> => wait(ms, undefined, { ref: false })

/** What lets somebody in; empty for none. */
export interface Tokens {
  token: string
  /** Lets in to read alone. */
  readToken: string
}

const BEARER = /^Bearer +(\S+) *$/i

/**
 * Wrong tokens make their address wait and do not shut it out: behind a proxy everybody has the same, and anybody could keep
 * the operators out.
 *
 * @param now Milliseconds since 1970.
 * @param path Where the console is mounted, for the cookie.
 */
export function createAuth(
  { token, readToken }: Tokens,
  now: () => number = Date.now,
  delay = pause,
  path = '/',
): Auth {
  const attemptsOf = createAddressTable<Attempts>(MAX_ADDRESSES, () => ({ since: now(), wrong: 0, waiting: 0 }))

  const given = [token, readToken].filter((one) => one !== '')

  /** Was the cookie given for that token? */
  function hasPass(header: string | undefined, own: string): boolean {
    const [, until = '', signature = ''] = PASS.exec(header ?? '') ?? []
    return Number(until) > now() && isSame(signature, sign(Number(until), own))
  }

  // Looks at all of them, so that it always takes the same time.
  const find = (typed: string) => given.filter((one) => isSame(typed, one))[0]

  async function compare(typed: string, ip: string): Promise<AuthResult> {
    const own = attemptsOf(ip)
    if (own.since + WINDOW_MS <= now()) Object.assign(own, { since: now(), wrong: 0 })
    if (own.wrong >= MAX_WRONG) {
      if (own.waiting >= MAX_WAITING) return { kind: 'wait', seconds: DELAY_MS / 1_000 }
      own.waiting++
      await delay(DELAY_MS)
      own.waiting--
    }
    if (find(typed) !== undefined) return { kind: 'in' }
    own.wrong++
    return { kind: 'out' }
  }

  return {
    isOpen: token === '',
    async judge({ authorization, cookie }, ip) {
      if (token === '' || given.some((one) => hasPass(cookie, one))) return { kind: 'in' }
      const [, bearer] = BEARER.exec(authorization ?? '') ?? []
      return bearer === undefined ? { kind: 'out' } : compare(bearer, ip)
    },
    mayChange({ authorization, cookie }) {
      if (token === '' || hasPass(cookie, token)) return true
      const [, bearer = ''] = BEARER.exec(authorization ?? '') ?? []
      return isSame(bearer, token)
    },
    async signIn(typed, ip, headers) {
      const judgement = await compare(typed.trim(), ip)
      if (judgement.kind !== 'in') return judgement
      const until = now() + STAY_MS
      const signature = sign(until, find(typed.trim()) ?? token)
      return { kind: 'in', cookie: createCookie(`${until}.${signature}`, STAY_MS / 1000, path, headers) }
    },
    signOut: (headers) => createCookie('', 0, path, headers),
  }
}

// Of the cookie it can neither be read what the token is, nor be made one that lasts longer.
function sign(until: number, token: string): string {
  return createHmac('sha256', token).update(`console until ${until}`).digest('base64url')
}

function createCookie(value: string, maxAgeSeconds: number, path: string, headers: IncomingHttpHeaders): string {
  const attributes = `Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=Strict`
  return `${COOKIE}=${value}; ${attributes}${isByHttps(headers) ? '; Secure' : ''}`
}

// By what the browser says, or a proxy. Whoever claims it without reason has no cookie that their own browser would keep.
function isByHttps({ origin = '', forwarded = '', 'x-forwarded-proto': proto = '' }: IncomingHttpHeaders): boolean {
  return /^https:/i.test(origin) || /^[^,]*\bproto="?https\b/i.test(forwarded) || /^\s*https\b/i.test(String(proto))
}

const PASS = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\d{1,16})\\.([\\w-]{43})(?:;|$)`)

/** Takes the same time wherever they differ, and however long they are. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHmac('sha256', 'same').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
