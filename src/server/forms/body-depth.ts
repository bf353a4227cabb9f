import { HttpError } from '../thrown/http-error.ts'

/** Data that people and programs mean is a few levels deep; what walks through data calls itself for each. */
const MAX_DEPTH = 500

/**
 * Refuses a body that is nested deeper than what reads it can follow: where calls run out of stack, Node.js may end the
 * process instead of throwing.
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
  // A parser of the site's own may give anything, and the same thing in many places.
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  if (Array.isArray(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null ? Object.values(value) : []
}
