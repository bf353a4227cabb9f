// Keeps what a visitor has typed: before hydration, when React renders fields anew, in a form that was not accepted, and on
// a page that the visitor leaves.

import {
  type Field,
  type FieldValue,
  fieldsOnScreen,
  fill,
  getAttribute,
  isChanged,
  isKept,
  isTouched,
  placesOfFields,
  readValue,
  rememberSuccessor,
} from './field-defaults.ts'

// Fields that React renders anew: when it cannot hydrate a part of the document, because an extension has changed it, and
// after a failure from which the page has recovered.

/** A field that has been connected to React for this long has been hydrated. */
const HYDRATED_MS = 200

/** A field that the visitor has changed before React has hydrated it. */
interface Changed {
  place: string
  path: string
  /** The fields of the document at that time. None of them replaces this one. */
  others: Set<Field>
}

/** Keeps what is in all fields, and fills in those that React renders anew in this task. */
export function keepFields() {
  const { activeElement } = document
  const kept = placesOfFields()
  setTimeout(() => {
    for (const [place, field] of placesOfFields()) {
      const old = kept.get(place)
      if (old && !old.isConnected) move(old, field, activeElement)
    }
  })
}

/** Watches the fields that a visitor fills in before React has hydrated them. To be called before hydration. */
export function watchFields() {
  /** The fields that the visitor has changed. */
  const changed = new Map<Field, Changed>()
  let focused = document.activeElement

  function onInput({ target }: { target: EventTarget | null }) {
    // Hydrated fields are React's own affair: it may remove them on purpose.
    if (!(target instanceof Element) || isReacts(target)) return
    const places = [...placesOfFields()]
    const place = places.find(([, field]) => field === target)?.[0]
    if (place === undefined) return
    if (target instanceof HTMLTextAreaElement) keepText(target)
    if (changed.size === 0) setTimeout(forgetHydrated, HYDRATED_MS, new Set())
    // The cast is safe because the element is one of the fields.
    changed.set(target as Field, { place, path: location.pathname, others: new Set(places.map(([, field]) => field)) })
  }

  function forgetHydrated(before: Set<Field>) {
    const hydrated = new Set([...changed.keys()].filter(isReacts))
    for (const field of before) changed.delete(field)
    if (changed.size > 0) setTimeout(forgetHydrated, HYDRATED_MS, hydrated)
  }

  addEventListener('input', onInput, true)
  addEventListener('focusin', ({ target }) => {
    focused = target as Element | null
  })
  // The visitor may have typed before this script was loaded.
  for (const target of fieldsOnScreen()) if (isChanged(target)) onInput({ target })
  new MutationObserver(() => {
    const moved: [Field, Field][] = []
    for (const [field, { place, path, others }] of changed) {
      if (field.isConnected) continue
      const anew = placesOfFields().get(place)
      const isAnew = anew && !others.has(anew)
      // React may show the fallback of a `<Suspense>` first.
      if (!isAnew && path === location.pathname) continue
      changed.delete(field)
      // What an action has accepted is not filled in again.
      if (!isAnew || !isTouched(field)) continue
      move(field, anew, focused)
      moved.push([field, anew])
    }
    for (const pair of moved) rememberSuccessor(...pair)
  }).observe(document, { childList: true, subtree: true })
}

/** Keeps the text of a `<textarea>` when React hydrates it. React sets the default then, also over a visitor's text. */
function keepText(field: HTMLTextAreaElement) {
  const property = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
  Object.defineProperty(field, 'value', {
    ...property,
    set(text) {
      // React defines a property of its own next, if there is none.
      Reflect.deleteProperty(field, 'value')
      if (text !== field.defaultValue) property?.set?.call(field, text)
    },
  })
}

/** Moves the content of a field, and the focus, to the field that has replaced it. */
function move(old: Field, field: Field, focused: Element | null) {
  const value = readValue(old)
  if (old.type === 'file') moveFiles(old as HTMLInputElement, field as HTMLInputElement)
  else if (JSON.stringify(readValue(field)) !== JSON.stringify(value)) fill(field, value)
  if (old !== focused || document.activeElement !== document.body) return
  field.focus()
  if (old instanceof HTMLSelectElement || field instanceof HTMLSelectElement) return
  // A checkbox has no selection.
  if (old.selectionStart !== null) field.setSelectionRange(old.selectionStart, old.selectionEnd)
}

function moveFiles({ files }: HTMLInputElement, field: HTMLInputElement) {
  if (!files?.length) return
  field.files = files
  field.dispatchEvent(new Event('change', { bubbles: true }))
}

/** Returns whether React has created the node, or has hydrated it. */
export function isReacts(node: Node): boolean {
  return Object.keys(node).some((key) => key.startsWith('__reactFiber$'))
}

// The text of a form that was not accepted and led to another page, for example because the session has ended in another
// tab. When the visitor returns to the page of the form, the form is filled in again.

interface Typed {
  form: HTMLFormElement
  /** The path and the query of the page. */
  page: string
  /** The form's action and its fields. */
  kind: string
  /** The position of the form among those of its kind. Other forms of the page may come and go with a session. */
  index: number
  values: FieldValue[]
}

/** Another person may use the tab after this time. */
const KEPT_MS = 600_000

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

// Found by the attribute, because an input may be named `elements`.
function fieldsOf(form: HTMLFormElement): Field[] {
  const named = [...document.querySelectorAll<Field>('[name]')]
  return named.filter((field) => field.form === form && isKept(field))
}

// What a visitor has typed on a page when a link leads away from it. When the visitor is back, the fields are filled in
// again, as a browser does for documents.

type Left = Map<string, { field: Field; value: FieldValue }>

/** Creates the functions that remember the fields of a page, and fill them in. */
export function createLeftFields() {
  /** By the key of the page's entry of the history. */
  const pages = new Map<string, Left>()

  return {
    /** To be called before another page is shown. */
    leave() {
      const key = navigation.transition?.from.key
      if (!key) return
      const left: Left = new Map()
      for (const [place, field] of placesOfFields()) {
        if (isKept(field) && (isTouched(field) || isChanged(field))) left.set(place, { field, value: readValue(field) })
      }
      pages.set(key, left)
      setTimeout(() => pages.get(key) === left && pages.delete(key), KEPT_MS)
    },
    /** To be called when the page is shown. */
    arrive({ destination, navigationType }: NavigateEvent) {
      if (navigationType !== 'traverse') return
      const left = pages.get(destination.key) ?? []
      // The visitor may send the form now, and come back to it.
      pages.delete(destination.key)
      const places = placesOfFields()
      for (const [place, { field: old, value }] of left) {
        const field = places.get(place)
        // The field of a layout that stays has its text.
        if (!field || old.isConnected || !isKept(field)) continue
        if (JSON.stringify(readValue(field)) !== JSON.stringify(value)) fill(field, value)
      }
    },
  }
}
