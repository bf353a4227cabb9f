import type { SubmissionContext } from './forms/submission-context.ts'
import { keepsTyped, restoreTyped } from './typed-text.ts'

/**
 * Makes the "Try again" of error pages and fallbacks load the page in place while the text of its form is kept: a new
 * document would lose it. The browser loads the document for all other errors, as it may fix errors of this document.
 */
export function keepTypedOnRetry({ app, state, begin, view }: SubmissionContext) {
  async function retry() {
    const url = new URL(location.href)
    const before = state.departures
    const end = begin({ state: 'loading', url })
    await view.follow(url, () => before === state.departures)
    restoreTyped()
    end()
  }

  app.platform.reload = () => {
    if (keepsTyped()) void retry()
    else location.reload()
  }
  addEventListener('submit', (event) => {
    if (!keepsTyped() || !(event.target as Element).closest('.hydrant-failure')) return
    event.preventDefault()
    void retry()
  })
}
