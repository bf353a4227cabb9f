// Keeps the HTML that the server has sent for a part of the page whose script is missing: a filter list blocks it, or
// the network has failed. The rest of the page becomes interactive. A promise that never settles would keep the HTML
// too, but a transition that touches the part would never end.

import type { Component, ReactElement, ReactNode, Suspense } from 'react'
import { jsx } from 'react/jsx-runtime'
import { ASSETS_PATH } from '../shared/paths.ts'
import { Boundary } from '../shared/tree/boundary.tsx'
import type { BOOT_VARIABLE, BootQueue } from '../shared/wire/boot.ts'

/** The fields of React's internal tree nodes that this file reads. */
interface Fiber {
  tag: number
  elementType: { _payload?: LazyPayload } | null
  stateNode: unknown
  memoizedState: { dehydrated?: Comment | null; isDehydrated?: boolean } | null
  alternate: Fiber | null
  child: Fiber | null
  sibling: Fiber | null
  return: Fiber | null
}

/** What `React.lazy` stores. */
interface LazyPayload {
  _status: number
  _result: unknown
}

// Values of `tag`.
const ROOT = 3
const HOST = 5
const TEXT = 6
const SUSPENSE_TAG = 13
const LAZY = 16
/** The value of `_status` when the module is there. */
const RESOLVED = 1

// These are not imported: the script of every page would have to export them.
const ComponentClass: typeof Component = Object.getPrototypeOf(Boundary)
const VARIABLE: typeof BOOT_VARIABLE = '__hydrant'
const SUSPENSE = Symbol.for('react.suspense') as unknown as typeof Suspense

const repaired = new WeakMap<Error, Promise<undefined>>()
/** The errors of components that the server has not rendered. */
const unkept = new WeakSet<Error>()

/**
 * Replaces the lazy component whose script is missing by one that keeps the HTML of the server. Returns a promise after
 * which React hydrates the part again, or the result of `reload` if there is nothing to keep.
 */
export function keepMissingPart(thrown: Error, boundary: object, reload: () => Promise<never> | false) {
  // The server has another build. The new document has the part.
  const isGone = performance
    .getEntriesByType('resource')
    .some((entry) => (entry as PerformanceResourceTiming).responseStatus === 404 && entry.name.includes(ASSETS_PATH))
  const reloading = (isGone || unkept.has(thrown)) && reload()
  if (reloading || unkept.has(thrown)) return reloading
  // React stores its node in this property.
  const fiber = (boundary as { _reactInternals: Fiber })._reactInternals
  const payloads = [fiber, fiber.alternate].flatMap((start) => payloadsIn(start?.child, thrown))
  // The boundaries around the first one get the same error.
  if (payloads.length === 0) return repaired.get(thrown) ?? reload()
  const Kept = createKept(thrown)
  for (const payload of payloads) {
    payload._status = RESOLVED
    payload._result = { default: Kept }
  }
  const done = Promise.resolve(undefined)
  repaired.set(thrown, done)
  return done
}

function payloadsIn(first: Fiber | null | undefined, thrown: Error): LazyPayload[] {
  const found: LazyPayload[] = []
  for (let fiber = first; fiber; fiber = fiber.sibling) {
    const payload = fiber.tag === LAZY ? fiber.elementType?._payload : undefined
    if (payload?._result === thrown) found.push(payload)
    found.push(...payloadsIn(fiber.child, thrown))
  }
  return found
}

function log(thrown: Error) {
  console.error(thrown)
  // The script of `bootScript` has set this variable.
  const [boot] = (window as unknown as Record<typeof BOOT_VARIABLE, BootQueue>)[VARIABLE]
  if (boot.reports === 0) return
  // A report that fails is ignored: it must not cause another one.
  import('./report.ts').then(({ report }) => report(boot, new Set(), thrown, {})).catch(() => {})
}

/** Creates the component that shows what the server has rendered in its place. Where there is nothing, it fails. */
function createKept(thrown: Error) {
  let isReported = false
  return class Kept extends ComponentClass {
    #content: ReactNode
    override componentDidMount() {
      if (!isReported) log(thrown)
      isReported = true
    }
    override render() {
      // React stores its node in this property.
      this.#content ??= readPart((this as unknown as { _reactInternals: Fiber })._reactInternals)
      if (this.#content !== undefined) return this.#content
      unkept.add(thrown)
      throw thrown
    }
  }
}

/**
 * Reads the nodes of a component that React is hydrating. Returns false if they are not there, or if React has found that
 * they are not those of the component, and undefined if the server has not rendered the component.
 */
function readPart(component: Fiber): ReactNode | undefined {
  let before: Node | null = null
  let after = 0
  let isCertain = true
  let fiber = component
  while (fiber.return) {
    before ??= lastNode(fiber.return.child, fiber)
    for (let next = fiber.sibling; next; next = next.sibling)
      if (next.tag === HOST || next.tag === TEXT || next.tag === SUSPENSE_TAG) after++
      // React has not rendered what follows. A component may have any number of nodes.
      else isCertain = false
    fiber = fiber.return
    if (fiber.tag === HOST || fiber.tag === SUSPENSE_TAG) break
  }
  const first =
    fiber.tag === HOST ? (fiber.stateNode as Element | null)?.firstChild : fiber.memoizedState?.dehydrated?.nextSibling
  // If React could not hydrate the part, it renders it anew.
  if (first === undefined) return wasDehydrated(fiber) ? false : undefined
  const parts = partsFrom(first)
  const from = before === null ? 0 : parts.findIndex(({ node }) => node === before) + 1
  const end = parts.length - after
  // Most components have one element. After a wrong guess, React renders everything anew, without this part.
  const own = parts.slice(from, isCertain ? end : Math.min(from + 1, end))
  return !own.some(({ isPending }) => isPending) && own.map(({ content }) => content)
}

/** Returns whether the component is inside of something that React was hydrating before this render. */
function wasDehydrated(inside: Fiber): boolean {
  for (let fiber: Fiber | null = inside; fiber; fiber = fiber.return) {
    const state = fiber.alternate?.memoizedState
    if ((fiber.tag === SUSPENSE_TAG && state?.dehydrated) || (fiber.tag === ROOT && state?.isDehydrated)) return true
  }
  return false
}

/** Returns the last node of the components before another one. */
function lastNode(first: Fiber | null, end: Fiber | null): Node | null {
  let last: Node | null = null
  for (let fiber = first; fiber && fiber !== end; fiber = fiber.sibling) {
    const isNode = fiber.tag === HOST || fiber.tag === TEXT
    // A node of the document, as React's tree is that of a document.
    const own = isNode ? (fiber.stateNode as Node) : fiber.tag === SUSPENSE_TAG && fiber.memoizedState?.dehydrated
    last = (own || lastNode(fiber.child, null)) ?? last
  }
  return last
}

/** A child of an element in React's tree, as the server has written it. */
interface Part {
  node: Node
  content: ReactNode
  /** Whether its content has not arrived. */
  isPending: boolean
}

/** Lists the nodes of a parent, or those before the end of a `<Suspense>`. */
function partsFrom(first: Node | null): Part[] {
  const parts: Part[] = []
  for (let node = first; node; node = node.nextSibling) {
    if (node instanceof Element) parts.push({ node, content: keepElement(node, parts.length), isPending: false })
    else if (node instanceof Text) parts.push({ node, content: node.data, isPending: false })
    else if (node instanceof Comment && node.data === END) break
    else if (node instanceof Comment && node.data.startsWith(START)) {
      const inner = partsFrom(node.nextSibling)
      const isPending = node.data !== START || inner.some((part) => part.isPending)
      const children = inner.map(({ content }) => content)
      parts.push({ node, content: jsx(SUSPENSE, { children }, parts.length), isPending })
      node = endOf(node)
    }
  }
  return parts
}

// How React's server marks a `<Suspense>`. Its content has arrived if there is nothing after the first character.
const START = '$'
const END = '/$'

function endOf(start: Node): Node {
  let end = start
  for (let depth = 1; depth > 0 && end.nextSibling; ) {
    end = end.nextSibling
    if (end instanceof Comment) depth += end.data === END ? -1 : end.data.startsWith(START) ? 1 : 0
  }
  return end
}

/** Creates the element that React hydrates without changing anything. */
function keepElement({ localName, innerHTML }: Element, key: number): ReactElement {
  const content = innerHTML && { dangerouslySetInnerHTML: { __html: innerHTML } }
  // The name is that of an element in the document.
  return jsx(localName as 'div', { suppressHydrationWarning: true, ...content }, key)
}
