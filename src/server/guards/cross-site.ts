import { parseUrl } from '../util/parse-url.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/** Does the method change nothing, whoever asks? */
export function isSafe(method: string): boolean {
  return SAFE_METHODS.includes(method)
}

export interface CrossSiteInput {
  method: string
  /** Does it ask for another protocol? (false) */
  isUpgrade?: boolean
  /** The header `Sec-Fetch-Site`, which browsers send to secure addresses and scripts cannot set. */
  fetchSite: string | undefined
  /** The header `Origin`. */
  origin: string | undefined
  /** Host and port as the visitor sees them. */
  host: string
  /** Origins that may. */
  allowedOrigins: readonly string[]
}

export type Verdict =
  | { kind: 'pass' }
  /** `compared` names both values, `hint` what to do when it should have passed. */
  | { kind: 'refused'; compared: string; hint: string }

const PASS: Verdict = { kind: 'pass' }

/**
 * May this request change something? Not when a browser sends it for another site. What is no browser says neither where
 * it comes from nor carries a visitor's cookies unasked: it passes.
 */
export function judgeOrigin({ method, isUpgrade, fetchSite, origin, host, allowedOrigins }: CrossSiteInput): Verdict {
  if (isSafe(method) && !isUpgrade) return PASS
  if (origin !== undefined && allowedOrigins.includes(origin)) return PASS
  if (fetchSite !== undefined) {
    if (fetchSite === 'same-origin' || fetchSite === 'none') return PASS
    const compared = `Sec-Fetch-Site is ${quote(fetchSite)}, not "same-origin" or "none"; Origin is ${quote(origin)}`
    return { kind: 'refused', compared, hint: allowHint(origin) }
  }
  if (origin === undefined) return PASS
  // The scheme is not compared: behind a proxy that ends TLS the server sees another one than the visitor.
  const from = authorityOf(origin)
  const own = authorityOf(`http://${host}`)
  if (from !== null && from === own) return PASS
  const compared = `Origin is ${quote(origin)}, the public host is ${quote(host)}`
  return { kind: 'refused', compared, hint: isPortLost(from, own) ? PORT_HINT : allowHint(origin) }
}

// A port is part of what is compared also when the Host names none. Behind a proxy that drops it the two cannot be told
// from a page of another server on the same machine, which has the site's cookies.
const PORT_HINT =
  'if this is the site itself, make the proxy forward the port (nginx: proxy_set_header Host $http_host), or add the origin to allowedOrigins'

function allowHint(origin: string | undefined): string {
  if (authorityOf(origin ?? '') === null) return 'only a request with an origin can be allowed'
  return 'if this is the site itself, make the proxy forward the public host; if it is another site that may send this, add it to allowedOrigins'
}

function isPortLost(from: string | null, own: string | null): boolean {
  return from !== null && own !== null && !/:\d+$/.test(own) && from.replace(/:\d+$/, '') === own
}

/** Host and port in one spelling, without a default port; null for what has none, such as the origin `null`. */
function authorityOf(origin: string): string | null {
  const url = /^https?:\/\/[^/?#@\\\s]+$/i.test(origin) ? parseUrl(origin) : null
  return url?.host.replace(/:(?:80|443)$/, '') ?? null
}

// What anybody may send is cut to size.
function quote(value: string | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value.slice(0, 200))
}
