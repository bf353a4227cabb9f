/** Which trace a request belongs to. */
export interface TraceContext {
  traceId: string
  /** The caller's. */
  spanId: string
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/
const NOTHING_BUT_ZEROS = /^0+$/

/**
 * Reads a `traceparent` header (https://www.w3.org/TR/trace-context/#traceparent-header). Null for one that is missing
 * or not valid. A later version may have more at its end, as the standard says.
 */
export function traceOf(header: unknown): TraceContext | null {
  if (typeof header !== 'string') return null
  const [, version, traceId = '', spanId = '', more] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (NOTHING_BUT_ZEROS.test(traceId) || NOTHING_BUT_ZEROS.test(spanId)) return null
  return { traceId, spanId }
}
