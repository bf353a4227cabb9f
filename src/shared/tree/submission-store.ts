import type { Invalid } from '../wire/page-extras.ts'
import { browser, type SentFields, type SubmissionOutcome } from './browser.ts'
import { loadBrowserFunctions, NOT_SENT } from './load-browser-functions.ts'
import { createSubmissionState } from './submission-state.ts'

interface SendOptions {
  /** Identifies the fields of a form. Equal fields are not sent again while they are being sent. */
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

/** Creates the functions that send the fields of one `useSubmission`, and its state. */
export function createSubmissionStore() {
  const keys = new Set<string>()
  const aborts = new Map<number, () => void>()
  const state = createSubmissionState()

  async function deliver(number: number, fields: SentFields, { release, settled }: SendOptions): Promise<Delivered> {
    let isAborted = false
    aborts.set(number, () => {
      isAborted = true
    })
    const { submit } = await loadBrowserFunctions('submit')
    if (isAborted) return { outcome: {} }
    const sent = submit(fields, {
      progress: (share) => state.progress(number, share),
      settled: () => settled(number),
      release: () => release?.(),
    })
    aborts.set(number, sent.abort)
    return { outcome: await sent.outcome, shown: sent.settled, refused: sent.refused }
  }

  return {
    get: state.get,
    subscribe: state.subscribe,
    isSending: (key: string) => keys.has(key),
    /** Sends fields. Resolves when the result is there and the loads have run again. */
    async send(fields: SentFields, options: SendOptions): Promise<SubmissionOutcome> {
      const { key = '', release } = options
      const number = state.begin(fields.formData)
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
      if (state.take(number, outcome) && outcome.invalid && state.isObserved()) refused?.(outcome.invalid)
      await shown
      return outcome
    },
    abort() {
      for (const abort of aborts.values()) abort()
      state.forget()
    },
    reset: () => state.forget({ result: null }),
  }
}
