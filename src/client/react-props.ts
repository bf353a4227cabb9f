// What React keeps at its elements. No public function tells it. Without these properties, fields behave as with React
// alone, and tests fail.

/** The props of a field, or of an option, that say what it contains. */
export interface ContentProps {
  value?: unknown
  defaultValue?: unknown
  checked?: unknown
  defaultChecked?: unknown
  selected?: unknown
}

/** The props of React that handle an event. React calls `onChange` of a box when it is clicked. */
const HANDLERS: Record<string, RegExp> = {
  click: /^onClick/,
  dblclick: /^onDoubleClick/,
  keydown: /^onKeyDown/,
  keyup: /^onKeyUp/,
  input: /^on(Change|Input)/,
  change: /^on(Change|Input|Click)/,
}

/** Returns the props that React has given an element; undefined for an element of another script. */
export function propsOf(element: Element): ContentProps | undefined {
  const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'))
  return key === undefined ? undefined : (element as unknown as Record<string, ContentProps>)[key]
}

/** Returns whether the element, or one around it, has a handler of React for events of the type. */
export function hasHandler(target: Element, type: string): boolean {
  for (let element: Element | null = target; element; element = element.parentElement) {
    for (const [name, value] of Object.entries(propsOf(element) ?? {}))
      if (value && HANDLERS[type]?.test(name)) return true
  }
  return false
}

/** Lets React take the next event of a field as a change: it ignores one with a text that it already tracks. */
export function forgetText(field: Element) {
  const { _valueTracker: tracker } = field as { _valueTracker?: { setValue(value: string): void } }
  tracker?.setValue('\0')
}
