// Sends forms, and fields of scripts, to the actions of pages.

import type { SubmitBody } from '../shared/tree/navigation-state.ts'
import type { App } from './app-state.ts'
import { formDataOf, keyOf } from './form-body.ts'
import type { createActivity } from './navigation-activity.ts'
import { removeNotice, showSentence } from './notice.ts'
import type { NavigatorState } from './page-navigation.ts'
import type { ResultView } from './result-view.ts'
import { type Submission, submit } from './submission.ts'
import { createOrder } from './submission-order.ts'

/**
 * Returns the function that sends fields. It resolves when the page shows the result. Several submissions may be
 * pending at the same time. The page always shows the changes of all actions: if necessary, the loads of the current
 * page run again after the last response.
 *
 * @param expire Marks everything that has been fetched so far as out of date.
 */
export function createSender(
  app: App,
  state: NavigatorState,
  view: ResultView,
  expire: () => void,
  begin: ReturnType<typeof createActivity>,
) {
  const sending = new Set<string>()
  const enter = createOrder(view)
  let pendingCount = 0
  /** The current page may lack what an action has changed. */
  let isBehind = false

  return async (to: string | URL, method: string, content: SubmitBody, form?: HTMLFormElement, enctype?: string) => {
    const url = new URL(to, location.href)
    const formData = formDataOf(content)
    // Ignores a double click. A script may send the same fields twice.
    const key = form ? keyOf(url, formData) : ''
    if (sending.has(key)) return
    if (form) sending.add(key)
    removeNotice(form)
    const end = begin({ state: 'submitting', url, formData })
    const before = state.departures
    pendingCount++
    try {
      await deliver({ url, method, formData, form, enctype, counts: () => before === state.departures })
    } finally {
      sending.delete(key)
      end()
      if (--pendingCount === 0 && isBehind) {
        isBehind = false
        void view.refresh()
      }
    }
  }

  async function deliver(submission: Submission) {
    const { form, counts } = submission
    const take = enter(submission)
    const wasOffline = !navigator.onLine
    const result = await submit(submission, app, view.isOurs, expire).catch((error) => {
      // Nothing is sent again, and the form keeps its input.
      if (counts()) showSentence(sentenceOf(form ? 'The form' : 'This', wasOffline), form)
      if (!form) throw error
      console.error(error)
    })
    if (!result) return
    // The loads of the other submissions may have run before this action ended.
    if (pendingCount > 1) isBehind = true
    if (await take(result)) isBehind = true
  }
}

/** Returns the sentence for a request that failed. Its fields may have arrived, unless there was no network at all. */
function sentenceOf(what: string, wasOffline: boolean): string {
  return wasOffline && !navigator.onLine
    ? `${what} was not sent: there is no network connection. Try again when there is one.`
    : `${what} may or may not have arrived: the server did not answer as expected. Check before you send it again.`
}
