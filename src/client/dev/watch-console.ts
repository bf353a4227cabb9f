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

/** Returns the text of a call of the console: fills in the placeholders of the first value, and adds further values. */
export function formatConsole([format, ...rest]: readonly unknown[]): string {
  const text = String(format).replace(/%[sdifoOc%]/g, (placeholder) => {
    if (placeholder === '%%') return '%'
    if (rest.length === 0) return placeholder
    const value = rest.shift()
    // A style of the text.
    return placeholder === '%c' ? '' : textOf(value)
  })
  return [text, ...rest.map(textOf)].join(' ')
}

// The value may be an object that throws when it is read.
function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'an object that cannot be read'
  }
}

// Tells about elements that a document should have only once. React moves them into the head from any component, and
// compares nothing: a layout and its page may both render a description.

const SINGLE = [
  'title',
  'link[rel=canonical]',
  ...['description', 'viewport'].map((name) => `meta[name=${name}]`),
  ...['title', 'description', 'url', 'type'].map((name) => `meta[property="og:${name}"]`),
]

/** Watches the head. Calls `tell` with a text and the frames of the components that have rendered the elements. */
export function watchHead(tell: (text: string, stack: string) => void) {
  function look() {
    for (const selector of SINGLE) {
      const found = [...document.head.querySelectorAll(selector)]
      if (found.length < 2) continue
      const contents = found.map((element) => JSON.stringify(contentOf(element))).join(', ')
      const text = `The document has ${found.length} elements ${selector}, and should have one: ${contents}. Search engines and browsers may use any of them. Render the element either in the layout or in its pages.`
      tell(text, found.map(frameOf).join('\n'))
    }
  }

  look()
  new MutationObserver(look).observe(document.head, { childList: true })
}

function contentOf(element: Element): string {
  return element.getAttribute('content') ?? element.getAttribute('href') ?? element.textContent
}

/** Returns the line of React's stack that leads to the component; empty for an element that React has not rendered. */
function frameOf(element: Element): string {
  const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'))
  if (key === undefined) return ''
  const { _debugStack: error } = (element as unknown as Record<string, { _debugStack?: Error | null }>)[key] ?? {}
  // The first line is a message, and the second one the function that creates elements.
  return error?.stack?.split('\n')[2] ?? ''
}
