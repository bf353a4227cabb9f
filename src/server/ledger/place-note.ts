import type { FailureRecord } from '../errors/failure-record.ts'
import { siteFrameOf } from './failure-json.ts'

/** The types of thrown values that have no stack. */
const TYPES_WITHOUT_STACK = new Set([
  'string',
  'number',
  'bigint',
  'boolean',
  'symbol',
  'undefined',
  'null',
  'function',
  'Proxy',
  'Response',
])

/**
 * Returns a sentence for a failure whose place is that of a function and not of a line, because the thrown value had no
 * stack. Returns null for other failures: browsers add a stack to each value that the site's code throws.
 */
export function placeNote({ side, error }: Pick<FailureRecord, 'side' | 'error'>): string | null {
  if (side === 'client' || (siteFrameOf(error)?.line ?? 0) === 0) return null
  if (!TYPES_WITHOUT_STACK.has(error.type) && !isObjectWithoutStack(error)) return null
  return 'The thrown value is not an Error, so the place is only the function.'
}

function isObjectWithoutStack({ type, message }: FailureRecord['error']): boolean {
  return (
    type === 'Object' && /^an object (?:with the keys|that cannot be read)/.test(message) && !/\bstack\b/.test(message)
  )
}
