import type { Acted } from '../../shared/wire/navigation-protocol.ts'
import type { Refusal } from '../../shared/wire/public-error.ts'
import { currentOf, watchSent } from '../field-defaults.ts'
import { forgetOtherPages, keepTyped } from '../kept-text.ts'
import type { NavigatorContext } from '../navigation/navigator-context.ts'
import { focusInvalid, removeNotice, showError, showSentence } from '../notice.ts'
import { extrasOf, type FetchResult } from '../read-page.ts'
import type { ResultView } from '../result-view.ts'
import {
  callAction,
  createSubmissionOrder,
  MULTIPART,
  type Submission,
  submissionKey,
  type Turn,
} from './call-action.ts'
import type { PostedForm } from './intercept-forms.ts'

/** Returns the function that sends a form and shows the result. `catchUp` loads what the page lacks. */
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
    const key = submissionKey(url, formData)
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

type PageResult = Extract<FetchResult, { kind: 'page' }>

const TOO_LARGE = 413

/** Creates the functions that take the result of a submission, and show it in its turn. */
function createResultTaker(submission: Submission, turn: Turn, view: ResultView) {
  const input = watchInput(submission.form, turn)
  const accept = watchSent(submission.form)
  const screen = createResultScreen(submission, turn, view)
  let refusal: Refusal | undefined

  async function takePage(page: PageResult, status: number) {
    const { leaf } = page.tree
    // React would show the result together with the page, and wait for the page's deferred parts.
    await screen.actedShown()
    const isAccepted = status < 400
    if (turn.canShow() && !isTooLarge(page)) {
      if (leaf.kind === 'shown') keepTyped(submission.form)
      return screen.showPage(page, () => isAccepted && input.reset())
    }
    submission.stop()
    const error = leaf.kind === 'shown' ? leaf.shown : refusal
    if (error) showError(error, submission.form)
    if (isAccepted) input.reset()
  }

  return {
    /** Shows what the action returned, in the current page. */
    acted(acted: Acted, status: number) {
      if (status < 400) accept()
      refusal = refusalOf(acted, status)
      screen.showActed(acted)
    },
    /** Resolves when the result has taken effect. */
    async ended(result: FetchResult, actedStatus: number | undefined) {
      const { url, counts } = submission
      if (!counts()) return
      if (result.kind === 'load') sendByBrowser(submission)
      else if (result.kind === 'page') await takePage(result, actedStatus ?? result.status)
      else if (result.kind === 'redirect') {
        if (result.isRefused) keepTyped(submission.form)
        const isInPlace = await screen.follow(new URL(result.to, url), result.isRefused ? undefined : accept)
        // If no action has run, the visitor's input in a form of a layout that stays would be lost. A document that is left
        // keeps its fields, for Back and for a redirect to a download.
        if (isInPlace && !result.isRefused) input.reset()
      } else if (result.kind === 'done') {
        const shown = screen.actedShown()
        if (!shown) {
          if (refusal) showError(refusal, submission.form)
          await screen.follow(url)
        } else {
          await shown
          if ((actedStatus ?? 0) < 400) input.reset()
        }
      }
    },
    stop: input.stop,
  }
}

/** Returns the messages of a form that was not accepted, for a notice in place of the page. */
function refusalOf({ invalid }: Acted, status: number): Refusal | undefined {
  return invalid && { kind: 'refusal', status, message: Object.values(invalid.issues).flat().join(' ') }
}

/** Creates the functions that show the result of a submission, if it is its turn. */
function createResultScreen(submission: Submission, turn: Turn, view: ResultView) {
  const { form, stop } = submission
  let actedShown: Promise<void> | undefined

  function focusFirst({ invalid }: Acted) {
    if (invalid) focusInvalid(invalid, form, view.announce)
  }

  return {
    /** Returns a promise that resolves when the page shows what the action returned; undefined if it will not. */
    actedShown: () => actedShown,
    showActed(acted: Acted) {
      if (!turn.canShow() || !view.isCurrent(submission.url)) return
      turn.takeEffect()
      actedShown = view.showActed(acted)
      void actedShown.then(() => focusFirst(acted))
    },
    /** Shows a page, and calls `onShown` when it is in the document. Waits for that unless parts follow later. */
    async showPage(page: PageResult, onShown: () => void) {
      turn.takeEffect()
      const fresh = { ...page, version: submission.version, stop }
      const isUpdate = actedShown && page.tree.leaf.kind === 'page'
      // The address of the page is without the name of an action.
      const { search } = page.tree.address.url
      const inDocument = isUpdate
        ? view.replace(fresh)
        : view.show(Object.assign(new URL(submission.url), { search }), fresh)
      if (!isUpdate) void inDocument.then(() => focusFirst(extrasOf(page.tree)))
      // Parts that follow later keep React from replacing the page.
      if (page.rest === null) await inDocument
      void inDocument.then(onShown)
    },
    /** Resolves with false if the browser loads a document. */
    async follow(to: URL, onPage?: () => void): Promise<boolean> {
      if (!turn.isNewest()) return true
      turn.takeEffect()
      return view.follow(to, turn.isNewest, onPage)
    },
  }
}

/** Returns whether the server refused the form because of its size. The page with the form stays then. */
function isTooLarge({ tree: { leaf } }: PageResult): boolean {
  return leaf.kind === 'shown' && leaf.shown.kind === 'refusal' && leaf.shown.status === TOO_LARGE
}

/** Sends a form for which no action has been called. */
function sendByBrowser({ url, formData, enctype }: Submission) {
  sendNatively(url.href, enctype ?? MULTIPART, formData)
}

/** Notices whether the visitor changes a field of the form. */
function watchInput(form: HTMLFormElement, turn: Turn) {
  let hasChanged = false
  const listen = ({ target }: Event) => {
    // Fields outside of the element belong to the form too.
    if ((target as HTMLInputElement).form === currentOf(form)) hasChanged = true
  }
  addEventListener('input', listen)
  return {
    /** Resets the form, unless it has been changed or sent again since. */
    reset() {
      // A button may be named `reset`, so the method is called this way.
      if (turn.isNewestOfForm() && !hasChanged) HTMLFormElement.prototype.reset.call(currentOf(form))
    },
    stop: () => removeEventListener('input', listen),
  }
}

/** The objects that all submissions share. */
export interface SubmissionContext extends NavigatorContext {
  view: ResultView
  /** Marks everything that has been fetched so far as out of date. */
  expire(): void
}

/** Submits fields by a form of the browser. `submit()` dispatches no event, so no handler of the site runs again. */
export function sendNatively(action: string, enctype: string, formData: FormData) {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  form.enctype = enctype
  form.addEventListener('formdata', (event) => {
    // `append` accepts files too; the type of its parameter is for one of its two forms.
    for (const [name, value] of formData) event.formData.append(name, value as string)
  })
  document.body.append(form)
  forgetOtherPages()
  form.submit()
}
