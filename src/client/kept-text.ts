// What a visitor has typed in a page that is left: it is filled in again when the visitor is back. Text belongs to the visitor
// who has typed it: see `kept-owner.ts`.

import { browser } from '../shared/tree/browser.ts'
import { claim, FORM, KEPT_MS, type Owned } from '../shared/wire/kept-owner.ts'
import {
  type Field,
  type FieldValue,
  fill,
  getAttribute,
  hadInput,
  isChanged,
  isKept,
  isTouched,
  placesOfFields,
  readValue,
} from './field-defaults.ts'
import type { KeptState } from './restored-state.ts'

interface KeptText extends Owned {
  /** The fields that the visitor has changed in a page that a link led away from, by their places. */
  fields?: Map<string, LeftField>
  typed?: Typed
}

interface LeftField {
  field: Field
  value: FieldValue
  /** How many fields of this name and type the page had. */
  total: number
}

/** The text of a form that was not accepted and led to another page, for example because the session has ended. */
interface Typed {
  form: HTMLFormElement
  /** The path and the query of the page. */
  page: string
  /** The form's action and its fields. */
  kind: string
  /** The position of the form among those of its kind. Other forms of the page may come and go with a session. */
  index: number
  /** How many forms of its kind the page had. */
  total: number
  values: FieldValue[]
}

/** Tells all tabs of the site that another person may use the browser: see `suspectVisitor`. */
export const VISITOR_CHANNEL = 'hydrant-visitor'

let kept: readonly KeptText[] = []
/** The last known mark; undefined if the site says of no visitor who it is. */
let visitor: string | undefined
/** Whether the page that is shown next may be another person's. */
let isSuspected = false

/** @param hasState Whether the state of the page is kept, too. */
function keep(key: Owned['key'], text: Pick<KeptText, 'fields' | 'typed'>, hasState = true) {
  kept = [...kept.filter((one) => one.key !== key), { key, by: visitor ?? '', at: Date.now(), ...text }]
  setTimeout(find, KEPT_MS)
  if (hasState) browser.keepState?.(key)
}

/** Returns what the visitor owns under a key, and forgets what is too old. */
function find(key?: Owned['key']): KeptText | undefined {
  kept = kept.filter(({ at }) => Date.now() - at < KEPT_MS)
  return kept.find((one) => one.key === key && (one.by === '' || one.by === visitor))
}

function take(key: Owned['key']): KeptText | undefined {
  const found = find(key)
  kept = kept.filter((one) => one !== found)
  return found
}

// A form that was not accepted. Only the newest is kept.

/** Keeps the fields of a form of the current page for a while, without files, passwords and `autoComplete="off"`. */
export function keepTyped(form: HTMLFormElement) {
  const kind = kindOf(form)
  const values = fieldsOf(form).map(readValue)
  const forms = formsOf(kind)
  const typed = { form, page: currentPage(), kind, index: forms.indexOf(form), total: forms.length, values }
  if (form.isConnected) keep(FORM, { typed })
}

/** Returns the form of the current page whose text is kept. */
function findTyped(): Typed | undefined {
  const typed = find(FORM)?.typed
  return typed?.page === currentPage() ? typed : undefined
}

/** Returns whether the text of a form of the current page is kept. */
export function keepsTyped(): boolean {
  return findTyped() !== undefined
}

/**
 * Fills in the form that has been kept, once, if the current page has it. Returns whether it need not be looked for again.
 *
 * @param isWhole Whether all parts of the page are there: until then, the position of a form is known only if none is missing.
 */
export function restoreTyped(isWhole = true): boolean {
  // A form in a layout that stays has its fields, and the visitor may have changed them since.
  if (find(FORM)?.typed?.form.isConnected) take(FORM)
  const typed = findTyped()
  if (!typed) return true
  const forms = formsOf(typed.kind)
  const form = forms[typed.index]
  if (!form || !(isWhole || forms.length === typed.total)) return false
  take(FORM)
  for (const [index, field] of fieldsOf(form).entries()) if (!hadInput(field)) fill(field, typed.values[index] ?? '')
  return true
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

// A page that a link leads away from. Its fields are filled in again as a browser does it for documents.

/**
 * To be called before another page is shown, with the key of the history entry of the current one. `isSent`: a form of it
 * has been accepted, whose fields are not reset yet.
 */
export function leavePage(key: string | null, isSent = false) {
  const isAnothers = isSent && isSuspected
  isSuspected = false
  if (!key || isAnothers) return
  const places = placesOfFields()
  const changed = [...places].filter(
    ([, field]) => isKept(field) && (isTouched(field) || (!isSent && isChanged(field))),
  )
  const left = changed.map(([place, field]) => {
    return [place, { field, value: readValue(field), total: countLike(place, places) }] as const
  })
  // Those of a part that has not arrived are still kept.
  keep(key, { fields: new Map([...(find(key)?.fields ?? []), ...left]) }, !isSent)
}

/** To be called when the page is shown. Returns a function that fills in its fields, as `restoreTyped` does its form. */
export function arriveAtPage({ destination, navigationType }: NavigateEvent): (isWhole: boolean) => boolean {
  const { key } = destination
  const left = (navigationType === 'traverse' && find(key)?.fields) || new Map<string, LeftField>()
  return (isWhole) => {
    const places = placesOfFields()
    for (const [place, { field: old, value, total }] of left) {
      const field = places.get(place)
      if (!field || !(isWhole || countLike(place, places) === total)) continue
      // The visitor may send the form now, and come back to it.
      left.delete(place)
      // The field of a layout that stays has its text.
      if (old.isConnected || !isKept(field) || hadInput(field)) continue
      if (JSON.stringify(readValue(field)) !== JSON.stringify(value)) fill(field, value)
    }
    if (isWhole) left.clear()
    return left.size === 0
  }
}

/** Returns how many fields have the name and the type of the one at a place. */
function countLike(place: string, places: ReadonlyMap<string, Field>): number {
  const kindAt = (one: string) => one.slice(one.indexOf(' '))
  return [...places.keys()].filter((one) => kindAt(one) === kindAt(place)).length
}

// The owner.

/** To be called when a page says who its visitor is, before it is shown. `mark` is undefined for any other page. */
export function meetVisitor(mark: string | undefined) {
  if (mark === undefined) return
  visitor = mark
  changeKept((all) => claim(all, mark))
  try {
    sessionStorage.setItem('hydrantVisitor', mark)
  } catch {}
}

/** Returns whether the mark of a page is not that of the last known visitor. */
export function isOther(mark: string | undefined): boolean {
  return mark !== undefined && visitor !== undefined && mark !== visitor
}

/**
 * To be called when an accepted action has set a cookie and redirects: another person may use the tab. The next page says
 * who it is. If the site does not say, only the form is left that a sign-in may have interrupted, until the next call.
 */
export function suspectVisitor() {
  isSuspected = true
  const channel = new BroadcastChannel(VISITOR_CHANNEL)
  channel.postMessage(null)
  channel.close()
  if (visitor !== undefined) meetVisitor('')
  else changeKept((all) => all.filter(isInterrupted).map((one) => ({ ...one, isPassed: true })))
}

const isInterrupted = ({ key, isPassed }: Owned) => key === FORM && !isPassed

/** To be called when the browser sends a form itself: it may begin a session. The page may show the form again. */
export function forgetOtherPages() {
  if (visitor === undefined) changeState((all) => all.filter(({ page }) => page === currentPage()))
}

type Change = <Kept extends Owned>(all: readonly Kept[]) => readonly Kept[]

function changeKept(change: Change) {
  kept = change(kept)
  changeState(change)
}

/** Changes what `useRestoredState` has kept, also if its script is not loaded. It throws without storage. */
function changeState(change: (all: readonly KeptState[]) => readonly KeptState[]) {
  try {
    const all = JSON.parse(sessionStorage.getItem('hydrantState') ?? '') as KeptState[]
    sessionStorage.setItem('hydrantState', JSON.stringify(change(all)))
  } catch {}
}

/** Watches who uses the tab. `mark` is that of the document. */
export function watchVisitor(mark: string | undefined) {
  try {
    visitor = mark ?? sessionStorage.getItem('hydrantVisitor') ?? undefined
  } catch {
    visitor = mark
  }
  addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    const method = event.submitter?.getAttribute('formmethod') ?? getAttribute.call(form, 'method')
    // After all listeners, each of which may prevent the submission.
    setTimeout(() => !event.defaultPrevented && method?.toLowerCase() === 'post' && forgetOtherPages())
  })
}
