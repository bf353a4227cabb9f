import { isCausedBy, readProperty } from '../failures/failure-context.ts'
import { hasRunErrorHooks } from '../failures/on-error-hooks.ts'
import { type RequestTimes, shortPlace } from '../http/request-times.ts'
import { timeStep } from '../http/timed-steps.ts'
import type { Thrown } from '../metrics/instrument.ts'
import type { Step } from '../options/config.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Does the work of a step, measures its time, and runs it inside the option `instrument`, if the site has it.
 *
 * @param subject The rest of the step's name: the file with the function, the route, or the place in the data.
 * @param thrownIn Returns the error in a result of work that does not throw its errors; null for other results.
 * @param file The file with the function (the subject, for the kinds that are named after it).
 */
export function runStep<Result>(
  kind: Step['kind'],
  subject: string,
  ctx: RequestContext,
  work: () => Result | PromiseLike<Result>,
  thrownIn?: (result: Result) => Thrown | null,
  file = kind === 'guard' || kind === 'load' || kind === 'action' ? subject : undefined,
): Result | PromiseLike<Result> {
  const { site, route, request, shared, times } = ctx
  const { runStep: instrumented } = site
  times.places = site.build.places
  if (instrumented === null) return timeKind(kind, subject, times, work)
  const timed = () => timeKind(kind, subject, times, work)
  const step = { kind, name: `${kind} ${subject || route}`, route, file, release: site.release, request }
  const digestOf = (thrown: unknown) => digestOfStep(thrown, step, ctx)
  // The option sees the stores of the request, and the work does not.
  return shared
    ? shared.inRequest(() => instrumented(step, () => shared.run(timed), digestOf, thrownIn))
    : instrumented(step, timed, digestOf, thrownIn)
}

function timeKind<Result>(
  kind: Step['kind'],
  subject: string,
  times: RequestTimes,
  work: () => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  // A document measures its own time: it knows when its shell is ready.
  if (kind === 'render') return work()
  return timeStep(kind, kind === 'deferred' ? shortPlace(subject) : subject, times, work)
}

/** Returns the digest of a step's error, undefined if it is not known, and null for the consequence of an abort. */
function digestOfStep(thrown: unknown, { kind, file }: Step, ctx: RequestContext): string | null | undefined {
  // These are recorded when the client has left, too.
  const isKept = kind === 'action' || (kind === 'load' && !ctx.isSignalRead)
  const isAborted = readProperty(ctx.abortReason, 'name') === 'AbortError' && isCausedBy(ctx.abortReason, thrown)
  if (isAborted || (ctx.isGone && !isKept)) return null
  if (kind === 'render') return ctx.name(thrown, { phase: 'render' }).digest
  // Other steps do not know how the failure is recorded.
  if (file === undefined) return undefined
  const phase = kind === 'guard' || kind === 'action' ? kind : 'load'
  return ctx.name(thrown, { phase, place: { file, function: exportedName(phase, ctx) } }).digest
}

/** Returns the name of an exported function: `load`, `actions.remove`. */
export function exportedName(name: string, { action }: Pick<RequestContext, 'action'>): string {
  return action?.name && (name === 'action' || name === 'form') ? `actions.${action.name}` : name
}

/** The property of the argument of a guard, load or action with the context of its request. */
export const REQUEST_CONTEXT = Symbol('requestContext')

/** The contexts of responses that may be stored, by their keys: nothing that their loads get leads to the request. */
const sharedContexts = new WeakMap<object, RequestContext>()

/** Lets the calls of loads whose response may be stored be steps of the request that makes it. */
export function keepContext(responseKey: object, ctx: RequestContext) {
  sharedContexts.set(responseKey, ctx)
}

/**
 * Returns the context of the request that code of the site works for; undefined outside of a guard, load or action.
 *
 * @param given The argument of the guard, the load or the action.
 * @param key The request, or the key of a response that may be stored.
 */
export function findContext(
  given: object & { [REQUEST_CONTEXT]?: RequestContext },
  key: object,
): RequestContext | undefined {
  return given[REQUEST_CONTEXT] ?? sharedContexts.get(key)
}

/**
 * Watches whether code of the site sends a response. `reply.sent` stays false while asynchronous `onSend` hooks run, or
 * while a stream is sent. Without the watch, a guard that calls `reply.redirect()` and forgets to return it would let
 * the request pass.
 */
export function watchAnswer(ctx: RequestContext) {
  const { reply } = ctx
  const { send } = reply
  let isSent = false
  reply.send = function watched(...payload) {
    // Hydrant itself sends an error to run the `onError` hooks.
    if (hasRunErrorHooks(payload[0], reply)) return send.apply(reply, payload)
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
