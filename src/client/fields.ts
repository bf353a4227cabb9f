// The fields of the document: which there are, and what a visitor has put into them.

// An input whose name is the name of one of the form's methods hides that method.
export const { getAttribute } = Element.prototype

export type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** What a visitor has typed or chosen. */
export type FieldValue = string | boolean | boolean[]

const NOT_ON_SCREEN = new Set(['hidden', 'submit', 'button', 'image', 'reset'])
const NOT_KEPT = new Set(['file', 'hidden', 'password', 'submit', 'button', 'image', 'reset', 'fieldset', 'output'])

/** Returns the fields that a visitor can change. */
export function fieldsOnScreen(): Field[] {
  return [...document.querySelectorAll<Field>('input,select,textarea')].filter(({ type }) => !NOT_ON_SCREEN.has(type))
}

/** Returns the fields of the document, by their names and types, and their positions among those of the same. */
export function placesOfFields(): Map<string, Field> {
  const places = new Map<string, Field>()
  const counts = new Map<string, number>()
  for (const field of fieldsOnScreen()) {
    const kind = `${field.type} ${field.name}`
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    places.set(`${count} ${kind}`, field)
  }
  return places
}

/** Returns whether what a visitor types into the field may be kept. */
export function isKept(field: Field): boolean {
  return !NOT_KEPT.has(field.type) && !isPrivate(field)
}

/** Browsers do not keep such fields either. A form may say so for all of its fields. */
function isPrivate(field: Field): boolean {
  const ownValue = field.getAttribute('autocomplete')
  return (ownValue ?? (field.form && getAttribute.call(field.form, 'autocomplete')))?.toLowerCase() === 'off'
}

/** Returns what a visitor has typed or chosen. */
export function readValue(field: Field): FieldValue {
  if (field instanceof HTMLSelectElement) return [...field.options].map(({ selected }) => selected)
  return isTicked(field) ? field.checked : field.value
}

/** Fills in a field, as a visitor does. */
export function fill(field: Field, value: FieldValue) {
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
