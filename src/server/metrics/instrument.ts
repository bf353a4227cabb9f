import type { FastifyRequest } from 'fastify'
import { classifyThrown, type ThrownKind } from '../errors/classify-thrown.ts'
import { keepStepTrace } from '../http/trace-context.ts'
import type { FindTrace, Instrument, Step, StepOutcome } from '../options/config.ts'

/** A value that was thrown, with its meaning. */
export type Thrown = Pick<ThrownKind, 'kind'> & { thrown: unknown }

/**
 * Runs the work of a step inside the option `instrument`. Returns what the work returns, and rejects with what it throws.
 *
 * @param digestOf Returns the digest of a failure, undefined if it is not known, and null if an abort is its reason.
 * @param thrownIn Returns the error in a result of work that does not throw its errors; null for other results.
 */
export type RunStep = <Result>(
  step: Step,
  work: () => Result | PromiseLike<Result>,
  digestOf: (thrown: unknown) => string | null | undefined,
  thrownIn?: (result: Result) => Thrown | null,
) => Promise<Result>

/**
 * Creates the function that runs steps. The option only observes: if it throws, or does not call `run` before it returns,
 * the step runs all the same. It is not a diagnostics channel: OpenTelemetry has no public storage that could be bound to
 * one, so spans would have no children.
 *
 * @param traceOf Finds the trace of a step that fails.
 * @param takeError Takes what the option throws.
 */
export function createRunStep(
  instrument: Instrument,
  traceOf: FindTrace | null,
  takeError: (thrown: unknown, request: FastifyRequest) => void,
): RunStep {
  async function observe(step: Step, run: () => Promise<StepOutcome>) {
    try {
      await instrument(step, run)
    } catch (error) {
      takeError(error, step.request)
    }
  }

  return <Result>(
    step: Step,
    work: () => Result | PromiseLike<Result>,
    digestOf: (thrown: unknown) => string | null | undefined,
    thrownIn: (result: Result) => Thrown | null = () => null,
  ) => {
    let running: Promise<Result> | null = null
    let settle: (read: () => StepOutcome) => void
    const outcome = new Promise<StepOutcome>((resolve, reject) => {
      settle = (read) => {
        try {
          resolve(read())
        } catch (error) {
          reject(error)
        }
      }
    })
    // Nobody else may observe this promise: V8 finds the callers of the work through a single `await`.
    async function call(): Promise<Result> {
      try {
        const result = await work()
        settle(() => outcomeOf(thrownIn(result)))
        return result
      } catch (thrown) {
        settle(() => outcomeOf({ kind: classifyThrown(thrown).kind, thrown }))
        throw thrown
      }
    }
    function start() {
      running ??= call()
      return running
    }
    const outcomeOf = (found: Thrown | null): StepOutcome => {
      if (found?.kind !== 'failure') return { error: null }
      keepStepTrace(found.thrown, step.request, traceOf)
      const digest = digestOf(found.thrown)
      return digest === null ? { error: null } : { error: toError(found.thrown), digest }
    }
    void observe(step, () => {
      void start()
      return outcome
    })
    return start()
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('a value that is not an error was thrown', { cause: thrown })
}
