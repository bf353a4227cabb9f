import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Who is let in where a token is asked for. */
export interface Door {
  /** Without a token everybody is. */
  isOpen: boolean
  judge(headers: IncomingHttpHeaders, ip: string): Judgement
  /** Takes what was typed; a pass is a cookie to set. */
  signIn(typed: string, ip: string): { kind: 'in'; cookie: string } | Exclude<Judgement, { kind: 'in' }>
  /** The cookie that ends a browser's stay. */
  signOut(): string
}

export type Judgement =
  | { kind: 'in' }
  /** Nothing, or not the token. */
  | { kind: 'out' }
  /** After too many wrong ones. */
  | { kind: 'wait'; seconds: number }

const COOKIE = 'hydrant_console'
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'
const STAY_MS = 12 * 3_600_000
const MAX_WRONG = 10
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 1_000

interface Attempts {
  since: number
  wrong: number
}

/** @param now Milliseconds since 1970. */
export function createDoor(token: string, now: () => number = Date.now): Door {
  const attempts = new Map<string, Attempts>()

  // Of the cookie it can neither be read what the token is, nor be made one that lasts longer.
  const sign = (until: number) => createHmac('sha256', token).update(`console until ${until}`).digest('base64url')

  function hasPass(header: string | undefined): boolean {
    const [, until = '', signature = ''] = PASS.exec(header ?? '') ?? []
    return Number(until) > now() && isSame(signature, sign(Number(until)))
  }

  function waitOf(ip: string): number {
    const { since, wrong } = attempts.get(ip) ?? { since: 0, wrong: 0 }
    return wrong < MAX_WRONG ? 0 : Math.max(0, Math.ceil((since + WINDOW_MS - now()) / 1000))
  }

  function noteWrong(ip: string) {
    const known = attempts.get(ip)
    if (known && known.since + WINDOW_MS > now()) known.wrong++
    else {
      if (attempts.size >= MAX_ADDRESSES) attempts.clear()
      attempts.set(ip, { since: now(), wrong: 1 })
    }
  }

  function compare(typed: string, ip: string): Judgement {
    const seconds = waitOf(ip)
    if (seconds > 0) return { kind: 'wait', seconds }
    if (isSame(typed, token)) return { kind: 'in' }
    noteWrong(ip)
    return { kind: 'out' }
  }

  return {
    isOpen: token === '',
    judge({ authorization, cookie }, ip) {
      if (token === '' || hasPass(cookie)) return { kind: 'in' }
      const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
      return bearer === undefined ? { kind: 'out' } : compare(bearer, ip)
    },
    signIn(typed, ip) {
      const judgement = compare(typed.trim(), ip)
      if (judgement.kind !== 'in') return judgement
      const until = now() + STAY_MS
      return { kind: 'in', cookie: `${COOKIE}=${until}.${sign(until)}; Max-Age=${STAY_MS / 1000}; ${ATTRIBUTES}` }
    },
    signOut: () => `${COOKIE}=; Max-Age=0; ${ATTRIBUTES}`,
  }
}

const PASS = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\d{1,16})\\.([\\w-]{43})(?:;|$)`)

/** Takes the same time wherever they differ, and however long they are. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHmac('sha256', 'same').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
