import { removeNotice, showSentence } from '../notice.ts'
import type { FetchResult } from '../read-page.ts'
import { callAction } from './call-action.ts'
import { keyOf } from './form-body.ts'
import type { PostedForm } from './intercept-forms.ts'
import type { SubmissionContext } from './submission-context.ts'
import { createSubmissionOrder, type Submission } from './submission-order.ts'
import { sendNatively } from './submit-natively.ts'
import { createResultTaker } from './take-result.ts'

/**
 * Returns the function that sends a form and shows the result. Several forms may be pending at the same time.
 *
 * @param catchUp Runs the loads of the page again if it lacks what an action has changed.
 */
export function createFormSubmitter({ app, state, begin, view, expire }: SubmissionContext, catchUp: () => void) {
  const sending = new Set<string>()
  const takeTurn = createSubmissionOrder(view.isCurrent)

  return async (form: PostedForm) => {
    let isSent = false
    const onSend = () => {
      isSent = true
    }
    try {
      await submit(form, onSend)
    } catch (error) {
      reportError(error)
      // Another script has replaced a function of the browser that this one needs.
      if (!isSent) sendNatively(form.url.href, form.enctype, form.formData)
    }
  }

  async function submit({ url, formData, form, enctype }: PostedForm, onSend: () => void) {
    // Ignores a double click.
    const key = keyOf(url, formData)
    if (sending.has(key)) return
    sending.add(key)
    removeNotice(form)
    // What was said about an earlier attempt is no longer true.
    view.announce('')
    const end = begin({ state: 'submitting', url, formData })
    const before = state.departures
    const counts = () => before === state.departures
    const controller = new AbortController()
    const stop = () => controller.abort()
    const submission = { url, method: 'POST', formData, form, enctype, version: state.version, counts, stop }
    state.pendingForms++
    try {
      await deliver(submission, controller.signal, onSend, () => sending.delete(key))
    } finally {
      sending.delete(key)
      state.pendingForms--
      end()
      catchUp()
    }
  }

  async function deliver(submission: Submission, signal: AbortSignal, onSend: () => void, onActed: () => void) {
    const { form, counts, url } = submission
    const taker = createResultTaker(submission, takeTurn(submission), view)
    const wasOffline = !navigator.onLine
    let actedStatus: number | undefined
    const revalidate = () => {
      submission.version++
      expire()
    }
    onSend()
    const result = await callAction(
      submission,
      {
        result: view.isCurrent(url) ? 'here' : undefined,
        signal,
        onActed(acted, status) {
          actedStatus = status
          if (acted.revalidate !== false) revalidate()
          onActed()
          taker.acted(acted, status)
        },
      },
      app,
      view.isOurs,
    ).catch((error): undefined => {
      console.error(error)
      // Nothing is sent again, and the form keeps its input.
      if (counts()) showSentence(sentenceOf('The form', wasOffline), form)
    })
    if (result === undefined || (actedStatus === undefined && hasRun(result))) revalidate()
    if (result) await taker.ended(result, actedStatus)
    taker.stop()
  }
}

/** Returns whether an action has, or may have, run that has not returned. */
function hasRun({ kind }: FetchResult): boolean {
  return kind !== 'load'
}

/** Returns the sentence for a request that failed. Its fields may have arrived, unless there was no network at all. */
export function sentenceOf(what: string, wasOffline: boolean): string {
  return wasOffline && !navigator.onLine
    ? `${what} was not sent: there is no network connection. Try again when there is one.`
    : `${what} may or may not have arrived: the server did not answer as expected. Check before you send it again.`
}
