// Times the steps of requests.

import { endCalls, findRunning, runWithCalls } from './calls.ts'
import { loop } from './event-loop.ts'
import { createStep, type RequestTimes, type TimedKind, type TimedStep } from './request-times.ts'

/** Begins a step of a request. Its time is added to those of the request by `endStep`. */
export function beginStep(kind: TimedKind, subject: string, times: RequestTimes, outer = findRunning()): TimedStep {
  const inside = outer?.times === times ? times.steps.indexOf(outer.step) : null
  const step = createStep(kind, subject, loop.see(), inside)
  times.steps.push(step)
  loop.add(step)
  return step
}

export function endStep(step: TimedStep, times: RequestTimes) {
  loop.charge(step)
  step.durationMs = loop.seenAt - step.startMs
  loop.remove(step)
  endCalls(step)
  times.onLate?.(step)
}

/** Does the work of a step that returns no promise. Returns what the work returns. */
export function timeWork<Result>(kind: TimedKind, times: RequestTimes, work: () => Result): Result {
  const step = beginStep(kind, '', times)
  try {
    return work()
  } finally {
    endStep(step, times)
  }
}

/** Does the work of a step. Returns what the work returns, or a promise of it. */
export function timeStep<Result>(
  kind: TimedKind,
  subject: string,
  times: RequestTimes,
  work: () => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  const outer = findRunning()
  const step = beginStep(kind, subject, times, outer)
  const running = { step, times, outer }
  const around = loop.running
  let result: Result | PromiseLike<Result>
  loop.running = running
  try {
    result = runWithCalls(running, work)
  } catch (thrown) {
    endStep(step, times)
    throw thrown
  } finally {
    loop.running = around
  }
  if (!isThenable(result)) {
    endStep(step, times)
    return result
  }
  // It has run up to its first pause.
  loop.charge(step)
  return endAfter(result, step, times)
}

// Stacks keep the callers of the work, which V8 finds through a single `await`. A thenable is asked once, because a builder
// of a query runs its query each time.
async function endAfter<Result>(result: PromiseLike<Result>, step: TimedStep, times: RequestTimes): Promise<Result> {
  try {
    return await result
  } finally {
    endStep(step, times)
  }
}

function isThenable<Result>(result: Result | PromiseLike<Result>): result is PromiseLike<Result> {
  return typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function'
}

/** Ends the search for what steps of a request that has ended do: a load may never settle. */
export function forgetSteps({ steps }: RequestTimes) {
  for (const step of steps) {
    loop.remove(step)
    endCalls(step)
  }
}
