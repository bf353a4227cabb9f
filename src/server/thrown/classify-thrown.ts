import { validateHeaderName, validateHeaderValue } from 'node:http'
import { types } from 'node:util'
import { HttpError, isClientErrorStatus, NotFoundSignal, Redirection, Signal } from './http-error.ts'

/** The meaning of a thrown value. */
export type ThrownKind =
  | { kind: 'redirect'; redirection: Redirection }
  | { kind: 'notFound' }
  | { kind: 'refusal'; status: number; message: string; headers: Readonly<Record<string, string>> }
  | { kind: 'failure' }

/** Classifies a thrown value of any type. Never throws. */
export function classifyThrown(thrown: unknown): ThrownKind {
  if (typeof thrown !== 'object' || thrown === null || types.isProxy(thrown)) return { kind: 'failure' }
  try {
    if (thrown instanceof Signal) thrown.isCaught = true
    if (thrown instanceof Redirection) return { kind: 'redirect', redirection: thrown }
    if (thrown instanceof NotFoundSignal) return { kind: 'notFound' }
    const { statusCode, message } = thrown as { statusCode?: unknown; message?: unknown }
    if (thrown instanceof Error && isClientErrorStatus(statusCode) && isForVisitor(thrown)) {
      return statusCode === 404 && !message
        ? { kind: 'notFound' }
        : { kind: 'refusal', status: statusCode, message: String(message), headers: headersOf(thrown) }
    }
  } catch {
    // A getter, or a Proxy in the prototype chain, threw: the value is not meant for a visitor.
  }
  return { kind: 'failure' }
}

/**
 * Returns the status that Fastify would send for an error; null if there is none, or if it is that of another service's
 * response. Never throws.
 *
 * @param given The status of the reply. It may be that of the error: Fastify sets it for what a route handler throws.
 */
export function errorStatusOf(thrown: unknown, given: number): number | null {
  const own = ownStatusOf(thrown)
  if (isErrorStatus(given) && given !== own?.status) return given
  return own?.isForVisitor ? own.status : null
}

function ownStatusOf(thrown: unknown): { status: number; isForVisitor: boolean } | null {
  if (typeof thrown !== 'object' || thrown === null || types.isProxy(thrown)) return null
  try {
    // The properties may have any type.
    const error = thrown as Error & { statusCode?: unknown; status?: unknown; expose?: unknown }
    const status = [error.statusCode, error.status].find(isErrorStatus)
    if (status === undefined) return null
    // http-errors hides the message of these, and not the status.
    const isHidden = status >= 500 && error.expose === false
    return { status, isForVisitor: isHidden || isForVisitor(error) }
  } catch {
    return null
  }
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && status >= 400 && status <= 599
}

/** Returns the headers that an error wants in its response, a convention of http-errors that Fastify follows. */
function headersOf(error: object): Record<string, string> {
  const headers: unknown = Reflect.get(error, 'headers')
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => isValidHeader(name, value)))
}

function isValidHeader(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** The mark on the prototype of errors of `@fastify/error`. */
const FASTIFY_ERROR = Symbol.for('fastify-error-generic')

/**
 * Properties that clients of other services add to their errors: Stripe, AWS, Azure, Elasticsearch, got, undici,
 * ofetch, request, web-push, dockerode, nano and others. An error that was thrown for the visitor has none of them.
 */
const UPSTREAM_MARKS = [
  ['request', 'response', 'req', 'res', 'options', 'config', 'timings', 'result', 'metadata'],
  ['headers', 'body', 'text', 'json', 'responseBody', 'responseText', 'statusText', 'statusMessage'],
  ['raw', 'rawType', 'rawError', 'rawResponse', 'type', 'meta', '$metadata', '$response', '$fault'],
  ['requestId', 'requestID', 'request_id', 'requestInfo', 'requestUrl', 'extendedRequestId', 'activityId', 'errid'],
  ['hostname', 'endpoint', 'region', 'retryable', 'originalError', 'errorCode', 'errorInfo', 'moreInfo', 'oauthError'],
  ['errno', 'syscall', 'scope', 'isAxiosError', 'transporterStackTrace'],
].flat()

/** Names of error classes for the response of another service. */
const UPSTREAM_NAME = /(?:Upstream|Response|StatusCode|Fetch|Sdk|SDK)(?:Error|Exception)$/

/**
 * Returns whether an error with a `statusCode` of 4xx is meant for the visitor. Errors of HTTP clients have the same
 * property, for the status of another service's response: their messages may contain keys, hosts and accounts.
 */
function isForVisitor(error: Error): boolean {
  // The properties may have any type.
  const { expose, code } = error as { expose?: unknown; code?: unknown }
  // `expose` is the convention of http-errors, which other packages follow.
  if (typeof expose === 'boolean') return expose
  if (error instanceof HttpError || FASTIFY_ERROR in error) return true
  if (typeof code === 'string' && code.startsWith('FST_')) return true
  // The code of an error for visitors is a name, as in Fastify and Node.js.
  if (typeof code === 'number' || UPSTREAM_MARKS.some((name) => name in error)) return false
  return ![error.name, error.constructor.name].some((name) => UPSTREAM_NAME.test(name))
}
