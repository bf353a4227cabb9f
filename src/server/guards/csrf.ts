// Refuses requests that other sites make a visitor's browser send (cross-site request forgery).

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import { HttpError } from '../errors/http-error.ts'
import { fetchSiteOf } from '../http/request-url.ts'
import type { Options } from '../options/options.ts'
import { createRedactor } from '../redaction/redact.ts'
import { parseUrl } from '../util/addresses.ts'

/** A refused request from another site. It has been logged. */
export class CrossSiteError extends HttpError {}

type GuardOptions = Pick<Options, 'allowedOrigins'>

const CHECKS_ITSELF = Symbol('checksItself')

/**
 * Adds a hook that refuses requests from other sites with 403, on all routes of the instance and before the body is
 * read. It leaves requests to the routes of `leaveCheckTo` to these.
 */
export function addCrossSiteGuard(app: FastifyInstance, options: GuardOptions) {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!mayChange(request)) return done()
    const verdict = judge(request, options)
    if (verdict.kind === 'pass' || isExempt(request) || checksItself(request)) done()
    else done(refuse(verdict, request))
  })
}

/**
 * Leaves the check of requests from other sites to a route of `server.ts`. Returns false for a route that changes
 * nothing. Call it in an `onRoute` hook, and `guardRoute` when all of these hooks have run.
 */
export function leaveCheckTo(route: RouteOptions): boolean {
  if ([route.method].flat().every(isSafe)) return false
  route.config = Object.assign({ ...route.config }, { [CHECKS_ITSELF]: true })
  return true
}

/**
 * Makes a route of `server.ts` refuse requests from other sites after the `onRequest` hooks of its scope, and before the
 * body is read. So the refusal has the headers of @fastify/cors, and requests that those headers allow pass.
 */
export function guardRoute(route: RouteOptions, options: GuardOptions) {
  const guard: onRequestHookHandler = (request, reply, done) => {
    const verdict = judge(request, options)
    if (verdict.kind === 'pass' || isExempt(request) || isGranted(request, reply)) done()
    else done(refuse(verdict, request))
  }
  // After the hooks of its scope.
  route.onRequest = [guard, ...[route.onRequest ?? []].flat()]
}

// Plugins take a WebSocket over in an `onRequest` hook.
function checksItself({ routeOptions: { config }, headers }: FastifyRequest): boolean {
  return CHECKS_ITSELF in config && headers.upgrade === undefined
}

function isExempt({ routeOptions: { config } }: FastifyRequest): boolean {
  return typeof config.hydrant === 'object' && config.hydrant.csrf === false
}

// A WebSocket is opened by GET, and browsers let the scripts of every site open one.
function mayChange({ method, headers }: FastifyRequest): boolean {
  return !SAFE_METHODS.includes(method) || headers.upgrade !== undefined
}

function judge({ method, headers, host = '' }: FastifyRequest, { allowedOrigins }: GuardOptions): Verdict {
  return judgeOrigin({
    method,
    isUpgrade: headers.upgrade !== undefined,
    fetchSite: fetchSiteOf(headers),
    origin: headers.origin,
    host,
    allowedOrigins,
  })
}

/** Logs a refusal, and returns its error. */
function refuse({ compared, hint }: Refused, { method, headers, originalUrl, log }: FastifyRequest): CrossSiteError {
  const redact = createRedactor(headers)
  log.info(
    { method, url: redact(originalUrl), statusCode: 403 },
    `refused with 403: the request comes from another site: ${redact(compared)} (${hint})`,
  )
  return new CrossSiteError(403, 'This request comes from another site.')
}

/**
 * Whether hooks have allowed the request by CORS, which @fastify/cors does. CORS only protects against requests that a
 * browser asks about first. Any site can send others, such as a form, with the visitor's cookies. Those pass only if
 * the origin may use these cookies.
 */
function isGranted({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const { origin } = headers
  const granted = reply.getHeader('access-control-allow-origin')
  if (origin === undefined || (granted !== origin && granted !== '*')) return false
  const mayUseCookies = granted === origin && reply.getHeader('access-control-allow-credentials') === 'true'
  return mayUseCookies || needsPreflight(method, headers)
}

/** The types of bodies that browsers send to any site: of forms, of `<a ping>`, and of reports of a policy. */
const SENT_UNASKED = [
  ...['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'],
  ...['text/ping', 'application/csp-report'],
]

/** Whether a browser asks before it sends such a request to another origin (https://fetch.spec.whatwg.org/#cors-preflight-fetch). */
function needsPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  // Only requests of the mode `cors` are asked about. Browsers do not send the header to plain http.
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined && mode !== 'cors') return false
  if (method !== 'POST') return true
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';')
  return type.trim() !== '' && !SENT_UNASKED.includes(type.trim())
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/** Whether requests with the method change nothing. */
export function isSafe(method: string): boolean {
  return SAFE_METHODS.includes(method)
}

export interface CrossSiteInput {
  method: string
  /** Whether the request asks for another protocol (false). */
  isUpgrade?: boolean
  /** The header `Sec-Fetch-Site`. */
  fetchSite: string | undefined
  /** The header `Origin`. */
  origin: string | undefined
  /** The public host and port. */
  host: string
  /** Origins whose requests pass. */
  allowedOrigins: readonly string[]
}

/** `compared` names the two values that differ. `hint` says what to do if the request should have passed. */
interface Refused {
  kind: 'refused'
  compared: string
  hint: string
}

export type Verdict = { kind: 'pass' } | Refused

const PASS: Verdict = { kind: 'pass' }

/**
 * Decides whether a request may change something. A request that a browser sends for another site may not. A client
 * that is not a browser passes: it sends none of these headers, and only the cookies that its user gave it.
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
  // The scheme is not compared: the server sees http behind a proxy that ends TLS.
  const from = authorityOf(origin)
  const to = authorityOf(`http://${host}`)
  if (from !== null && from === to) return PASS
  const compared = `Origin is ${quote(origin)}, the public host is ${quote(host)}`
  return { kind: 'refused', compared, hint: isPortLost(from, to) ? PORT_HINT : allowHint(origin) }
}

// The port is compared even if the Host header has none. Another server on the same machine shares the site's cookies,
// and behind a proxy that drops the port, its pages cannot be distinguished from those of the site.
const PORT_HINT =
  'if this is the site itself, make the proxy forward the port (nginx: proxy_set_header Host $http_host), or add the origin to allowedOrigins'

function allowHint(origin: string | undefined): string {
  if (authorityOf(origin ?? '') === null) return 'only a request with an origin can be allowed'
  return 'if this is the site itself, make the proxy forward the public host; if it is another site that may send this, add it to allowedOrigins'
}

function isPortLost(from: string | null, to: string | null): boolean {
  return from !== null && to !== null && !/:\d+$/.test(to) && from.replace(/:\d+$/, '') === to
}

/**
 * Returns host and port in one spelling, without a default port. Returns null if there is no host, as in the origin
 * `null`.
 */
function authorityOf(origin: string): string | null {
  const url = /^https?:\/\/[^/?#@\\\s]+$/i.test(origin) ? parseUrl(origin) : null
  return url?.host.replace(/:(?:80|443)$/, '') ?? null
}

/** Quotes a header for the log, truncated: clients choose it. */
function quote(value: string | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value.slice(0, 200))
}
