import type { FastifyInstance, FastifyRequest } from 'fastify'
import { classifyThrown, type ThrownKind } from '../errors/classify-thrown.ts'
import { type FindTrace, keepStepTrace } from '../http/trace-context.ts'
import { addThrottledLine } from '../log/throttled-line.ts'

/** A part of the work for a request. */
export interface Step {
  /**
   * - `guard`, `load` and `action`: the call of one function of the site, until its promise settles. `loadVisitor` is a
   *   `load`.
   * - `render`: rendering a document, until it is complete or its shell can be sent.
   * - `deferred`: a promise in the data of a load, from the end of the load until it settles.
   */
  kind: 'guard' | 'load' | 'action' | 'render' | 'deferred'
  /** `load pages/products/[id].server.ts`, `render /products/[id]`, `deferred data.reviews`. */
  name: string
  /** The route of the page: `/products/[id]`. */
  route: string
  request: FastifyRequest
}

/** The result of a step. */
export interface StepOutcome {
  /**
   * The error, if the step failed; otherwise null, as for `redirect()`, `notFound()` and refusals. A thrown value that is
   * not an error is its `cause`.
   */
  error: Error | null
}

/**
 * The option `instrument`: is called around each step. `run` starts the step, once, and resolves with its outcome. It never
 * rejects.
 */
export type Instrument = (step: Step, run: () => Promise<StepOutcome>) => unknown

/** A value that was thrown, with its meaning. */
export type Thrown = Pick<ThrownKind, 'kind'> & { thrown: unknown }

/**
 * Runs the work of a step inside the option `instrument`. Returns what the work returns, and rejects with what it throws.
 *
 * @param thrownIn Returns the error in a result of work that does not throw its errors; null for other results.
 */
export type RunStep = <Result>(
  step: Step,
  work: () => Result | PromiseLike<Result>,
  thrownIn?: (result: Result) => Thrown | null,
) => Promise<Result>

/**
 * Creates the function that runs steps. The option only observes: if it throws, or does not call `run` before it returns,
 * the step runs all the same. Its errors are logged, at most once a minute. It is not a diagnostics channel: OpenTelemetry has
 * no public storage that could be bound to one, so spans would have no children.
 *
 * @param traceOf Finds the trace of a step that fails.
 */
export function createRunStep(instrument: Instrument, traceOf: FindTrace | null, app: FastifyInstance): RunStep {
  let lastError: unknown
  const countError = addThrottledLine(app, () => app.log.warn({ err: lastError }, 'the option "instrument" threw'))

  async function observe(step: Step, run: () => Promise<StepOutcome>) {
    try {
      await instrument(step, run)
    } catch (error) {
      lastError = error
      countError()
    }
  }

  return <Result>(
    step: Step,
    work: () => Result | PromiseLike<Result>,
    thrownIn: (result: Result) => Thrown | null = () => null,
  ) => {
    let running: Promise<Result> | null = null
    function start() {
      running ??= call(work)
      return running
    }
    const outcomeOf = (found: Thrown | null): StepOutcome => {
      if (found?.kind !== 'failure') return { error: null }
      keepStepTrace(found.thrown, step.request, traceOf)
      return { error: toError(found.thrown) }
    }
    void observe(step, () =>
      start().then(
        (result) => outcomeOf(thrownIn(result)),
        (thrown: unknown) => outcomeOf({ kind: classifyThrown(thrown).kind, thrown }),
      ),
    )
    return start()
  }
}

// `async`, so that a synchronous throw rejects.
async function call<Result>(work: () => Result | PromiseLike<Result>): Promise<Result> {
  return work()
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('a value that is not an error was thrown', { cause: thrown })
}
