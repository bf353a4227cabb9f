import { withBase } from '../../shared/paths.ts'
import { parseUrl } from '../util/addresses.ts'
import { createHydrantError, showValue } from './hydrant-error.ts'

/**
 * A refusal of a request: `throw new HttpError(403, 'Members only.')`. The visitor gets the status and the message. A
 * refusal has no digest, and is logged at level info. Errors of `@fastify/error` and `http-errors` with a status from
 * 400 to 499 are refusals, too. So is any other error with such a `statusCode`, unless it comes from an HTTP client
 * or has `expose: false`.
 */
export class HttpError extends Error {
  readonly statusCode: number

  /**
   * Throws HYD_HTTP_ERROR_STATUS for a status outside of 400 to 499.
   *
   * @param statusCode The HTTP status, 400 to 499.
   * @param message The text that the visitor reads. Plain text; it is escaped where it is shown.
   */
  constructor(statusCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    if (!isClientErrorStatus(statusCode)) throw createHydrantError('HYD_HTTP_ERROR_STATUS', [showValue(statusCode)])
    this.name = 'HttpError'
    this.statusCode = statusCode
  }
}

/** A status that `redirect()` accepts. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

type SignalListener = (signal: Signal, place: Error) => void

let onSignal: SignalListener | null = null

/** Sets the function that is called with each redirect and `notFound()`, and with their place, in development. */
export function setSignalListener(listener: SignalListener) {
  onSignal = listener
}

/** A thrown value that is not an error. */
export class Signal {
  /** Whether Hydrant has caught it. */
  isCaught = false
  constructor() {
    onSignal?.(this, new Error('the place'))
  }
}

/** The value that `redirect()` throws. It is not an error. */
export class Redirection extends Signal {
  readonly to: string | URL
  /** Null if the method of the request decides. */
  readonly status: RedirectStatus | null
  constructor(to: string | URL, status: RedirectStatus | null) {
    super()
    this.to = to
    this.status = status
  }

  /** For code that catches the value and shows it. */
  override toString(): string {
    return `redirect('${this.to}')`
  }
}

/** The value that `notFound()` throws. It is not an error. */
export class NotFoundSignal extends Signal {
  override toString(): string {
    return 'notFound()'
  }
}

/**
 * Ends a guard, a load or an action with a redirect, by throwing. Call it before this function returns: a redirect in
 * a deferred promise or a streamed component is the failure HYD_REDIRECT_LATE.
 *
 * Throws HYD_REDIRECT_OUTSIDE if a string leads to another origin or a `URL` has a protocol other than http and
 * https, and HYD_REDIRECT_STATUS for any other status than those below.
 *
 * @param to A path of this site, such as `/login` or the result of `href`, or a path relative to the page. The base
 *   is added if it is missing. To leave the site on purpose, pass a `URL` object.
 * @param status 301, 302, 303, 307 or 308 (302 for GET and HEAD; 303 for other methods, so that the next request is a
 *   GET).
 */
export function redirect(to: string | URL, status?: RedirectStatus): never {
  if (status !== undefined && !REDIRECT_STATUSES.includes(status))
    throw createHydrantError('HYD_REDIRECT_STATUS', [showValue(status)])
  // Checked here and not when the response is sent, so that the stack of the error leads to the call.
  redirectLocation(to, '/', '/')
  throw new Redirection(to, status ?? null)
}

/** Ends a guard, a load or an action with the site's 404 page and the status 404, by throwing. */
export function notFound(): never {
  throw new NotFoundSignal()
}

export function isClientErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 499
}

/** Messages by the names of their fields (`items[0].name`). The empty name is for the whole form. */
export type FormMessages = Readonly<Record<string, string | readonly string[]>>

const messagesOf = new WeakMap<object, FormMessages>()

/**
 * Ends an action because the form has problems that only the action can find, by throwing:
 * `invalidForm({ email: 'This address has an account.' })`. The response has the status 422, and shows the page again
 * with these messages in `invalid.issues` and the visitor's texts in `invalid.values`. A JSON client gets the
 * messages as problem+json.
 *
 * Outside of an action, the call is the failure HYD_INVALID_FORM.
 *
 * @param messages One or more messages for each field; those of the whole form have the empty name.
 */
export function invalidForm(messages: FormMessages): never {
  // An error, so that a call outside of an action is a failure with the line of the call.
  const error = createHydrantError('HYD_INVALID_FORM', [])
  Error.captureStackTrace(error, invalidForm)
  messagesOf.set(error, messages)
  throw error
}

/** Returns the messages of a value that `invalidForm` has thrown; null for any other value. */
export function formMessagesOf(thrown: unknown): FormMessages | null {
  return typeof thrown === 'object' && thrown !== null ? (messagesOf.get(thrown) ?? null) : null
}

/** A placeholder for the site's origin while a path is parsed. The result does not depend on it. */
const SITE = 'http://site.invalid'

/**
 * Returns the Location header for `redirect(to)`. A string stays within the site, whatever a request has put into it;
 * only a URL object leads elsewhere. The parser of URLs decides, as in browsers: they read `//evil.example`,
 * `/\evil.example` and a slash, a tab and a slash as other hosts. The base is prepended unless the path has it already,
 * as a path from `href` does. Throws HYD_REDIRECT_OUTSIDE.
 *
 * @param path The request's path, with the base. A relative `to` is resolved against it.
 */
export function redirectLocation(to: string | URL, path: string, base: string): string {
  if (typeof to !== 'string') {
    if (to.protocol === 'http:' || to.protocol === 'https:') return to.href
    throw createHydrantError('HYD_REDIRECT_OUTSIDE', [showValue(to.href)])
  }
  const target = parseLocal(to, path)
  if (!target) throw createHydrantError('HYD_REDIRECT_OUTSIDE', [showValue(to)])
  const pathname =
    to.startsWith('/') && !isBelow(base, target.pathname) ? withBase(base, target.pathname) : target.pathname
  return collapseSlashes(pathname) + target.search + target.hash
}

/**
 * Returns `text` if `redirect()` accepts it as a path of this site, otherwise `fallback`. It is for a path that comes
 * from the request, such as the page to return to after a sign-in: `redirect(localPath(url.searchParams.get('from'),
 * '/'))`. Anyone can write a link to that page with any text. Never throws.
 *
 * @param text The value from the request. A missing value, an empty text and a value of another type, such as a file
 *   of a form or several values of a query, lead to the fallback. So do the addresses of other sites: those with a
 *   protocol, `//evil.example` and `/\evil.example`, also with control characters in between.
 * @param fallback The path if there is no text that leads to this site. It is not checked.
 */
export function localPath(text: unknown, fallback: string): string {
  return typeof text === 'string' && text !== '' && parseLocal(text, '/') ? text : fallback
}

/** Parses a relative address. Returns null if a browser would leave the site for it. */
function parseLocal(to: string, path: string): URL | null {
  // With the protocol of the placeholder, `http:a` is a path. A browser at an https address reads it as a host.
  if (parseUrl(to)) return null
  // The URL parser of the standard, as in browsers: `/\evil.example` and `/<tab>/evil.example` lead to another host.
  const target = parseUrl(to, SITE + path)
  return target?.origin === SITE ? target : null
}

function isBelow(base: string, path: string): boolean {
  return path === base || path.startsWith(`${base}/`)
}

/**
 * Returns the given status, else 302 for GET and HEAD, and 303 for other methods: the browser does not send a form
 * again.
 */
export function redirectStatus(given: number | null, method: string): number {
  return given ?? (method === 'GET' || method === 'HEAD' ? 302 : 303)
}

/** Returns whether a browser that receives this status repeats the request, with its body, at the new location. */
export function isSentOnRedirect(status: number, method: string): boolean {
  return (status === 307 || status === 308) && method !== 'GET' && method !== 'HEAD'
}

/** Returns whether a Location header leads to an http or https address, or is relative. */
export function isWebAddress(to: string): boolean {
  return /^https?:$/.test(parseUrl(to, SITE)?.protocol ?? '')
}

/**
 * Collapses leading slashes: two of them, or a backslash, begin a host name, even with control characters in between.
 */
export function collapseSlashes(path: string): string {
  return path.replace(/^[/\\\p{Cc}]+/u, '/')
}
