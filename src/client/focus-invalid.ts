import type { Tree } from '../shared/tree/app-tree.tsx'
import type { PageExtras } from '../shared/wire/page-extras.ts'

/**
 * Moves the focus to the first field with a message, and announces that the form was not sent. Does nothing for a page
 * without such a form.
 *
 * @param form The form that was sent. When it is not in the document, the first such field of any form has the focus.
 */
export function focusInvalid(
  { data, layouts }: Tree,
  form: HTMLFormElement | undefined,
  announce: (text: string) => void,
) {
  const extras = data[layouts.length + 1] as PageExtras | undefined
  if (!extras?.invalid) return
  const { issues } = extras.invalid
  announce(['The form was not sent.', ...(issues[''] ?? [])].join(' '))
  // Found by the attribute, because an input may be named `elements`.
  for (const field of document.querySelectorAll<HTMLInputElement>('[name]:not([type=hidden])')) {
    const isOurs = form?.isConnected ? field.form === form : field.form
    if (isOurs && Object.hasOwn(issues, field.name.replace(/\[]$/, ''))) return field.focus()
  }
}
