import type { FailureRecord } from '../errors/failure-record.ts'
import { siteFrameOf } from '../errors/site-frame.ts'

/** The types of thrown values that are no errors. */
const OTHER_TYPES = new Set([
  'string',
  'number',
  'bigint',
  'boolean',
  'symbol',
  'undefined',
  'null',
  'function',
  'Object',
  'Proxy',
  'Response',
  'Redirection',
  'NotFoundSignal',
])

/**
 * Returns a sentence for a failure whose place is a function, a component or a page, because its stack has no line of
 * the site. Returns null for other failures, and for Hydrant's own errors about such a place.
 */
export function placeNote({ error }: Pick<FailureRecord, 'error'>): string | null {
  const { standIn, line = 0 } = siteFrameOf(error) ?? {}
  if (standIn === undefined || error.type === 'HydrantError') return null
  // The place has no line, and is not a function either: a route.
  if (line === 0 && standIn !== 'page') return null
  const reason = OTHER_TYPES.has(error.type) ? 'The thrown value is not an Error' : 'The stack has no line of the site'
  if (standIn !== 'promise') return `${reason}, so the place is only the ${standIn}.`
  return `${reason}, so the place is only the function. An \`await\` before the promise that it returns adds the line.`
}
