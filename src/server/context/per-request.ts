import type { FastifyRequest } from 'fastify'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import type { RequestContext } from './request-context.ts'
import { findContext, runStep } from './steps.ts'

/**
 * Anything with the request: the `ctx` of a guard, load or action, or `{ request }` in a hook of `server.ts`. Not an
 * interface: TypeScript copies this type into the declarations of a site that exports a function of `perRequest`.
 */
type WithRequest = { request: FastifyRequest }

/** The property of a load's argument with an object for the response, if the response may be stored. */
export const RESPONSE_KEY = Symbol('responseKey')

type CallContext = Partial<WithRequest> & { [RESPONSE_KEY]?: object }

type Outcome<Result> = { value: Result } | { thrown: unknown }

/** The calls with the same arguments up to here. */
interface Calls<Result> {
  outcome: Outcome<Result> | null
  next: Map<unknown, Calls<Result>>
}

/**
 * Returns a function that runs `fn` once per request and arguments:
 * `const currentUser = perRequest(async ({ request }) => …)`. Guards, loads, actions and hooks of a request that call
 * it with the same arguments share one result. The result may also be a promise, a rejection or a thrown error.
 * Arguments are compared like the keys of a `Map`. Loads of a page with `cache` share results only with each other.
 *
 * The returned function throws HYD_PER_REQUEST if its first argument has no request.
 *
 * @param fn The first argument is the `ctx` of a guard, load or action, or any object with the request. Of this
 *   object, only the request is compared.
 */
export function perRequest<Context extends WithRequest, Others extends readonly unknown[], Result>(
  fn: (ctx: Context, ...others: Others) => Result,
): (ctx: Context, ...others: Others) => Result {
  const requests = new WeakMap<object, Calls<Result>>()
  const definedAt = positionOfCaller()
  return (ctx, ...others) => {
    const key = keyOf(ctx)
    let calls = requests.get(key) ?? createCalls<Result>()
    requests.set(key, calls)
    for (const argument of others) {
      const next = calls.next.get(argument) ?? createCalls()
      calls.next.set(argument, next)
      calls = next
    }
    // A missing argument differs from `undefined`, because `fn` can distinguish the two.
    if (!calls.outcome) {
      const found = findContext(ctx as CallContext, key)
      const call = () => fn(ctx, ...others)
      calls.outcome = found ? runTimed(call, fn.name, definedAt, found) : run(call)
    }
    if ('thrown' in calls.outcome) throw calls.outcome.thrown
    return calls.outcome.value
  }
}

/** Throws HYD_PER_REQUEST for anything without a request. */
function keyOf(ctx: CallContext | undefined): object {
  // Only the function itself may touch the request in the load of a response that may be stored.
  const key = ctx?.[RESPONSE_KEY] ?? ctx?.request
  if (typeof key !== 'object' || key === null) throw createHydrantError('HYD_PER_REQUEST', [showValue(ctx)])
  return key
}

function createCalls<Result>(): Calls<Result> {
  return { outcome: null, next: new Map() }
}

function run<Result>(call: () => Result): Outcome<Result> {
  try {
    return { value: call() }
  } catch (thrown) {
    return { thrown }
  }
}

/** Runs the call as a step of its request. */
function runTimed<Result>(call: () => Result, name: string, definedAt: string, ctx: RequestContext): Outcome<Result> {
  const subject = ctx.site.build.places[definedAt] ?? (name || 'a function without a name')
  const made: Outcome<Result>[] = []
  const step = run(() =>
    runStep<unknown>('perRequest', subject, ctx, () => {
      const outcome = run(call)
      made.push(outcome)
      if ('thrown' in outcome) throw outcome.thrown
      return isPlainPromise(outcome.value) ? outcome.value : undefined
    }),
  )
  const [outcome = { thrown: new Error('the step has not run') }] = made
  // The step has the result of the promise, and ends with it.
  if ('value' in step && 'value' in outcome && isPlainPromise(outcome.value)) return step as Outcome<Result>
  // With the option `instrument`, each step is a promise.
  if ('value' in step && step.value instanceof Promise) step.value.catch(() => {})
  return outcome
}

/**
 * Returns whether a value is nothing but a promise. Builders of queries and cancelable promises belong to the caller. Before
 * Node.js 24, an `AsyncLocalStorage` adds symbols to each promise.
 */
function isPlainPromise(value: unknown): value is Promise<unknown> {
  return (
    value instanceof Promise &&
    Object.getPrototypeOf(value) === Promise.prototype &&
    Object.getOwnPropertyNames(value).length === 0
  )
}

const FRAME_OF_CALLER = 2

/** Returns the line and the column at which the caller calls `perRequest`, in the bundle; empty if they are not known. */
function positionOfCaller(): string {
  const format = Error.prepareStackTrace
  // The format of a library may return anything, and Node.js writes places in the source with its option for source maps. `Error`
  // may be frozen.
  Reflect.set(Error, 'prepareStackTrace', (_: Error, frames: readonly NodeJS.CallSite[]) => frames)
  const frames: unknown = new Error().stack
  Reflect.set(Error, 'prepareStackTrace', format)
  const frame = Array.isArray(frames) ? (frames[FRAME_OF_CALLER] as NodeJS.CallSite | undefined) : undefined
  return frame ? `${frame.getLineNumber()}:${frame.getColumnNumber()}` : ''
}
