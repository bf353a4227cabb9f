// Sends events again that React has missed, because their part of the page was not hydrated.

import { EARLY_VARIABLE, type EarlyEvent, PROBE } from '../shared/wire/early-events.ts'
import { asTextField, createTexts, type Texts } from './early-texts.ts'
import { type Field, type FieldValue, fieldsOnScreen, fill, given, isTicked, readValue } from './field-defaults.ts'
import { hasHandler } from './react-props.ts'

/** The forms that the browser has sent. It sends no form whose fields are not valid. */
const sentForms = new WeakSet<EventTarget>()

/**
 * Sends the events that the document's script has kept, and keeps. React keeps the probe, too, until it has hydrated the
 * part of the page around its target, and sends it again then.
 */
export function sendEarly() {
  const early = (self as unknown as { [EARLY_VARIABLE]?: EarlyEvent[] })[EARLY_VARIABLE] ?? []
  const waiting = new Map<number, EarlyEvent>()
  // No pointer has such a number. React keeps one probe for each, and the document's script uses -1.
  let pointerId = -1
  const texts = createTexts()
  let queued = 0
  let sent = Promise.resolve()

  function wait(kept: EarlyEvent) {
    const [event, value, isChecked, selected, isMissed] = kept
    const { target, type } = event
    texts.notice(event)
    if (type === 'click') forgetReset(event)
    // A field that React has put in place of another one gets what that one contained.
    if (isField(target) && (isMissed || given.has(target)))
      given.set(target, contentOf(target, value, isChecked, selected))
    if (!isMissed) return 0
    if (type === 'submit' && target && !event.defaultPrevented) sentForms.add(target)
    waiting.set(--pointerId, kept)
    target?.dispatchEvent(new PointerEvent(PROBE, { pointerId }))
    return 0
  }

  function onProbe({ pointerId, cancelBubble }: PointerEvent) {
    const kept = waiting.get(pointerId)
    if (!kept || cancelBubble) return
    waiting.delete(pointerId)
    queued++
    sent = sent.then(() => sendNow(kept, texts)).then(() => (--queued ? undefined : texts.end()))
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

async function sendNow([event, text = '']: EarlyEvent, texts: Texts) {
  const { target, type } = event
  if (!(target instanceof Element) || !target.isConnected) return
  const textField = asTextField(target)
  if (textField && type !== 'change') texts.hold(textField, type, text)
  if (isField(target) && (type === 'input' || type === 'change')) sendField(target, type)
  else if (hasHandler(target, type) && !hasLed(event, target)) {
    await texts.tell()
    // React copies the events that it sends again in the same way.
    const copy = new (event.constructor as typeof Event)(type, event)
    let isPrevented = false
    copy.preventDefault = () => {
      isPrevented = true
      Event.prototype.preventDefault.call(copy)
    }
    // The browser has done its part already.
    if (target.closest(ACTIVE)) Event.prototype.preventDefault.call(copy)
    target.dispatchEvent(copy)
    // React renders what the event has changed in a microtask.
    await null
    if (isPrevented && event instanceof KeyboardEvent && textField) texts.refuse(textField, event)
  }
}

/** Tells React of a box, a choice or a file that it does not know. */
function sendField(field: Field, type: string) {
  if (type === 'input' || asTextField(field)) return
  const isHandled = hasHandler(field, type)
  const value = given.get(field)
  if (field.type === 'file') {
    if (isHandled) field.dispatchEvent(new Event(type, { bubbles: true }))
  } else if (value !== undefined) {
    given.delete(field)
    // React handles the click that `fill` repeats.
    if (isHandled && isTicked(field)) field.checked = field.defaultChecked
    fill(field, value)
  }
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
