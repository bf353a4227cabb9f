import type { FastifyRequest } from 'fastify'
import type { FindTrace, TraceContext } from '../options/config.ts'

/**
 * Returns the trace of the option `traceOf`, or else of the header `traceparent`.
 *
 * @param traceOption Never throws.
 */
export function findTrace(request: FastifyRequest, traceOption: FindTrace | null): TraceContext | null {
  const given = traceOption?.(request)
  const found = given ? traceOf(`00-${given.traceId}-${given.spanId}-00`) : null
  return found ?? traceOf(request.headers.traceparent)
}

const STEPS = Symbol('steps')

interface TracedRequest extends FastifyRequest {
  /** The traces of the steps that failed, by the thrown values. */
  [STEPS]?: Map<unknown, TraceContext>
}

/** Keeps the trace of the step that has just failed: a failure is recorded outside of its span. The first call counts. */
export function keepStepTrace(thrown: unknown, request: TracedRequest, traceOption: FindTrace | null) {
  request[STEPS] ??= new Map()
  const trace = request[STEPS].has(thrown) ? null : findTrace(request, traceOption)
  if (trace) request[STEPS].set(thrown, trace)
}

/** Returns the trace that `keepStepTrace` has kept for a thrown value. */
export function stepTraceOf(thrown: unknown, request: TracedRequest): TraceContext | null {
  return request[STEPS]?.get(thrown) ?? null
}

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
