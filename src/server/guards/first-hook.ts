import type { FastifyInstance } from 'fastify'
import { guardCaching } from '../http/caching.ts'
import { REQUEST_ID_HEADER } from '../http/headers.ts'
import { setNosniff } from '../http/security-headers.ts'
import type { Options } from '../options/options.ts'
import { refuseLongUrl } from './long-url.ts'
import { createPipelineQueue } from './pipelining.ts'

/**
 * What each request meets first: caches do not give its answer to others if it sets a cookie, it is named in its answer, browsers
 * are told to take that for what it says it is, URLs that are too long are refused, and requests that arrive together on one
 * connection have their turn one after another. All in one hook, as each costs every request something.
 */
export function addFirstHook(
  app: FastifyInstance,
  { securityHeaders, limits }: Pick<Options, 'securityHeaders' | 'limits'>,
) {
  const { maxUrlBytes, maxPipelined } = limits
  const turns = createPipelineQueue(app, maxPipelined)
  app.addHook('onRequest', (request, reply, done) => {
    guardCaching(reply.raw)
    reply.header(REQUEST_ID_HEADER, request.id)
    if (securityHeaders) setNosniff(reply)
    if (request.url.length > maxUrlBytes) refuseLongUrl(maxUrlBytes, request, reply)
    // A response has its socket once those before it are complete, or will never be.
    else if (reply.raw.socket === null) turns.wait(request.raw, reply.raw, done)
    else done()
  })
}
