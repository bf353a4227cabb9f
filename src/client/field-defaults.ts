// Shows new data in fields that the visitor has not changed, as a new document does. A field with `value` or `checked`
// belongs to React. A field with `defaultValue` or `defaultChecked` belongs to the browser, and React does not give it
// each new default: https://github.com/facebook/react/issues/21025. So a field whose default has changed gets it here,
// from React's props in the property `__reactProps$…`: no public function knows the `defaultValue` that a `<select>`
// has now. Without this property, fields behave as with React alone, and tests fail. A form is reset by the browser, so
// that `onReset`, custom elements and file inputs take part.

import { type ContentProps, propsOf } from './react-props.ts'

/** What a field contains, and what it contains after a reset, as texts that can be compared. */
interface Content {
  now: string
  atReset: string
}

/**
 * What the visitor has put into fields before React hydrates them: see `sendEarly`. An effect may render a field with React's
 * value before. A field that is reset, or whose form is accepted, has none.
 */
export const given = new WeakMap<Field, FieldValue>()

/** Whether the visitor has changed a field: false if its form has been accepted since. */
const touched = new WeakMap<EventTarget, boolean>()

/** The forms that React has rendered in place of others, before it had hydrated them. */
const successors = new WeakMap<HTMLFormElement, HTMLFormElement>()

/** Notices that a form has been rendered anew, with a field of it. */
export function rememberSuccessor({ form: old }: Field, { form }: Field) {
  if (old && form && old !== form) successors.set(old, form)
}

/** Returns the form that is now in the place of another one. */
export function currentOf(form: HTMLFormElement): HTMLFormElement {
  const successor = successors.get(form)
  return successor ? currentOf(successor) : form
}

/** Returns whether the field differs from what the document says. */
export function isChanged(field: Field): boolean {
  const { now, atReset } = contentOf(field)
  return now !== atReset
}

/** Returns whether the field contains what the visitor wants it to contain. */
export function isTouched(field: Field): boolean {
  return touched.get(field) ?? isChanged(field)
}

/** Returns whether the visitor, or a script in the same way, has changed the field since it is on the screen. */
export function hadInput(field: Field): boolean {
  return touched.get(field) === true
}

/** Returns whether the visitor has typed something that the page still has. */
export function hasTyped(): boolean {
  const editable = [...document.querySelectorAll<Field>('[contenteditable]')]
  return fieldsOnScreen().some(isTouched) || editable.some((element) => touched.get(element))
}

/** Notices which fields the visitor changes, and gives each form React's defaults before it is reset. */
export function watchForms() {
  addEventListener('input', ({ target }) => target && touched.set(target, true), true)
  function onReset({ target }: Event) {
    for (const field of fieldsOnScreen()) {
      if (field.form !== target) continue
      touched.delete(field)
      given.delete(field)
      updateDefault(field)
    }
    for (const output of document.querySelectorAll('output')) if (output.form === target) keepOutput(output)
  }
  // A handler of the site may stop the event, or change React's state, which is then on the screen before the reset.
  for (const isCapturing of [true, false]) addEventListener('reset', onReset, isCapturing)
}

/**
 * Notices what is in the fields of a form that is sent. Returns the function to call when an action has accepted the form:
 * its fields then show defaults that differ from those before, also if the form is not reset.
 */
export function watchSent(form: unknown): () => void {
  const fields = fieldsOnScreen().filter((field) => field.form === form)
  const sent = new Map(fields.map((field) => [field, stateOf(field)]))
  return () => {
    for (const [field, state] of sent) {
      if (stateOf(field) !== state) continue
      touched.set(field, false)
      given.delete(field)
    }
  }
}

export function createDefaults() {
  /** What the fields contained before the new data; undefined for a field that keeps that. */
  let before = new Map<Field, Content | undefined>()
  const observer = new MutationObserver(lookAtNew)

  /** To be called before React gets new data. */
  function look() {
    before = new Map()
    lookAtNew()
    // While React waits for a part of the new data, it hydrates other parts, and shows others, with the old data.
    observer.observe(document, { childList: true, subtree: true })
  }

  function lookAtNew() {
    const fields = fieldsOnScreen()
    for (const field of fields) {
      if (before.has(field)) continue
      const isKept = groupOf(field, fields).some((one) => isTouched(one))
      before.set(field, isKept ? undefined : contentOf(field))
    }
  }

  /** To be called with new data in the document. `isData`: no result of an action, which may repeat typed text. */
  function show(isData: boolean) {
    observer.disconnect()
    const fields = fieldsOnScreen()
    for (const field of fields) updateDefault(field)
    const isLeftAlone = (field: Field) => before.get(field)?.now === stateOf(field)
    const left = fields.filter((field) => groupOf(field, fields).every(isLeftAlone))
    for (const field of left) if (before.get(field)?.atReset !== contentOf(field).atReset) reset(field)
    for (const field of isData ? fields : []) if (!isChanged(field)) touched.delete(field)
  }

  return { look, show }
}

/** Returns the fields that are one field for the visitor: the radio buttons of a group. */
function groupOf(field: Field, fields: readonly Field[]): readonly Field[] {
  const { type, name, form } = field
  return type === 'radio'
    ? fields.filter((one) => one.type === type && one.name === name && one.form === form)
    : [field]
}

function contentOf(field: Field): Content {
  return { now: stateOf(field), atReset: JSON.stringify(valueAtReset(field)) }
}

function stateOf(field: Field): string {
  return JSON.stringify(readValue(field))
}

function valueAtReset(field: Field): FieldValue {
  if (field instanceof HTMLSelectElement) return selectionAtReset(field)
  if (isTicked(field)) return field.defaultChecked
  if (field.value === field.defaultValue) return field.value
  // The browser corrects texts such as numbers and colors.
  const form = document.createElement('form')
  const copy = field.cloneNode(true) as Field
  copy.removeAttribute('form')
  form.append(copy)
  HTMLFormElement.prototype.reset.call(form)
  return readValue(copy)
}

function selectionAtReset({ options, multiple, size }: HTMLSelectElement): boolean[] {
  const all = [...options]
  if (multiple) return all.map(({ defaultSelected }) => defaultSelected)
  const first = size > 1 ? undefined : all.find((option) => option.matches(':enabled'))
  const chosen = all.findLast(({ defaultSelected }) => defaultSelected) ?? first
  return all.map((option) => option === chosen)
}

function reset(field: Field) {
  if (field instanceof HTMLSelectElement) select(field, selectionAtReset(field))
  else if (isTicked(field)) field.checked = field.defaultChecked
  else field.value = field.defaultValue
}

function select({ options }: HTMLSelectElement, isSelected: readonly boolean[]) {
  for (const [index, option] of [...options].entries()) {
    const next = isSelected[index] ?? false
    if (option.selected !== next) option.selected = next
  }
}

/** Gives a field the default that it has in React. For a field that belongs to React, this is what it contains now. */
function updateDefault(field: Field) {
  const props = propsOf(field)
  if (!props) return
  const { value, defaultValue, checked, defaultChecked } = props
  if (field instanceof HTMLSelectElement) updateOptions(field, props)
  else if (isTicked(field)) field.defaultChecked = checked == null ? Boolean(defaultChecked) : field.checked
  else if (value != null || defaultValue != null) {
    const text = value == null ? String(defaultValue) : field.value
    // The browser moves the caret, also for the same text.
    if (field.defaultValue !== text) field.defaultValue = text
  }
}

function updateOptions(field: HTMLSelectElement, { value, defaultValue }: ContentProps) {
  const options = [...field.options]
  const selected = options.map((option) => option.selected)
  const wanted = (field.multiple ? [defaultValue].flat() : [defaultValue]).map(String)
  const isWanted = (option: HTMLOptionElement) => {
    if (value != null) return option.selected
    if (defaultValue != null) return wanted.includes(option.value)
    const props = propsOf(option)
    return props ? Boolean(props.selected) : option.defaultSelected
  }
  const chosen = options.filter(isWanted)
  for (const option of options) option.defaultSelected = field.multiple ? chosen.includes(option) : option === chosen[0]
  // The browser selects an option that gets the attribute, if the visitor has not selected it before.
  select(field, selected)
}

/** Keeps an untouched `<output>` out of the reset: Firefox replaces React's nodes in it by a text. */
function keepOutput(output: HTMLOutputElement) {
  if (output.value !== output.defaultValue) return
  const owner = output.getAttribute('form')
  output.setAttribute('form', '')
  setTimeout(() => (owner === null ? output.removeAttribute('form') : output.setAttribute('form', owner)))
}

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

export function isTicked(field: Field): field is HTMLInputElement {
  return field.type === 'checkbox' || field.type === 'radio'
}
