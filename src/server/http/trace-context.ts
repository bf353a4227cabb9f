import type { FastifyRequest } from 'fastify'

/** Which trace a failure belongs to. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits: the span in which it failed, or the caller's. */
  spanId: string
}

/** The option: tells the trace of what runs now. */
export type FindTrace = (request: FastifyRequest) => TraceContext | null | undefined

/** What the option says, or else the request's `traceparent`. Never throws. */
export function findTrace(request: FastifyRequest, own: FindTrace | null): TraceContext | null {
  try {
    const { traceId, spanId } = own?.(request) ?? NO_TRACE
    const found = traceOf(`00-${traceId}-${spanId}-00`)
    if (found) return found
  } catch (err) {
    request.log.warn({ err }, 'traceOf threw')
  }
  return traceOf(request.headers.traceparent)
}

const NO_TRACE: TraceContext = { traceId: '', spanId: '' }

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
