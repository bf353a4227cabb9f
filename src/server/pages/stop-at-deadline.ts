import type { RequestContext } from '../context/request-context.ts'

/** Aborts work of the request that did not meet its deadline. Returns the error, to be thrown. */
export function stopAtDeadline(error: Error, ctx: RequestContext): Error {
  ctx.abort(error)
  // For the loads of the layouts around the error.
  ctx.renewSignal()
  return error
}
