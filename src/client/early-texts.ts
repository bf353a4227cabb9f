// Tells React what a visitor has typed before hydration, as far as the visitor was at each event that is sent again. So
// a handler that empties a field, such as one that adds a tag at Enter, does not take what was typed after it.

import { fill, given } from './field-defaults.ts'
import { forgetText, hasHandler } from './react-props.ts'

export type TextField = HTMLInputElement | HTMLTextAreaElement

interface Told {
  /** What the visitor had typed until then. */
  typed: string
  /** What the field was given for it. */
  shown: string | undefined
  /** The part of what was typed that a handler has replaced, and what the handler left. */
  replaced: string
  left: string
}

/** What the visitor sees in a field, and where the caret is. */
type Caret = Pick<TextField, 'value' | 'selectionStart' | 'selectionEnd'>

export type Texts = ReturnType<typeof createTexts>

export function createTexts() {
  /** What React is not told yet. */
  const held = new Map<TextField, string>()
  const told = new Map<TextField, Told>()
  const carets = new WeakMap<TextField, Caret>()
  let composing: EventTarget | null = null

  /** To be called for each event of the visitor. */
  function notice({ type, target, isComposing }: Event & { isComposing?: boolean }) {
    if (type === 'input' || type === 'keydown') composing = isComposing ? target : null
    const field = target && asTextField(target)
    if (!field) return
    const { value, selectionStart, selectionEnd } = field
    carets.set(field, { value, selectionStart, selectionEnd })
  }

  /** Holds what a field contained at an event. */
  function hold(field: TextField, type: string, typed: string) {
    const last = given.get(field)
    if (last !== undefined && (type === 'input' || typed !== last)) held.set(field, typed)
  }

  /** Tells what is held. A text that is being composed stays as it is. */
  async function tell() {
    for (const [field, typed] of held) if (field !== composing && held.delete(field)) show(field, typed)
    // React renders in a microtask.
    await null
  }

  /** A handler has prevented what the key has typed. */
  function refuse(field: TextField, { type, key, ctrlKey, metaKey }: KeyboardEvent) {
    const last = told.get(field)
    if (!last || type !== 'keydown' || key.length > 1 || ctrlKey || metaKey) return
    last.typed += key
    last.shown = undefined
  }

  /** Tells all that was typed, if the form of the field was not reset or accepted since. */
  async function end() {
    const fields = new Set([...told.keys(), ...held.keys()])
    for (const field of fields) {
      const typed = given.get(field)
      if (typed !== undefined) show(field, String(typed))
      given.delete(field)
    }
    held.clear()
    told.clear()
    await null
    // React has rendered, which moves the caret.
    for (const field of fields) restoreCaret(field, carets.get(field))
  }

  function show(field: TextField, typed: string) {
    const { value } = field
    const last = told.get(field) ?? { typed: '', shown: value, replaced: '', left: '' }
    told.set(field, last)
    if (value !== last.shown) Object.assign(last, { replaced: last.typed, left: value })
    const shown = replaceText(typed, last.replaced, last.left)
    Object.assign(last, { typed, shown })
    if (shown !== value) fill(field, shown)
    else if (hasHandler(field, 'input') && value !== field.defaultValue) {
      // React has begun to track the field with the visitor's text. The visitor may be composing it.
      forgetText(field)
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }

  return { notice, hold, tell, refuse, end }
}

/** The visitor has typed on, at the end or at the beginning. */
function replaceText(typed: string, replaced: string, left: string): string {
  if (typed.startsWith(replaced)) return left + typed.slice(replaced.length)
  return typed.endsWith(replaced) ? typed.slice(0, -replaced.length) + left : typed
}

function restoreCaret(field: TextField, caret: Caret | undefined) {
  if (field.value === caret?.value && field.selectionStart !== caret.selectionStart && field === document.activeElement)
    field.setSelectionRange(caret.selectionStart, caret.selectionEnd)
}

/** Returns the element if visitors type into it. */
export function asTextField(target: EventTarget): TextField | null {
  const isText = target instanceof HTMLInputElement && !/^(checkbox|radio|file)$/.test(target.type)
  return isText || target instanceof HTMLTextAreaElement ? target : null
}
