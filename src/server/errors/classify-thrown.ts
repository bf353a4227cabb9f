import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import { types } from 'node:util'
import type { Refusal } from '../../shared/wire/public-error.ts'
import { HttpError, isClientErrorStatus, NotFoundSignal, Redirection, Signal } from './http-error.ts'

/** The meaning of a thrown value. */
export type ThrownKind =
  | { kind: 'redirect'; redirection: Redirection }
  | { kind: 'notFound' }
  | { kind: 'refusal'; status: number; message: string; headers: Readonly<Record<string, string>> }
  | { kind: 'failure' }

/** The error that a site without a `not-found.tsx` shows for an unknown path. */
export const NOT_FOUND: Refusal = { kind: 'refusal', status: 404, message: 'This page could not be found.' }

/** Returns what the visitor reads of `notFound()` or of a refusal. */
export function refusalOf(kind: Extract<ThrownKind, { kind: 'notFound' | 'refusal' }>): Refusal {
  if (kind.kind === 'notFound') return NOT_FOUND
  const { status, message } = kind
  return { kind: 'refusal', status, message: message || (STATUS_CODES[status] ?? 'Refused') }
}

/**
 * Classifies a thrown value of any type. Never throws.
 *
 * @param given The status that `reply.code()` has given the response to it; it precedes that of the error, as in Fastify.
 */
export function classifyThrown(thrown: unknown, given: number | null = null): ThrownKind {
  if (typeof thrown !== 'object' || thrown === null || types.isProxy(thrown)) return { kind: 'failure' }
  try {
    if (thrown instanceof Signal) thrown.isCaught = true
    if (thrown instanceof Redirection) return { kind: 'redirect', redirection: thrown }
    if (thrown instanceof NotFoundSignal) return { kind: 'notFound' }
    const { statusCode: own, message } = thrown as { statusCode?: unknown; message?: unknown }
    const statusCode = given === null || (own === undefined && isBug(thrown)) ? own : given
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

const BUGS = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError, URIError]

/** Returns whether a value is of a class that JavaScript itself throws. Its message is for nobody else. */
function isBug(thrown: object): boolean {
  return BUGS.some((bug) => thrown instanceof bug)
}

/**
 * Returns the status that a failure of a route has in Fastify; null if it has none of its own. Never throws.
 *
 * @param given As for `classifyThrown`.
 */
export function ownFailureStatus(thrown: unknown, given: number | null): number | null {
  if (given !== null) return isServerErrorStatus(given) ? given : null
  try {
    if (types.isProxy(thrown) || !(thrown instanceof Error)) return null
    const { statusCode, expose } = thrown as { statusCode?: unknown; expose?: unknown }
    // http-errors only hides the message of these.
    return isServerErrorStatus(statusCode) && (expose === false || isForVisitor(thrown)) ? statusCode : null
  } catch {
    return null
  }
}

function isServerErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 500 && status <= 599
}

/**
 * Returns the headers that an error wants in its response, with names in lower case; a convention of http-errors that
 * Fastify follows.
 */
function headersOf(error: object): Record<string, string> {
  const headers: unknown = Reflect.get(error, 'headers')
  if (typeof headers !== 'object' || headers === null) return {}
  const valid = Object.entries(headers).filter(([name, value]) => isValidHeader(name, value))
  return Object.fromEntries(valid.map(([name, value]) => [name.toLowerCase(), value]))
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
 * Returns whether an error with a `statusCode` is meant for the visitor. Errors of HTTP clients have the same property,
 * for the status of another service's response: their messages may contain keys, hosts and accounts. Accepting only
 * known classes would make failures of the errors that Fastify apps throw, as Fastify's documentation recommends.
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
