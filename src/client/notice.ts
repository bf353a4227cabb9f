// Tells a visitor in the page what became of a form, when no answer can stand in the page.

import { fallbackContent } from '../shared/tree/fallback.ts'
import type { PublicError } from '../shared/wire/public-error.ts'

const NOTICE = 'hydrant-notice'

/** Shows a sentence before the form, or at the top when the form is not there. It takes the place of the one before. */
export function showSentence(sentence: string, form?: HTMLFormElement) {
  const paragraph = document.createElement('p')
  paragraph.textContent = sentence
  place(form).append(paragraph)
}

/** The same for a failure or a refusal. */
export function showFailure(shown: PublicError, form?: HTMLFormElement) {
  const { hostname, search } = location
  const notice = place(form)
  notice.classList.add('hydrant-failure')
  notice.innerHTML = fallbackContent(shown, { host: hostname, search })
}

export function removeNotice(form?: HTMLFormElement) {
  const before = form?.isConnected ? form.previousElementSibling : document.body.firstElementChild
  if (before?.classList.contains(NOTICE)) before.remove()
}

export function removeNotices() {
  for (const notice of document.querySelectorAll(`.${NOTICE}`)) notice.remove()
}

function place(form?: HTMLFormElement): HTMLElement {
  removeNotice(form)
  const notice = document.createElement('div')
  notice.className = NOTICE
  notice.role = 'alert'
  // An input of the form may be called `before`.
  if (form?.isConnected) Element.prototype.before.call(form, notice)
  else document.body.prepend(notice)
  return notice
}
