import type { FetchResult } from './fetch-page.ts'
import { focusInvalid } from './focus-invalid.ts'
import { MULTIPART } from './form-body.ts'
import { showError, showSentence } from './notice.ts'
import type { ResultView } from './result-view.ts'
import type { Submission } from './submission.ts'
import { sendNatively } from './submit-natively.ts'

/**
 * Returns a function to call when a submission begins. It returns the function that takes the submission's result.
 * Results take effect in the order in which their submissions began:
 *
 * - A result is not shown when a newer one has been shown, or when the visitor has left for another page since.
 * - A result leads to another URL only when nothing newer has been sent.
 */
export function createOrder(view: ResultView) {
  const newestOf = new WeakMap<HTMLFormElement, number>()
  let newest = 0
  /** The number of the newest submission whose result has taken effect. */
  let shown = 0

  return (submission: Submission) => {
    const { form, counts } = submission
    const number = ++newest
    if (form) newestOf.set(form, number)
    const isNewest = () => counts() && number === newest

    function reset() {
      // A form that has been sent again since keeps its input. A button may be named `reset`, so the method is called
      // this way.
      if (form && newestOf.get(form) === number) HTMLFormElement.prototype.reset.call(form)
    }

    /** Resolves when the result has taken effect, to whether the page may now lack changes of the action. */
    return async (result: FetchResult): Promise<boolean> => {
      const { url } = submission
      if (result.kind === 'load') {
        if (counts()) sendByBrowser(submission)
        return false
      }
      if (!counts()) return true
      if (result.kind === 'page') {
        const isShown = number > shown && (isNewest() || view.isCurrent(url))
        if (isShown) {
          shown = number
          await view.show(url, result.tree)
          focusInvalid(result.tree, form, view.announce)
        } else if (result.tree.leaf.kind === 'shown') showError(result.tree.leaf.shown, form)
        if (result.status < 400) reset()
        return !isShown
      }
      const shouldFollow = isNewest()
      if (shouldFollow) {
        shown = number
        await view.follow(result.kind === 'done' ? url : new URL(result.to, url), isNewest)
      }
      if (result.kind === 'redirect') reset()
      return !shouldFollow
    }
  }
}

/** Sends a form for which no action has been called. Throws if the method is not POST: a browser sends no other. */
function sendByBrowser({ url, method, formData, enctype }: Submission) {
  if (method !== 'POST') {
    showSentence('This was not sent. Reload the page and try again.')
    throw new Error(`The current build of this site has no action for ${method} ${url.href}.`)
  }
  sendNatively(url.href, enctype ?? MULTIPART, formData)
}
