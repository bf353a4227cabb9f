import type { Acted } from '../../shared/wire/navigation-protocol.ts'
import { extrasOf } from '../extras.ts'
import { currentOf, watchSent } from '../field-defaults.ts'
import { focusInvalid } from '../focus-invalid.ts'
import { showError } from '../notice.ts'
import type { FetchResult } from '../read-page.ts'
import type { ResultView } from '../result-view.ts'
import { keepTyped } from '../typed-text.ts'
import { MULTIPART } from './form-body.ts'
import type { Submission, Turn } from './submission-order.ts'
import { sendNatively } from './submit-natively.ts'

type PageResult = Extract<FetchResult, { kind: 'page' }>

const TOO_LARGE = 413

/** Creates the functions that take the result of a submission, and show it in its turn. */
export function createResultTaker(submission: Submission, turn: Turn, view: ResultView) {
  const input = watchInput(submission.form, turn)
  const accept = watchSent(submission.form)
  const screen = createResultScreen(submission, turn, view)

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
    if (leaf.kind === 'shown') showError(leaf.shown, submission.form)
    if (isAccepted) input.reset()
  }

  return {
    /** Shows what the action returned, in the current page. */
    acted(acted: Acted, status: number) {
      if (status < 400) accept()
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
        if (!shown) await screen.follow(url)
        else {
          await shown
          if ((actedStatus ?? 0) < 400) input.reset()
        }
      }
    },
    stop: input.stop,
  }
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
      const inDocument = isUpdate ? view.replace(fresh) : view.show(submission.url, fresh)
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
