import type { preParsingHookHandler } from 'fastify'
import { HttpError } from '../thrown/http-error.ts'

const UNSUPPORTED = 415

/**
 * Refuses a body that is compressed, which nobody has agreed to expand: a few kilobytes may be gigabytes. What a plugin of the
 * site expands passes.
 */
export const refuseEncoded: preParsingHookHandler = (request, reply, payload, done) => {
  const encoding = request.headers['content-encoding']
  const isExpanded = payload !== request.raw
  if (encoding === undefined || isExpanded || /^(?:identity)?$/i.test(encoding.trim())) return done(null, payload)
  reply.header('accept-encoding', 'identity')
  done(new HttpError(UNSUPPORTED, 'The body is compressed; send it uncompressed.'))
}
