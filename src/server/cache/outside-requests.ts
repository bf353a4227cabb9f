import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { bindToStep } from '../http/calls.ts'

/** Calls a function in the async context in which Hydrant was loaded: outside of all requests. */
const callOutside = AsyncLocalStorage.snapshot()

/**
 * Calls a function without the stores that the request has in any `AsyncLocalStorage`, for example those of
 * @fastify/request-context. Asynchronous work that the function starts does not have them either.
 */
export function runOutsideRequests<Result>(load: () => Result): Result {
  const span = findActiveSpan()
  const work = bindToStep(load)
  return callOutside(() => {
    // All calls share one context. Before Node.js 24, `enterWith` in the load would write into it.
    const resource = new AsyncResource('HYDRANT_LOAD')
    return resource.runInAsyncScope(() => (span ? withActiveSpan(span, work) : work()))
  })
}

// Reads the active span of OpenTelemetry without importing `@opentelemetry/api`, because an app has its own copy of it.
// All copies share one object, which the API registers under a global symbol.

interface SpanContext {
  traceId: string
  spanId: string
  traceFlags: number
}

interface Span {
  spanContext(): SpanContext
  isRecording(): boolean
}

/** https://opentelemetry.io/docs/specs/otel/context/ */
interface Context {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): Context
}

interface ContextManager {
  active(): Context
  with<Result>(context: Context, call: () => Result): Result
}

const API = Symbol.for('opentelemetry.js.api.1')
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN')

/** The methods of a span that return the span. */
const CHAINED = [
  ...['setAttribute', 'setAttributes', 'addEvent', 'addLink', 'addLinks', 'setStatus', 'updateName'],
  ...['recordException', 'end'],
]

interface ActiveSpan {
  manager: ContextManager
  span: Span
}

/** Returns the span of OpenTelemetry that is active; null without one. */
function findActiveSpan(): ActiveSpan | null {
  // The global object has no type for the symbol.
  const api = (globalThis as { [API]?: { context?: ContextManager } })[API]
  const span = api?.context?.active().getValue(SPAN)
  return api?.context && span ? { manager: api.context, span: span as Span } : null
}

/** Calls a function with the active span, without the context's baggage, which comes from a header. */
function withActiveSpan<Result>({ manager, span }: ActiveSpan, call: () => Result): Result {
  return manager.with(manager.active().setValue(SPAN, createParent(span)), call)
}

/** Creates a span that writes to the given one and shows only its ids: its attributes may be of the request. */
function createParent(span: Span): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const parent: Span = {
    spanContext: () => ({ traceId, spanId, traceFlags }),
    isRecording: () => span.isRecording(),
  }
  for (const name of CHAINED) {
    const value = (...values: unknown[]) => {
      const method: unknown = Reflect.get(span, name)
      if (typeof method === 'function') Reflect.apply(method, span, values)
      return parent
    }
    Object.defineProperty(parent, name, { value })
  }
  return parent
}
