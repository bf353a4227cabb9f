import { createHydrantError, showValue } from '../errors/error-table.ts'
import { redirectLocation } from './redirect-location.ts'

/**
 * An answer meant for the visitor: its status and message are shown, it has no digest and is logged at info.
 * Errors of `@fastify/error` and `http-errors` with such a status are treated the same, and so is any other error with a
 * `statusCode` from 400 to 499, unless it is one of an HTTP client or has `expose: false`.
 */
export class HttpError extends Error {
  readonly statusCode: number

  /**
   * @param statusCode 400 to 499; throws HYD_HTTP_ERROR_STATUS for another.
   * @param message What the visitor reads. Plain text, escaped where it is shown.
   */
  constructor(statusCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    if (!isClientErrorStatus(statusCode)) throw createHydrantError('HYD_HTTP_ERROR_STATUS', [showValue(statusCode)])
    this.name = 'HttpError'
    this.statusCode = statusCode
  }
}

export type RedirectStatus = 301 | 302 | 303 | 307 | 308

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

/** Thrown by `redirect()`; not an error. */
export class Redirection {
  readonly to: string | URL
  /** Null when it is left to the request's method. */
  readonly status: RedirectStatus | null
  constructor(to: string | URL, status: RedirectStatus | null) {
    this.to = to
    this.status = status
  }
}

/** Thrown by `notFound()`; not an error. */
export class NotFoundSignal {}

/**
 * Ends the load or the action and answers with a redirect.
 * @param to A path of this site (`/login`, without the base), or a path relative to the page. To leave the site on
 *   purpose pass a `URL` object. Throws HYD_REDIRECT_OUTSIDE for a string that leads to another origin and for a `URL`
 *   that is not of http or https.
 * @param status 301, 302, 303, 307 or 308 (302 for GET and HEAD; 303 for other methods, so that what follows is a GET);
 *   throws HYD_REDIRECT_STATUS for another.
 */
export function redirect(to: string | URL, status?: RedirectStatus): never {
  if (status !== undefined && !REDIRECT_STATUSES.includes(status))
    throw createHydrantError('HYD_REDIRECT_STATUS', [showValue(status)])
  // Here, and not when the redirect is answered: the stack of the error then leads to the call.
  redirectLocation(to, '/', '/')
  throw new Redirection(to, status ?? null)
}

/** Ends the load or the action and answers with the site's 404 page. */
export function notFound(): never {
  throw new NotFoundSignal()
}

export function isClientErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 499
}
