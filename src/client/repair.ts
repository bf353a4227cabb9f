// Lets React go on in a page that a translation has changed. Google Translate and extensions put `<font>` elements in
// the place of React's text nodes. React then changes texts that nobody sees, and throws when it removes such a text or
// inserts something before it: https://github.com/facebook/react/issues/11538. Loaded when the page has a `<font>`, or
// when React has thrown.
//
// Loading the document again would lose the state with each click. Replacing `removeChild` of all nodes, as many sites
// do, changes the browser for other scripts, and old texts stay. Putting the translated text into React's node makes
// the translation begin again, without end.

import { isReacts, keepFields } from './kept-fields.ts'
import { keepMissingPart } from './missing-part.ts'

/** The fields of React's internal tree nodes that this file reads. */
interface Fiber {
  tag: number
  stateNode: unknown
  child: Fiber | null
  sibling: Fiber | null
}

// Values of `tag`.
const PORTAL = 4
/** A `<title>`, `<meta>` or `<link>` that React has moved into the head. */
const HOISTABLE = 26

/** How many failures in a moment are repaired. A component may throw the same error again each time. */
const MAX_REPAIRS = 8
const MOMENT_MS = 10_000

/** The children that React has given an element, by the elements that lack some of them. */
const lacking = new Map<Node, Node[]>()
const guarded = new WeakSet<Node>()
const parentOf = new WeakMap<Node, Node>()
const repaired = new WeakSet<object>()
let repairs = 0
let observer: MutationObserver | undefined

/** Guards all texts that are replaced, now and later. */
export function guardTexts() {
  if (observer) return
  observer = new MutationObserver((records) => {
    for (const { target, type } of records) if (type === 'characterData') restoreTexts(parentOf.get(target))
    if (records.some(({ addedNodes }) => [...addedNodes].some(isForeignFont))) findReplaced()
  })
  observer.observe(document, { childList: true, subtree: true })
  findReplaced()
}

/** Returns 0 if the part in which React threw can be rendered again. See `keepMissingPart` for a missing script. */
export function repair(
  thrown: Error,
  boundary: object,
  reload: () => Promise<never> | false,
): Promise<undefined> | 0 | false | undefined {
  if (!(thrown instanceof DOMException)) return keepMissingPart(thrown, boundary, reload)
  if (repaired.has(thrown)) return 0
  if (thrown.name !== 'NotFoundError') return
  guardTexts()
  findReplaced()
  const fonts = [...document.querySelectorAll('font')].filter(isForeignFont)
  // Browsers have errors of the same name for other things, such as a missing camera. Safari does not say more.
  const isOfReact = lacking.size > 0 || fonts.length > 0 || thrown.message.includes('child of this node')
  if (!isOfReact || repairs === MAX_REPAIRS) return
  repairs++
  setTimeout(() => repairs--, MOMENT_MS)
  repaired.add(thrown)
  keepFields()
  for (const parent of [...lacking.keys()]) restoreTexts(parent)
  // React has removed the text in whose place the element is.
  for (const font of fonts) if (isOfElements(font.parentElement)) font.remove()
  return 0
}

/** Finds the elements that lack a text. React's tree and the document agree while no commit is running. */
function findReplaced() {
  lacking.clear()
  const key = Object.keys(document).find((name) => name.startsWith('__reactContainer$'))
  // React stores the root of its tree in this property.
  const root = key && (document as unknown as Record<string, Fiber>)[key]
  if (root) childrenOf((root.stateNode as { current: Fiber }).current.child)
}

/** Returns the nodes of a list of React's tree that have the same parent in the document. */
function childrenOf(first: Fiber | null, nodes: Node[] = []): Node[] {
  for (let fiber = first; fiber; fiber = fiber.sibling) {
    const { child, stateNode, tag } = fiber
    if (tag === PORTAL) guard((stateNode as { containerInfo: Node }).containerInfo, childrenOf(child))
    else if (stateNode instanceof Node) {
      if (tag !== HOISTABLE) nodes.push(stateNode)
      if (child) guard(stateNode, childrenOf(child))
    } else childrenOf(child, nodes)
  }
  return nodes
}

function guard(parent: Node, children: Node[]) {
  const isAway = (node: Node) => node.parentNode !== parent
  if (!children.some(isAway)) return
  lacking.set(parent, children)
  for (const text of children)
    if (text instanceof Text && isAway(text)) {
      parentOf.set(text, parent)
      // React changes the text although it is not in the document.
      observer?.observe(text, { characterData: true })
    }
  if (guarded.has(parent)) return
  guarded.add(parent)
  // Only for this element: other scripts of the page use the methods of the browser.
  const { appendChild, insertBefore, removeChild } = Node.prototype
  Object.assign(parent, {
    appendChild(node: Node) {
      if (isReacts(node)) restoreTexts(parent)
      return appendChild.call(parent, node)
    },
    insertBefore(node: Node, before: Node | null) {
      const children = lacking.get(parent) ?? []
      // Translations call this method too.
      if (isReacts(node)) restoreTexts(parent)
      let next: Node | null | undefined = before
      while (next && isAway(next)) next = children[children.indexOf(next) + 1]
      return insertBefore.call(parent, node, next ?? null)
    },
    removeChild(node: Node) {
      if (isAway(node)) restoreTexts(parent)
      return isAway(node) ? node : removeChild.call(parent, node)
    },
  })
}

/** Puts React's own texts into an element again. The translation may then translate them anew. */
function restoreTexts(parent: Node | undefined) {
  const children = parent && lacking.get(parent)
  if (!children) return
  lacking.delete(parent)
  let next: Node | null = null
  for (const node of children.toReversed()) {
    if (node instanceof Text && node.parentNode !== parent) Node.prototype.insertBefore.call(parent, node, next)
    if (node.parentNode === parent) next = node
  }
  for (const node of [...parent.childNodes]) if (isForeignFont(node)) (node as Element).remove()
}

function isForeignFont(node: Node): boolean {
  return node.nodeName === 'FONT' && !isReacts(node)
}

/** Returns whether React renders children of an element one by one. React writes a single text as a whole. */
function isOfElements(parent: Element | null): boolean {
  return parent !== null && [...parent.childNodes].some(isReacts)
}
