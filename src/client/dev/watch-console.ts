// Passes on the texts that a page writes with `console.error`. React explains many mistakes only there.

import { base } from '../../shared/base.ts'
import {
  CONSOLE_PATH,
  type ConsoleText,
  MAX_CONSOLE_LENGTH,
  MAX_CONSOLE_TEXTS,
  UPDATED_EVENT,
} from '../../shared/wire/dev-protocol.ts'
import { postJson } from '../post-json.ts'
import { formatConsole } from './format-console.ts'

/** The beginning of React's message about attributes that differ. React logs this message and throws nothing. */
const ATTRIBUTES_DIFFER = 'A tree hydrated but some attributes of the server rendered HTML'

/**
 * Sends each text of the console to the development server, which shows it in the terminal. Differences in attributes
 * become failures instead.
 *
 * @param captureOwnerStack Returns the places that created the component that React works on, and its owners.
 * @returns The function that writes a text to both, with the stack of the code that it is about.
 */
export function watchConsole(captureOwnerStack: () => string): (text: string, stack: string) => void {
  const sent = new Set<string>()
  const { error: log } = console
  // The page stays open when the source changes.
  addEventListener(UPDATED_EVENT, () => sent.clear())

  function passOn(values: readonly unknown[], stack: string) {
    if (typeof values[0] !== 'string' || isThrown(values)) return
    const text = formatConsole(values).trimEnd()
    if (text.startsWith(ATTRIBUTES_DIFFER)) dispatchEvent(new ErrorEvent('error', { error: new Error(text) }))
    else if (text !== '') sendOnce(text, stack, captureOwnerStack())
  }

  /** Returns whether the text is a new one. */
  function sendOnce(text: string, stack: string, ownerStack: string): boolean {
    if (sent.has(text) || sent.size === MAX_CONSOLE_TEXTS) return false
    sent.add(text)
    send(text, stack, ownerStack)
    return true
  }

  console.error = (...values: unknown[]) => {
    log.apply(console, values)
    try {
      passOn(values, new Error().stack ?? '')
    } catch {
      // The page must not notice.
    }
  }

  return (text, stack) => {
    if (sendOnce(text, stack, '')) log.call(console, text)
  }
}

function send(text: string, stack: string, ownerStack: string) {
  const cut = (field: string) => field.slice(0, MAX_CONSOLE_LENGTH)
  const body: ConsoleText = {
    path: cut(location.pathname),
    message: cut(text),
    stack: cut(stack),
    ownerStack: cut(ownerStack),
  }
  postJson(base + CONSOLE_PATH, JSON.stringify(body))
}

/** Returns whether the client logs a thrown text with the stack of its components. It is reported as a failure. */
function isThrown([text, components, ...others]: readonly unknown[]): boolean {
  const hasComponents = typeof components === 'string' && components.startsWith('\n') && others.length === 0
  return hasComponents && !/%[so]/.test(String(text))
}
