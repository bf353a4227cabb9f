import type { Acted } from '../../shared/wire/navigation-protocol.ts'
import { extrasOf } from '../extras.ts'
import { focusInvalid } from '../focus-invalid.ts'
import { showError } from '../notice.ts'
import type { FetchResult } from '../read-page.ts'
import type { ResultView } from '../result-view.ts'
import type { Fields } from './call-action.ts'
import { MULTIPART } from './form-body.ts'
import { sendNatively } from './submit-natively.ts'
import { keepTyped } from './typed-text.ts'

/** A form that is being sent. */
export interface Submission extends Fields {
  form: HTMLFormElement
  /** Returns false when the visitor has left for another page since. */
  counts(): boolean
  /** Stops receiving the deferred data of the page with which the action responds. */
  stop(): void
  /** How many actions had changed data when the form was sent, its own included as soon as it has. */
  version: number
}

const TOO_LARGE = 413

/**
 * Returns a function to call when a submission begins. It returns the functions that take the submission's result.
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
    const { form, counts, stop } = submission
    const number = ++newest
    newestOf.set(form, number)
    const isNewest = () => counts() && number === newest
    const canShow = () => number >= shown && (isNewest() || (counts() && view.isCurrent(submission.url)))
    const input = watchInput(form)
    /** Resolves when the page shows what the action returned. */
    let actedShown: Promise<void> | undefined

    function reset() {
      // A form that has been sent again since, or typed in, keeps its input. A button may be named `reset`, so the
      // method is called this way.
      if (newestOf.get(form) === number && !input.hasChanged()) HTMLFormElement.prototype.reset.call(form)
    }

    function focusFirst({ invalid }: Acted) {
      if (invalid) focusInvalid(invalid, form, view.announce)
    }

    async function takePage(page: Extract<FetchResult, { kind: 'page' }>, status: number) {
      const { leaf } = page.tree
      // React would show the result together with the page, and wait for the page's deferred parts.
      await actedShown
      const isRefused = leaf.kind === 'shown' && leaf.shown.kind === 'refusal' && leaf.shown.status === TOO_LARGE
      const isShown = canShow() && !isRefused
      if (isShown) {
        shown = number
        if (leaf.kind === 'shown') keepTyped(form)
        const fresh = { ...page, version: submission.version, stop }
        const isUpdate = actedShown && leaf.kind === 'page'
        const inDocument = isUpdate ? view.replace(fresh) : view.show(submission.url, fresh)
        if (!isUpdate) void inDocument.then(() => focusFirst(extrasOf(page.tree)))
        // Parts that follow later keep React from replacing the page.
        if (!page.isDeferred) await inDocument
        if (status < 400) void inDocument.then(reset)
      } else {
        stop()
        if (leaf.kind === 'shown') showError(leaf.shown, form)
        if (status < 400) reset()
      }
    }

    return {
      /** Shows what the action returned, in the current page. */
      acted(acted: Acted) {
        if (!canShow() || !view.isCurrent(submission.url)) return
        shown = number
        actedShown = view.showActed(acted)
        void actedShown.then(() => focusFirst(acted))
      },
      /** Resolves when the result has taken effect. */
      async ended(result: FetchResult, actedStatus: number | undefined) {
        const { url } = submission
        const isDone = result.kind === 'done'
        if (!counts()) return
        if (result.kind === 'load') sendByBrowser(submission)
        else if (result.kind === 'page') await takePage(result, actedStatus ?? result.status)
        else if (isDone && actedShown) {
          await actedShown
          if ((actedStatus ?? 0) < 400) reset()
        } else if (isDone || result.kind === 'redirect') {
          const to = isDone ? url : new URL(result.to, url)
          if (!isDone && result.isRefused) keepTyped(form)
          if (isNewest()) {
            shown = number
            await view.follow(to, isNewest)
          }
          // Without an action, nothing has received what the visitor typed into a form of a layout that stays.
          if (!isDone && !result.isRefused) reset()
        }
      },
      stop: input.stop,
    }
  }
}

/** Sends a form for which no action has been called. */
function sendByBrowser({ url, formData, enctype }: Submission) {
  sendNatively(url.href, enctype ?? MULTIPART, formData)
}

/** Notices whether the visitor changes a field of the form. */
function watchInput(form: HTMLFormElement) {
  let hasChanged = false
  const listen = ({ target }: Event) => {
    // Fields outside of the element belong to the form too.
    if ((target as HTMLInputElement).form === form) hasChanged = true
  }
  addEventListener('input', listen)
  return { hasChanged: () => hasChanged, stop: () => removeEventListener('input', listen) }
}
