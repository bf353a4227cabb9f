import type { Invalid } from '../shared/wire/page-extras.ts'

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
