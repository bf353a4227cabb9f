import { hasRunErrorHooks } from '../failures/on-error-hooks.ts'
import { shareTimes, timeStep, timesOf } from '../http/request-times.ts'
import type { Thrown } from '../metrics/instrument.ts'
import type { Step } from '../options/config.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Does the work of a step, measures its time, and runs it inside the option `instrument`, if the site has it.
 *
 * @param subject The rest of the step's name: the file with the function, the route, or the place in the data.
 * @param thrownIn Returns the error in a result of work that does not throw its errors; null for other results.
 */
export function runStep<Result>(
  kind: Step['kind'],
  subject: string,
  ctx: RequestContext,
  work: () => Result | PromiseLike<Result>,
  thrownIn?: (result: Result) => Thrown | null,
): Result | PromiseLike<Result> {
  const { site, route, request, shared } = ctx
  const { runStep: instrumented } = site
  const times = timesOf(request)
  if (times.places === null) {
    times.places = site.build.places
    times.runPerRequest = (subject, call) => runStep('perRequest', subject, ctx, call)
  }
  if (shared) shareTimes(shared.key, request)
  const timed = () => timeStep(kind, subject, times, work)
  if (instrumented === null) return timed()
  const step = { kind, name: `${kind} ${subject}`, route, request }
  // The option sees the stores of the request, and the work does not.
  return shared
    ? shared.inRequest(() => instrumented(step, () => shared.run(timed), thrownIn))
    : instrumented(step, timed, thrownIn)
}

/**
 * Watches whether code of the site sends a response. `reply.sent` stays false while asynchronous `onSend` hooks run, or
 * while a stream is sent. Without the watch, a guard that calls `reply.redirect()` and forgets to return it would let
 * the request pass.
 */
export function watchAnswer(ctx: RequestContext) {
  const { request, reply } = ctx
  const { send } = reply
  let isSent = false
  reply.send = function watched(...payload) {
    // Hydrant itself sends an error to run the `onError` hooks.
    if (hasRunErrorHooks(payload[0], request)) return send.apply(reply, payload)
    isSent = true
    // The hooks find the stores of the request.
    if (!ctx.navigation?.isOpen) return ctx.inRequest(() => send.apply(reply, payload))
    // The headers have been sent, or are about to be.
    ctx.navigation.replace(payload[0])
    return reply
  }
  return {
    isSent: () => isSent || reply.sent,
    stop() {
      reply.send = send
    },
  }
}

/** Aborts work of the request that did not meet its deadline. Returns the error, to be thrown. */
export function stopAtDeadline(error: Error, ctx: RequestContext): Error {
  ctx.abort(error)
  // For the loads of the layouts around the error.
  ctx.renewSignal()
  return error
}
