// Sends events again that React has missed, because their part of the page was not hydrated.

import { EARLY_VARIABLE, type EarlyEvent, PROBE } from '../shared/wire/early-events.ts'
import {
  type Field,
  type FieldValue,
  fieldsOnScreen,
  fill,
  given,
  isTicked,
  propsOf,
  readValue,
} from './field-defaults.ts'

/** The props of React that handle an event. React calls `onChange` of a box when it is clicked. */
const HANDLERS: Record<string, RegExp> = {
  click: /^onClick/,
  dblclick: /^onDoubleClick/,
  keydown: /^onKeyDown/,
  keyup: /^onKeyUp/,
  input: /^on(Change|Input)/,
  change: /^on(Change|Input|Click)/,
}

/** The forms that the browser has sent. It sends no form whose fields are not valid. */
const sentForms = new WeakSet<EventTarget>()

/**
 * Sends the events that the document's script has kept, and keeps. React keeps the probe, too, until it has hydrated the
 * part of the page around its target, and sends it again then.
 */
export function sendEarly() {
  const early = (self as unknown as { [EARLY_VARIABLE]?: EarlyEvent[] })[EARLY_VARIABLE] ?? []
  const waiting = new Map<number, Event>()
  // No pointer has such a number. React keeps one probe for each, and the document's script uses -1.
  let pointerId = -1
  let sent = Promise.resolve()

  function wait([event, value, isChecked, selected = []]: EarlyEvent) {
    const { target, type } = event
    if (type === 'submit' && target && !event.defaultPrevented) sentForms.add(target)
    if (type === 'click') forgetReset(event)
    if (isField(target)) given.set(target, contentOf(target, value, isChecked, selected))
    waiting.set(--pointerId, event)
    target?.dispatchEvent(new PointerEvent(PROBE, { pointerId }))
    return 0
  }

  function onProbe({ pointerId, cancelBubble }: PointerEvent) {
    const event = waiting.get(pointerId)
    if (!event || cancelBubble) return
    waiting.delete(pointerId)
    // React renders what one event has changed before the next one comes.
    sent = sent.then(() => sendNow(event))
  }

  document.addEventListener(PROBE, onProbe, true)
  addEventListener('pagehide', () => waiting.clear())
  for (const type of ['input', 'change'])
    addEventListener(
      type,
      ({ target, isTrusted }) => isTrusted && isField(target) && given.set(target, readValue(target)),
      true,
    )
  for (const kept of early.splice(0)) wait(kept)
  early.push = wait
}

/** The browser has reset a form: what was in its fields before is no longer there. */
function forgetReset({ target, defaultPrevented }: Event) {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('[type=reset]') : null
  if (!button?.form || defaultPrevented) return
  for (const field of fieldsOnScreen()) if (field.form === button.form) given.delete(field)
}

function contentOf(field: Field, value = '', isChecked = false, selected: readonly object[] = []): FieldValue {
  if (field instanceof HTMLSelectElement) return [...field.options].map((option) => selected.includes(option))
  return isTicked(field) ? isChecked : value
}

function sendNow(event: Event) {
  const { target, type } = event
  if (!(target instanceof Element) || !target.isConnected) return
  const isHandled = hasHandler(target, type)
  if (isField(target) && (type === 'input' || type === 'change')) sendField(target, type, isHandled)
  else if (isHandled && !hasLed(event, target)) {
    // React copies the events that it sends again in the same way.
    const copy = new (event.constructor as typeof Event)(type, event)
    // The browser has done its part already.
    if (target.closest(ACTIVE)) copy.preventDefault()
    target.dispatchEvent(copy)
  }
}

/** Tells React once what the visitor has put into a field. */
function sendField(field: Field, type: string, isHandled: boolean) {
  if (field.type === 'file') {
    if (type === 'change' && isHandled) field.dispatchEvent(new Event(type, { bubbles: true }))
    return
  }
  const value = given.get(field)
  const isText = !isTicked(field) && !(field instanceof HTMLSelectElement)
  if (value === undefined || (type === 'input') !== isText) return
  given.delete(field)
  if (isText && readValue(field) === value) {
    if (!isHandled || value === field.defaultValue) return
    // React has begun to track the field with the visitor's text, and ignores an event without a change. The text stays
    // as it is: the visitor may be composing it.
    const { _valueTracker: tracker } = field as { _valueTracker?: { setValue(value: string): void } }
    tracker?.setValue('\0')
    field.dispatchEvent(new Event(type, { bubbles: true }))
  } else {
    // React handles the click that `fill` repeats.
    if (isHandled && isTicked(field)) field.checked = field.defaultChecked
    fill(field, value)
  }
}

function hasHandler(target: Element, type: string): boolean {
  for (let element: Element | null = target; element; element = element.parentElement) {
    for (const [name, value] of Object.entries(propsOf(element) ?? {}))
      if (value && HANDLERS[type]?.test(name)) return true
  }
  return false
}

/** What the browser opens, closes, plays or resets at a click. */
const ACTIVE =
  'a[href],area[href],label,summary,input,button:not([type]),[type=submit],[type=reset],[popovertarget],[commandfor],video[controls],audio[controls]'

/** Returns whether the browser has followed a link, sent a form or ticked a box because of the event. */
function hasLed(event: Event, target: Element): boolean {
  if (event.defaultPrevented) return false
  // Enter in a field sends its form.
  if (event instanceof KeyboardEvent)
    return event.key === 'Enter' && target instanceof HTMLInputElement && isSent(target)
  const active = target.closest<HTMLAnchorElement | HTMLButtonElement | HTMLInputElement>(
    'a[href],area[href],button,input',
  )
  if (!active) return false
  // The event `change` says that a box has been ticked.
  if (!('href' in active))
    return /^(checkbox|radio)$/.test(active.type) || (/^(submit|image)$/.test(active.type) && isSent(active))
  const [page, fragment] = active.href.split('#')
  return fragment === undefined || page !== location.href.split('#')[0]
}

function isSent({ form }: HTMLInputElement | HTMLButtonElement): boolean {
  return form !== null && sentForms.has(form)
}

function isField(target: EventTarget | null): target is Field {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
  )
}
