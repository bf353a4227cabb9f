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
  let level = objectsIn([body])
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new HttpError(400, `The body is nested deeper than ${MAX_DEPTH} levels.`)
    const inner: object[] = []
    for (const value of level) {
      if (seen.has(value)) continue
      const parts = partsOf(value)
      const objects = objectsIn(parts)
      // A parser of the site may return the same object in many places. A short one without objects is read again:
      // bodies of JSON have many, and remembering them would take most of the time.
      if (objects.length > 0 || parts.length > SHORT) seen.add(value)
      for (const one of objects) inner.push(one)
    }
    level = inner
  }
}

/** How many values an object without other objects may have to be read again wherever it occurs. */
const SHORT = 8
const NOTHING: readonly never[] = []

function partsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value
  return isPlainObject(value) ? Object.values(value) : NOTHING
}

function objectsIn(values: readonly unknown[]): readonly object[] {
  // Most lists have no objects.
  return values.some(isObject) ? values.filter(isObject) : NOTHING
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
