// Keeps the text of a form that was not accepted and led to another page, for example because the session has ended in
// another tab. When the visitor returns to the page of the form, the form is filled in again.

// An input whose name is the name of one of the form's methods hides that method.
const { getAttribute } = Element.prototype

export type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

interface Typed {
  form: HTMLFormElement
  /** The path and the query of the page. */
  page: string
  /** The form's action and its fields. */
  kind: string
  /** The position of the form among those of its kind. Other forms of the page may come and go with a session. */
  index: number
  values: (string | boolean | boolean[])[]
}

/** Another person may use the tab after this time. */
export const KEPT_MS = 600_000

/** The newest form only, because older ones would take memory forever. */
let kept: Typed | undefined
let timer: number | undefined

/** Keeps the fields of a form of the current page for a while, without files, passwords and `autoComplete="off"`. */
export function keepTyped(form: HTMLFormElement) {
  clearTimeout(timer)
  timer = setTimeout(() => {
    kept = undefined
  }, KEPT_MS)
  const kind = kindOf(form)
  const values = fieldsOf(form).map(readValue)
  if (form.isConnected) kept = { form, page: currentPage(), kind, index: formsOf(kind).indexOf(form), values }
}

/** Returns whether the text of a form of the current page is kept. */
export function keepsTyped(): boolean {
  return kept?.page === currentPage()
}

/** Fills in the form that has been kept, once, if the current page has it. */
export function restoreTyped() {
  // A form in a layout that stays has its fields, and the visitor may have changed them since.
  if (kept?.form.isConnected) kept = undefined
  const form = kept?.page === currentPage() ? formsOf(kept.kind)[kept.index] : undefined
  if (!form || !kept) return
  const { values } = kept
  kept = undefined
  for (const [index, field] of fieldsOf(form).entries()) fill(field, values[index] ?? '')
}

function formsOf(kind: string): HTMLFormElement[] {
  return [...document.forms].filter((form) => kindOf(form) === kind)
}

function kindOf(form: HTMLFormElement): string {
  const fields = fieldsOf(form).map(({ name, type }) => [name, type])
  return JSON.stringify([getAttribute.call(form, 'action'), fields])
}

function currentPage(): string {
  return location.pathname + location.search
}

const LEFT_OUT = new Set(['file', 'hidden', 'password', 'submit', 'button', 'image', 'reset', 'fieldset', 'output'])

// Found by the attribute, because an input may be named `elements`.
function fieldsOf(form: HTMLFormElement): Field[] {
  const named = [...document.querySelectorAll<Field>('[name]')]
  return named.filter((field) => field.form === form && isKept(field))
}

/** Returns whether what a visitor types into the field may be kept. */
export function isKept(field: Field): boolean {
  return !LEFT_OUT.has(field.type) && !isPrivate(field)
}

/** Browsers do not keep such fields either. A form may say so for all of its fields. */
function isPrivate(field: Field): boolean {
  const ownValue = field.getAttribute('autocomplete')
  return (ownValue ?? (field.form && getAttribute.call(field.form, 'autocomplete')))?.toLowerCase() === 'off'
}

/** Returns what a visitor has typed or chosen. */
export function readValue(field: Field): string | boolean | boolean[] {
  if (field instanceof HTMLSelectElement) return [...field.options].map(({ selected }) => selected)
  return isTicked(field) ? field.checked : field.value
}

/** Fills in a field, as a visitor does. */
export function fill(field: Field, value: string | boolean | boolean[]) {
  if (field instanceof HTMLSelectElement) {
    for (const [index, option] of [...field.options].entries()) option.selected = [value].flat()[index] === true
    field.dispatchEvent(new Event('change', { bubbles: true }))
  } else if (isTicked(field)) {
    if (field.checked !== value) field.click()
  } else {
    // React replaces the property of the element, and ignores an event after a value that was set with it.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
}

/** Returns whether the field is a checkbox or a radio button. */
export function isTicked(field: Field): field is HTMLInputElement {
  return field.type === 'checkbox' || field.type === 'radio'
}
