// Tells about elements that a document should have only once. React moves them into the head from any component, and
// compares nothing: a layout and its page may both render a description.

const SINGLE = [
  'title',
  'link[rel=canonical]',
  ...['description', 'viewport'].map((name) => `meta[name=${name}]`),
  ...['title', 'description', 'url', 'type'].map((name) => `meta[property="og:${name}"]`),
]

/**
 * Watches the head of the page.
 *
 * @param tell Called with a text, and with the frames of the components that have rendered the elements.
 */
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
