// Sends forms, and fields of scripts, to the actions of pages.

import type { SubmitBody } from '../shared/tree/navigation-state.ts'
import type { App } from './app-state.ts'
import type { FetchResult } from './fetch-page.ts'
import { formDataOf, keyOf, MULTIPART } from './form-body.ts'
import type { createActivity } from './navigation-activity.ts'
import { removeNotice, showError, showSentence } from './notice.ts'
import type { NavigatorState } from './page-navigation.ts'
import type { ResultView } from './result-view.ts'
import { type Submission, submit } from './submission.ts'
import { sendNatively } from './submit-natively.ts'

/**
 * Returns the function that sends fields. It resolves when the page shows the result. Several submissions may be
 * pending at the same time. Their results take effect in the order in which they were sent:
 *
 * - A result is not shown when a newer one has been shown, or when the visitor has left for another page since.
 * - A result leads to another URL only when nothing newer has been sent.
 * - The page always shows the changes of all actions: if necessary, the loads of the current page run again after the
 *   last response.
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
  const newestOf = new WeakMap<HTMLFormElement, number>()
  let newest = 0
  /** The number of the newest submission whose result has taken effect. */
  let shown = 0
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
    const number = ++newest
    const submission = { url, method, formData, form, enctype, number, counts: () => before === state.departures }
    if (form) newestOf.set(form, number)
    pendingCount++
    try {
      await deliver(submission)
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
    if (counts()) await take(result, submission)
    else if (result.kind !== 'load') isBehind = true
  }

  async function take(result: FetchResult, { url, method, formData, form, enctype, number, counts }: Submission) {
    const isNewest = () => counts() && number === newest
    switch (result.kind) {
      case 'load':
        // No action has been called. The browser can send a form itself, but only by POST.
        if (method !== 'POST') {
          showSentence('This was not sent. Reload the page and try again.')
          throw new Error(`The current build of this site has no action for ${method} ${url.href}.`)
        }
        return sendNatively(url.href, enctype ?? MULTIPART, formData)
      case 'done':
      case 'redirect':
        isBehind ||= !isNewest()
        if (isNewest()) {
          shown = number
          await view.follow(result.kind === 'done' ? url : new URL(result.to, url), isNewest)
        }
        if (result.kind === 'redirect') reset(form, number)
        return
      case 'page':
        if (number > shown && (isNewest() || view.isCurrent(url))) {
          shown = number
          await view.show(url, result.tree)
        } else {
          isBehind = true
          if (result.tree.leaf.kind === 'shown') showError(result.tree.leaf.shown, form)
        }
        if (result.status < 400) reset(form, number)
    }
  }

  function reset(form: HTMLFormElement | undefined, number: number) {
    // A form that has been sent again since keeps its input. A button may be named `reset`, so the method is called
    // this way.
    if (form && newestOf.get(form) === number) HTMLFormElement.prototype.reset.call(form)
  }
}

/** Returns the sentence for a request that failed. Its fields may have arrived, unless there was no network at all. */
function sentenceOf(what: string, wasOffline: boolean): string {
  return wasOffline && !navigator.onLine
    ? `${what} was not sent: there is no network connection. Try again when there is one.`
    : `${what} may or may not have arrived: the server did not answer as expected. Check before you send it again.`
}
