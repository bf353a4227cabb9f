import { HttpError } from './http-error.ts'

/** On the prototype of what `@fastify/error` makes. */
const FASTIFY_ERROR = Symbol.for('fastify-error-generic')

/**
 * What clients of other services add to their errors, by which those are told from errors that were thrown for the visitor:
 * Stripe, AWS, Azure, Elasticsearch, got, undici, ofetch, request, web-push, dockerode, nano and others.
 */
const UPSTREAM_MARKS = [
  ['request', 'response', 'req', 'res', 'options', 'config', 'timings', 'result', 'metadata'],
  ['headers', 'body', 'text', 'json', 'responseBody', 'responseText', 'statusText', 'statusMessage'],
  ['raw', 'rawType', 'rawError', 'rawResponse', 'type', 'meta', '$metadata', '$response', '$fault'],
  ['requestId', 'requestID', 'request_id', 'requestInfo', 'requestUrl', 'extendedRequestId', 'activityId', 'errid'],
  ['hostname', 'endpoint', 'region', 'retryable', 'originalError', 'errorCode', 'errorInfo', 'moreInfo', 'oauthError'],
  ['errno', 'syscall', 'scope', 'isAxiosError', 'transporterStackTrace'],
].flat()

/** Names of classes that say whose answer it was. */
const UPSTREAM_NAME = /(?:Upstream|Response|StatusCode|Fetch|Sdk|SDK)(?:Error|Exception)$/

/**
 * Is an error whose `statusCode` is 4xx meant for the visitor? The same property says of an error of an HTTP client what another
 * service has answered: its message may name keys, hosts and accounts.
 */
export function isForVisitor(error: Error): boolean {
  // Looked at, whatever they are.
  const { expose, code } = error as { expose?: unknown; code?: unknown }
  // What http-errors, and others after it, say of their errors themselves.
  if (typeof expose === 'boolean') return expose
  if (error instanceof HttpError || FASTIFY_ERROR in error) return true
  if (typeof code === 'string' && code.startsWith('FST_')) return true
  // Errors that are thrown for visitors have names as codes, as those of Fastify and Node.js have.
  if (typeof code === 'number' || UPSTREAM_MARKS.some((name) => name in error)) return false
  return ![error.name, error.constructor.name].some((name) => UPSTREAM_NAME.test(name))
}
