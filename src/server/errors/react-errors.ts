/**
 * Sentences for the errors of React's production build in browsers, which has numbers instead of messages. `%s` stands for
 * an argument. React never changes the meaning of a number.
 *
 * Left out are errors that only a fault of React causes.
 */
export const reactErrors: Readonly<Record<number, string>> = {
  31: 'An object was rendered as a child (%s). React renders texts, numbers, elements, and arrays of them.',
  60: 'An element has both `children` and `dangerouslySetInnerHTML`.',
  61: '`dangerouslySetInnerHTML` is not of the form `{ __html: "…" }`.',
  62: 'The prop `style` is not an object.',
  130: 'The type of an element is neither a tag name nor a component: %s.%s',
  137: '<%s> cannot have `children` or `dangerouslySetInnerHTML`.',
  185: 'Maximum update depth exceeded: an effect sets state, which runs the effect again, without end.',
  231: 'The listener `%s` is not a function: %s.',
  300: 'Rendered fewer hooks than before: a component returned before it called all its hooks.',
  301: 'Too many re-renders: a component sets its own state each time it renders.',
  310: 'Rendered more hooks than before: a component calls a hook in a condition, or after a `return`.',
  321: 'Invalid hook call: a hook was called outside of a component, or the page has two copies of React.',
  418: 'Hydration failed: the %s of the server differs from the first render in the browser, which has rendered it again.%s',
  422: 'Hydration failed inside <Suspense>, and the browser has rendered this part again.',
  423: 'Hydration failed, and the browser has rendered the whole page again.',
  424: 'The page was updated before it was hydrated, and the browser has rendered the whole page again.',
  438: '`use` got neither a promise nor a context: %s.',
  440: 'A function of `useEffectEvent` was called during rendering.',
  460: '`use` was called in a `try` block, whose `catch` received a value that only React understands.',
  482: 'A component is an async function, which React cannot render in browsers.',
  483: 'A hook was called in an async component, which React cannot render in browsers.',
  520: 'A component failed, and the browser has rendered the whole page again without interruption.',
  525: 'An element was created by another version of React. A package may contain a copy of React.',
  527: '`react` %s and `react-dom` %s must have the same version.',
  542: '`useActionState` was called in a `try` block, whose `catch` received a value that only React understands.',
}

const NUMBERED = /^Minified React error #(\d+); visit (https:\/\/react\.dev\/errors\/\S+)/

/**
 * Says in a sentence which error of React's production build a message means. The sentence ends with the URL of React's
 * own message. Returns any other message unchanged.
 */
export function explainReactError(message: string): string {
  const [, number = '', url = ''] = NUMBERED.exec(message) ?? []
  const sentence = reactErrors[Number(number)]
  if (sentence === undefined) return message
  const values = new URL(url).searchParams.getAll('args[]')
  return `${sentence.replaceAll('%s', () => values.shift() ?? '')} (React error ${number}: ${url})`
}
