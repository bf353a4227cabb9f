import type { Acted } from '../../shared/wire/navigation-protocol.ts'
import { extrasOf } from '../extras.ts'
import { focusInvalid } from '../focus-invalid.ts'
import { showError } from '../notice.ts'
import type { FetchResult } from '../read-page.ts'
import type { ResultView } from '../result-view.ts'
import { MULTIPART } from './form-body.ts'
import type { Submission, Turn } from './submission-order.ts'
import { sendNatively } from './submit-natively.ts'

type PageResult = Extract<FetchResult, { kind: 'page' }>

const TOO_LARGE = 413

/** Creates the functions that take the result of a submission, and show it in its turn. */
export function createResultTaker(submission: Submission, turn: Turn, view: ResultView) {
  const { form, counts, stop } = submission
  const input = watchInput(form)
  /** Resolves when the page shows what the action returned. */
  let actedShown: Promise<void> | undefined

  function reset() {
    // A form that has been sent again since, or typed in, keeps its input. A button may be named `reset`, so the method
    // is called this way.
    if (turn.isNewestOfForm() && !input.hasChanged()) HTMLFormElement.prototype.reset.call(form)
  }

  function focusFirst({ invalid }: Acted) {
    if (invalid) focusInvalid(invalid, form, view.announce)
  }

  async function takePage(page: PageResult, status: number) {
    const { leaf } = page.tree
    // React would show the result together with the page, and wait for the page's deferred parts.
    await actedShown
    if (turn.canShow() && !isTooLarge(page)) return showPage(page, status)
    stop()
    if (leaf.kind === 'shown') showError(leaf.shown, form)
    if (status < 400) reset()
  }

  async function showPage(page: PageResult, status: number) {
    turn.show()
    const fresh = { ...page, version: submission.version, stop }
    const isUpdate = actedShown && page.tree.leaf.kind === 'page'
    const inDocument = isUpdate ? view.replace(fresh) : view.show(submission.url, fresh)
    if (!isUpdate) void inDocument.then(() => focusFirst(extrasOf(page.tree)))
    // Parts that follow later keep React from replacing the page.
    if (!page.isDeferred) await inDocument
    if (status < 400) void inDocument.then(reset)
  }

  async function follow(to: URL) {
    if (!turn.isNewest()) return
    turn.show()
    await view.follow(to, turn.isNewest)
  }

  return {
    /** Shows what the action returned, in the current page. */
    acted(acted: Acted) {
      if (!turn.canShow() || !view.isCurrent(submission.url)) return
      turn.show()
      actedShown = view.showActed(acted)
      void actedShown.then(() => focusFirst(acted))
    },
    /** Resolves when the result has taken effect. */
    async ended(result: FetchResult, actedStatus: number | undefined) {
      const { url } = submission
      if (!counts()) return
      if (result.kind === 'load') sendByBrowser(submission)
      else if (result.kind === 'page') await takePage(result, actedStatus ?? result.status)
      else if (result.kind === 'redirect') {
        await follow(new URL(result.to, url))
        reset()
      } else if (result.kind === 'done') {
        if (!actedShown) return follow(url)
        await actedShown
        if ((actedStatus ?? 0) < 400) reset()
      }
    },
    stop: input.stop,
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
function watchInput(form: HTMLFormElement) {
  let hasChanged = false
  const listen = ({ target }: Event) => {
    // Fields outside of the element belong to the form too.
    if ((target as HTMLInputElement).form === form) hasChanged = true
  }
  addEventListener('input', listen)
  return { hasChanged: () => hasChanged, stop: () => removeEventListener('input', listen) }
}
