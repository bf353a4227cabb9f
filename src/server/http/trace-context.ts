import type { FastifyRequest } from 'fastify'

/** The trace that a failure belongs to. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits: the span that failed, or the span of the caller. */
  spanId: string
}

/** The option `traceOf`: returns the trace of the request. */
export type FindTrace = (request: FastifyRequest) => TraceContext | null | undefined

/** Returns the trace of the option `traceOf`, or else of the header `traceparent`. Never throws. */
export function findTrace(request: FastifyRequest, traceOption: FindTrace | null): TraceContext | null {
  try {
    const { traceId, spanId } = traceOption?.(request) ?? NO_TRACE
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
 * Reads a `traceparent` header (https://www.w3.org/TR/trace-context/#traceparent-header). Returns null if it is missing
 * or invalid. The standard allows later versions to add fields at the end.
 */
export function traceOf(header: unknown): TraceContext | null {
  if (typeof header !== 'string') return null
  const [, version, traceId = '', spanId = '', more] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (NOTHING_BUT_ZEROS.test(traceId) || NOTHING_BUT_ZEROS.test(spanId)) return null
  return { traceId, spanId }
}
