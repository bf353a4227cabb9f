import type { Invalid } from '../wire/boot.ts'
import type { SubmissionError, SubmissionOutcome } from './browser.ts'

/** The result of one submission: what the action returned, or why it did not. */
export interface SubmissionResult<Data = unknown> {
  /** The value that the action returned; `undefined` after an error, a redirect and `abort()`. */
  data: Data | undefined
  /** The form with its messages, if it was not accepted; otherwise `undefined`. */
  invalid: Invalid | undefined
  /** Why the action has not returned a value; `undefined` if it has. */
  error: SubmissionError | undefined
}

/** What components see of the submissions of one `useSubmission`. */
export interface SubmissionState {
  /** The number of the newest submission. */
  newest: number
  /** The fields of the newest submission, unless it has failed. */
  formData: FormData | undefined
  isPending: boolean
  progress: number | undefined
  /** The last result; undefined before the first one, null after `reset`. */
  result: SubmissionResult | null | undefined
}

export const NOTHING: SubmissionState = {
  newest: 0,
  formData: undefined,
  isPending: false,
  progress: undefined,
  result: undefined,
}

export const NO_RESULT: SubmissionResult = { data: undefined, invalid: undefined, error: undefined }

/**
 * Creates the state of one `useSubmission`. Results take effect in the order in which the submissions began: one that
 * is older than the last result changes nothing.
 */
export function createSubmissionState() {
  const listeners = new Set<() => void>()
  let state = NOTHING
  /** The number of the newest submission whose result has taken effect. */
  let shown = 0

  function update(change: Partial<SubmissionState>) {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }

  return {
    get: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isObserved: () => listeners.size > 0,
    /** Returns the number of the new submission. */
    begin(formData: FormData): number {
      const newest = state.newest + 1
      const result = state.result && { ...state.result, error: undefined }
      update({ newest, formData, isPending: true, progress: undefined, result })
      return newest
    },
    /** Shows the progress of the newest submission. */
    progress(number: number, progress: number) {
      if (number === state.newest && state.isPending) update({ progress })
    },
    /** Returns false for a result that changes nothing. */
    take(number: number, outcome: SubmissionOutcome): boolean {
      if (number <= shown) return false
      shown = number
      update({
        result: resultOf(outcome),
        ...(number === state.newest && { isPending: false, progress: undefined }),
        // Otherwise the fields stay until the fresh data is shown.
        ...(number === state.newest && outcome.error && { formData: undefined }),
      })
      return true
    },
    /** Ends all submissions without a result. */
    forget(change?: Pick<SubmissionState, 'result'>) {
      shown = state.newest
      update({ formData: undefined, isPending: false, progress: undefined, ...change })
    },
  }
}

export function resultOf({ data, invalid, error }: SubmissionOutcome): SubmissionResult {
  return { data, invalid, error }
}
