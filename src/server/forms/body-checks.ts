import type { preParsingHookHandler } from 'fastify'
import { HttpError } from '../thrown/http-error.ts'
import { isPlainObject } from '../util/is-plain-object.ts'

const UNSUPPORTED = 415
/** Real data is a few levels deep. The functions that walk through data are recursive. */
const MAX_DEPTH = 500

/**
 * Refuses a compressed body with 415: a few kilobytes could expand to gigabytes. A body that a plugin of the site has
 * expanded passes.
 */
export const refuseEncoded: preParsingHookHandler = (request, reply, payload, done) => {
  const encoding = request.headers['content-encoding']
  const isExpanded = payload !== request.raw
  if (encoding === undefined || isExpanded || /^(?:identity)?$/i.test(encoding.trim())) return done(null, payload)
  reply.header('accept-encoding', 'identity')
  done(new HttpError(UNSUPPORTED, 'The body is compressed; send it uncompressed.'))
}

/**
 * Throws an HttpError with 400 for a body that is nested too deeply. Node.js may end the process instead of throwing
 * when recursive calls run out of stack.
 */
export function requireShallow(body: unknown) {
  const seen = new Set<object>()
  let level = [body]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new HttpError(400, `The body is nested deeper than ${MAX_DEPTH} levels.`)
    level = level.flatMap((value) => partsOf(value, seen))
  }
}

function partsOf(value: unknown, seen: Set<object>): unknown[] {
  // A parser of the site may return any value, and the same object in many places.
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  if (Array.isArray(value)) return value
  return isPlainObject(value) ? Object.values(value) : []
}
