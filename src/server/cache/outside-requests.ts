import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { findActiveSpan, withActiveSpan } from './active-span.ts'

/** Calls a function in the async context in which Hydrant was loaded: outside of all requests. */
const callOutside = AsyncLocalStorage.snapshot()

/**
 * Calls a function without the stores that the request has in any `AsyncLocalStorage`, for example those of
 * @fastify/request-context. The same holds for all that it starts.
 */
export function runOutsideRequests<Result>(load: () => Result): Result {
  const span = findActiveSpan()
  return callOutside(() => {
    // Before Node.js 24, `enterWith` in the load would otherwise write into the context that all calls share.
    const resource = new AsyncResource('HYDRANT_LOAD')
    return resource.runInAsyncScope(() => (span ? withActiveSpan(span, load) : load()))
  })
}
