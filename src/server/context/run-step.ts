import type { Step, Thrown } from '../metrics/instrument.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Does the work of a step inside the option `instrument`. Without the option, it only does the work.
 *
 * @param subject The rest of the step's name: the file with the function, the route, or the place in the data.
 * @param thrownIn Returns the error in a result of work that does not throw its errors; null for other results.
 */
export function runStep<Result>(
  kind: Step['kind'],
  subject: string,
  { site, route, request, shared }: RequestContext,
  work: () => Result | PromiseLike<Result>,
  thrownIn?: (result: Result) => Thrown | null,
): Result | PromiseLike<Result> {
  const { runStep } = site
  if (runStep === null) return work()
  const step = { kind, name: `${kind} ${subject}`, route, request }
  // The option sees the stores of the request, and the work does not.
  return shared
    ? shared.inRequest(() => runStep(step, () => shared.run(work), thrownIn))
    : runStep(step, work, thrownIn)
}
