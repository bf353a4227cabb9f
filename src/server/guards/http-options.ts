import { CountedResponse } from '../http/counted-response.ts'
import type { Options } from '../options/options.ts'

const SHORTEST_CHECK_MS = 20
const LONGEST_CHECK_MS = 1_000

/** What Node's and Fastify's server are told of deadlines and limits. */
export function createHttpOptions({
  timeouts,
  limits,
  logRequests,
}: Pick<Options, 'timeouts' | 'limits'> & Partial<Pick<Options, 'logRequests'>>) {
  const { requestMs, keepAliveMs } = timeouts
  // Node refuses to wait longer for the headers than for the whole request.
  const headersMs = Math.min(timeouts.headersMs, requestMs)
  // Node looks every 30 seconds for who is late: a deadline of 20 would be one of up to 50.
  const checkMs = Math.max(SHORTEST_CHECK_MS, Math.min(LONGEST_CHECK_MS, Math.round(headersMs / 4)))
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // Only the request log tells how many bytes a response has.
      ...(logRequests ? { ServerResponse: CountedResponse } : {}),
    },
    // A parameter is as long as its URL lets it be; Fastify refuses more than 100 characters by default.
    routerOptions: { maxParamLength: limits.maxHeaderBytes },
  }
}
