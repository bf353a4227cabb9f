import type { Invalid } from '../shared/wire/page-extras.ts'

/**
 * Moves the focus to the first field with a message, and announces that the form was not sent.
 *
 * @param form The form that was sent. When it is not in the document, the first such field of any form gets the focus.
 */
export function focusInvalid({ issues }: Invalid, form: HTMLFormElement, announce: (text: string) => void) {
  announce(['The form was not sent.', ...(issues[''] ?? [])].join(' '))
  // Found by the attribute, because an input may be named `elements`.
  for (const field of document.querySelectorAll<HTMLInputElement>('[name]:not([type=hidden])')) {
    const isOurs = form.isConnected ? field.form === form : field.form
    if (isOurs && Object.hasOwn(issues, field.name.replace(/\[]$/, ''))) return field.focus()
  }
}
