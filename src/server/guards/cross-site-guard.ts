import type { FastifyInstance } from 'fastify'
import type { Options } from '../options/options.ts'
import { createRedactor } from '../redaction/redact.ts'
import { HttpError } from '../thrown/http-error.ts'
import { isSafe, judgeOrigin } from './cross-site.ts'

/** A request for something that changes, from another site. It has been logged. */
export class CrossSiteError extends HttpError {}

/** Refuses what other sites make a visitor's browser send, to all of an instance's routes, before its body is read. */
export function addCrossSiteGuard(app: FastifyInstance, { allowedOrigins }: Options) {
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, host } = request
    // A connection like a WebSocket's is opened by GET, and browsers let every site's scripts use one.
    const isUpgrade = headers.upgrade !== undefined
    if (isSafe(method) && !isUpgrade) return done()
    const fetchSite = headers['sec-fetch-site']
    const verdict = judgeOrigin({
      method,
      isUpgrade,
      fetchSite: Array.isArray(fetchSite) ? fetchSite.join() : fetchSite,
      origin: headers.origin,
      host: host ?? '',
      allowedOrigins,
    })
    if (verdict.kind === 'pass') return done()
    const redact = createRedactor(headers)
    const url = redact(request.originalUrl)
    const { hint } = verdict
    const compared = redact(verdict.compared)
    request.log.info(
      { method, url, statusCode: 403 },
      `refused with 403: the request comes from another site: ${compared} (${hint})`,
    )
    done(new CrossSiteError(403, 'This request comes from another site.'))
  })
}
