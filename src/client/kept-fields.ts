// Keeps what a visitor has typed in the page that is shown: before hydration, and when React renders fields anew.

import { PROBE } from '../shared/wire/early-events.ts'
import {
  type Field,
  fieldsOnScreen,
  fill,
  isChanged,
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
    // The cast is safe because the element is one of the fields.
    const field = target as Field
    if (place === undefined || isHydrated(field)) return
    if (target instanceof HTMLTextAreaElement && !changed.has(target)) keepText(target)
    if (changed.size === 0) setTimeout(forgetHydrated, HYDRATED_MS, new Set())
    changed.set(field, { place, path: location.pathname, others: new Set(places.map(([, field]) => field)) })
  }

  function forgetHydrated(before: Set<Field>) {
    const hydrated = new Set([...changed.keys()].filter(isHydrated))
    for (const field of before) changed.delete(field)
    if (changed.size > 0) setTimeout(forgetHydrated, HYDRATED_MS, hydrated)
  }

  addEventListener('input', onInput, true)
  addEventListener('focusin', ({ target }) => {
    // The script that keeps early events sends one without an element.
    if (target instanceof Element) focused = target
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

/**
 * Keeps the text of a `<textarea>` until React has hydrated it. React sets the default then, also over a visitor's text, and
 * once more each time it begins anew, for example because of an event meanwhile.
 */
function keepText(field: HTMLTextAreaElement) {
  const own = Object.getOwnPropertyDescriptor(field, 'value')
  const property = own ?? Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
  Object.defineProperty(field, 'value', {
    ...property,
    configurable: true,
    set(text) {
      if (!isReacts(field)) return property?.set?.call(field, text)
      const isKept = text === field.defaultValue && !(own && isPassed(field))
      // React defines a property of its own next, if there is none.
      if (own) Object.defineProperty(field, 'value', own)
      else Reflect.deleteProperty(field, 'value')
      if (isKept) queueMicrotask(() => keepText(field))
      else field.value = text
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

/** Returns whether React has hydrated, or is about to hydrate, the part of the page around a field of any script. */
function isHydrated(field: Field): boolean {
  return isReacts(field) || isPassed(field)
}

/**
 * Returns whether React has hydrated the part of the page around a field, which may belong to another script. React stops
 * the probe before that. It does not reach a field that has been removed.
 */
function isPassed(field: Field): boolean {
  let hasPassed = false
  function onProbe(event: Event) {
    hasPassed = !event.cancelBubble
    event.stopPropagation()
  }
  if (!Object.keys(document).some((key) => key.startsWith('__reactContainer$'))) return false
  // After React's own listener.
  document.addEventListener(PROBE, onProbe, true)
  field.dispatchEvent(new PointerEvent(PROBE, { pointerId: -1 }))
  document.removeEventListener(PROBE, onProbe, true)
  return hasPassed
}

/** Returns whether React has created the node, or has hydrated it. */
export function isReacts(node: Node): boolean {
  return Object.keys(node).some((key) => key.startsWith('__reactFiber$'))
}
