import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { redirectLocation } from './redirect-location.ts'

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
