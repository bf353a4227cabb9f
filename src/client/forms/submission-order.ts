import type { Fields } from './call-action.ts'

/** A form that is being sent. */
export interface Submission extends Fields {
  form: HTMLFormElement
  /** Returns false if the visitor has gone to another page since. */
  counts(): boolean
  /** Stops receiving the deferred data of the page with which the action responds. */
  stop(): void
  /**
   * How many actions had changed data when the form was sent. When the action of this form has changed data, it is
   * included.
   */
  version: number
}

/** The place of a submission in the order. */
export type Turn = ReturnType<ReturnType<typeof createSubmissionOrder>>

/**
 * Returns the function that begins a submission. Results take effect in the order in which their submissions began:
 *
 * - A result is not shown if a newer one has been shown, or if the visitor has gone to another page since.
 * - A result leads to another URL only if no newer form has been sent.
 *
 * @param isCurrent Returns whether the current page has a URL.
 */
export function createSubmissionOrder(isCurrent: (url: URL) => boolean) {
  const newestOf = new WeakMap<HTMLFormElement, number>()
  let newest = 0
  /** The number of the newest submission whose result has taken effect. */
  let shown = 0

  return (submission: Submission) => {
    const { form, counts } = submission
    const number = ++newest
    newestOf.set(form, number)
    const isNewest = () => counts() && number === newest
    return {
      isNewest,
      isNewestOfForm: () => newestOf.get(form) === number,
      // A redirect of the action changes the URL of the submission.
      canShow: () => number >= shown && (isNewest() || (counts() && isCurrent(submission.url))),
      /** Records that the result takes effect. */
      takeEffect() {
        shown = number
      },
    }
  }
}
