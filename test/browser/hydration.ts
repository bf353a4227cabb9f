/// <reference lib="dom" />

// Whether React has hydrated a page. The function runs in the page.

/**
 * Returns whether React has hydrated the document and the first element of its body.
 *
 * React marks an element before it compares the rest of the document, so a mark alone does not suffice.
 */
export function isHydrated(): boolean {
  type Root = { stateNode?: { current?: { memoizedState?: { isDehydrated?: boolean } } } }
  const container = Object.keys(document).find((key) => key.startsWith('__reactContainer$'))
  const root: Root | undefined = Reflect.get(document, container ?? '')
  const element = document.querySelector('body > :not(script, style)')
  return (
    root?.stateNode?.current?.memoizedState?.isDehydrated === false &&
    Object.keys(element ?? {}).some((key) => key.startsWith('__reactFiber$'))
  )
}

/** Returns what a page that React has not hydrated has loaded. */
export function describePage() {
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  return {
    state: document.readyState,
    visibility: document.visibilityState,
    text: document.body.innerText.slice(0, 200),
    hasBoot: '__hydrant' in globalThis,
    scripts: resources.map(({ name, responseStatus, duration }) => [name, responseStatus, Math.round(duration)]),
  }
}
