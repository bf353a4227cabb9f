import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isSafe } from '../guards/csrf.ts'
import { pathOf } from '../http/request-url.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

/**
 * Logs the requests by which somebody signs in or changes something, one line each, with the client's address. Refused
 * ones, such as those with a wrong token, share one warning a minute, because everyone can send them.
 */
export function addOperatorLog(app: FastifyInstance) {
  let last = ''
  const countRefused = addThrottledLine(app, (count) => {
    app.log.warn({ count }, `refused ${countOf(count, 'request')} to the console; the last one: ${last}`)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, ip } = request
    const { statusCode } = reply
    if (isRefused(request, reply)) {
      last = describe(request, statusCode)
      countRefused()
    } else if (!isSafe(method)) {
      const line = { method, url: pathOf(request.url), statusCode, ip }
      request.log.info(line, `console: ${describe(request, statusCode)}`)
    }
    done()
  })
}

// A request without a token that only reads is a new visitor, who gets the page to sign in.
function isRefused({ method, headers }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  const isClientError = statusCode >= 400 && statusCode < 500
  return isClientError && (!isSafe(method) || (statusCode === 401 && headers.authorization !== undefined))
}

function describe({ method, url, ip }: FastifyRequest, statusCode: number): string {
  return `${method} ${pathOf(url)} from ${ip}, status ${statusCode}`
}
