import type { Invalid } from '../wire/page-extras.ts'
import { browser, type SentFields, type SubmissionError, type SubmissionOutcome } from './browser.ts'
import { loadBrowserFunctions, NOT_SENT } from './load-browser-functions.ts'

/** The result of one submission: what the action returned, or why it did not. */
export interface SubmissionResult<Data = unknown> {
  /** The value that the action returned; `undefined` after an error, a redirect and `abort()`. */
  data: Data | undefined
  /** The form, if it was not accepted. */
  invalid: Invalid | undefined
  /** Why the action has not returned. */
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

interface SendOptions {
  /** Equal for equal fields of a form, which are sent only once at a time. */
  key?: string
  /** Called when the submission has a result, and before the page is replaced. */
  release?(): void
  /** Called with the number of the submission when the fresh data is shown, in the same task. */
  settled(number: number): void
}

interface Delivered {
  outcome: SubmissionOutcome
  /** Resolves when the fresh data is shown. */
  shown?: Promise<void>
  refused?(invalid: Invalid): void
}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>

/**
 * Creates the state of one `useSubmission`. Results take effect in the order in which the submissions were sent: one
 * that is older than the last result changes nothing.
 */
export function createSubmissionStore() {
  const listeners = new Set<() => void>()
  const keys = new Set<string>()
  const aborts = new Map<number, () => void>()
  let state = NOTHING
  /** The number of the newest submission whose result has taken effect. */
  let shown = 0

  function update(change: Partial<SubmissionState>) {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }

  function begin(formData: FormData): number {
    const newest = state.newest + 1
    const result = state.result && { ...state.result, error: undefined }
    update({ newest, formData, isPending: true, progress: undefined, result })
    return newest
  }

  /** Returns false for a result that changes nothing. */
  function take(number: number, outcome: SubmissionOutcome): boolean {
    if (number <= shown) return false
    shown = number
    update({
      result: resultOf(outcome),
      ...(number === state.newest && { isPending: false, progress: undefined }),
      // Otherwise the fields stay until the fresh data is shown.
      ...(number === state.newest && outcome.error && { formData: undefined }),
    })
    return true
  }

  /** Ends all submissions without a result. */
  function forget(change?: Pick<SubmissionState, 'result'>) {
    shown = state.newest
    update({ formData: undefined, isPending: false, progress: undefined, ...change })
  }

  async function deliver(number: number, fields: SentFields, { release, settled }: SendOptions): Promise<Delivered> {
    let isAborted = false
    aborts.set(number, () => {
      isAborted = true
    })
    const { submit } = await loadBrowserFunctions('submit')
    if (isAborted) return { outcome: {} }
    const sent = submit(fields, {
      progress: (progress) => void (number === state.newest && state.isPending && update({ progress })),
      settled: () => settled(number),
      release: () => release?.(),
    })
    aborts.set(number, sent.abort)
    return { outcome: await sent.outcome, shown: sent.settled, refused: sent.refused }
  }

  return {
    get: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isSending: (key: string) => keys.has(key),
    /** Sends fields. Resolves when the result is there and the loads have run again. */
    async send(fields: SentFields, options: SendOptions): Promise<SubmissionOutcome> {
      const { key = '', release } = options
      const number = begin(fields.formData)
      keys.add(key)
      const { outcome, shown, refused } = await deliver(number, fields, options)
        .catch((thrown): Delivered => {
          if (!browser.load) throw thrown
          // The script that sends could not be loaded.
          return { outcome: { error: { message: NOT_SENT } } }
        })
        .finally(() => {
          aborts.delete(number)
          keys.delete(key)
          release?.()
        })
      if (take(number, outcome) && outcome.invalid && listeners.size > 0) refused?.(outcome.invalid)
      await shown
      return outcome
    },
    abort() {
      for (const abort of aborts.values()) abort()
      forget()
    },
    reset: () => forget({ result: null }),
  }
}

export function resultOf({ data, invalid, error }: SubmissionOutcome): SubmissionResult {
  return { data, invalid, error }
}
