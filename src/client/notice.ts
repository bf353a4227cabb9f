// Notices in the page about a form whose result the page cannot show.

import { trustedContent } from '../shared/tree/fallback.ts'
import type { Invalid } from '../shared/wire/boot.ts'
import type { PublicError } from '../shared/wire/public-error.ts'

const NOTICE = 'hydrant-notice'

/** Shows a sentence above the form, or at the top of the page without a form. Replaces an earlier notice there. */
export function showSentence(sentence: string, form?: HTMLFormElement) {
  const paragraph = document.createElement('p')
  // The sentence is English, whatever the language of the site.
  paragraph.lang = 'en'
  paragraph.dir = 'ltr'
  paragraph.textContent = sentence
  addNotice(form).append(paragraph)
}

/** Shows a failure or a refusal in the same place as `showSentence`. */
export function showError(error: PublicError, form?: HTMLFormElement) {
  const { hostname, search } = location
  const notice = addNotice(form)
  notice.classList.add('hydrant-failure')
  notice.innerHTML = trustedContent(error, { host: hostname, search })
}

/** Removes the notice above the form, or at the top of the page. */
export function removeNotice(form?: HTMLFormElement) {
  const before = form?.isConnected ? form.previousElementSibling : document.body.firstElementChild
  if (before?.classList.contains(NOTICE)) before.remove()
}

export function removeNotices() {
  for (const notice of document.querySelectorAll(`.${NOTICE}`)) notice.remove()
}

function addNotice(form?: HTMLFormElement): HTMLElement {
  removeNotice(form)
  const notice = document.createElement('div')
  notice.className = NOTICE
  notice.role = 'alert'
  // An input may be named `before`, so the method is called this way.
  if (form?.isConnected) Element.prototype.before.call(form, notice)
  else document.body.prepend(notice)
  return notice
}

/** Announces to screen readers that the form was not sent. */
export function announceInvalid({ issues }: Invalid, announce: (text: string) => void) {
  announce(['The form was not sent.', ...(issues[''] ?? [])].join(' '))
}

/**
 * Moves the focus to the first field with a message, and announces that the form was not sent.
 *
 * @param form The form that was sent. When it is not in the document, the first such field of any form gets the focus.
 */
export function focusInvalid(invalid: Invalid, form: HTMLFormElement, announce: (text: string) => void) {
  const { issues } = invalid
  announceInvalid(invalid, announce)
  // Found by the attribute, because an input may be named `elements`.
  for (const field of document.querySelectorAll<HTMLInputElement>('[name]:not([type=hidden])')) {
    const isOurs = form.isConnected ? field.form === form : field.form
    if (!isOurs || !Object.hasOwn(issues, field.name.replace(/\[]$/, ''))) continue
    field.focus()
    // A hidden field or a fieldset of the same name does not take the focus.
    if (document.activeElement === field) return
  }
}
