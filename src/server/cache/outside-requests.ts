import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { findActiveSpan, withActiveSpan } from './active-span.ts'

/** Calls a function in the async context in which Hydrant was loaded: outside of all requests. */
const callOutside = AsyncLocalStorage.snapshot()

/**
 * Calls a function without the stores that the request has in any `AsyncLocalStorage`, for example those of
 * @fastify/request-context. Asynchronous work that the function starts does not have them either.
 */
export function runOutsideRequests<Result>(load: () => Result): Result {
  const span = findActiveSpan()
  return callOutside(() => {
    // All calls share one context. Before Node.js 24, `enterWith` in the load would write into it.
    const resource = new AsyncResource('HYDRANT_LOAD')
    return resource.runInAsyncScope(() => (span ? withActiveSpan(span, load) : load()))
  })
}
