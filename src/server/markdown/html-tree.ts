import type { fromHtml } from '#hast-util-from-html'

export type Root = ReturnType<typeof fromHtml>
export type Element = Extract<Root['children'][number], { type: 'element' }>
/** A node inside an element. */
export type Content = Element['children'][number]

/** Returns the first matching element in the order of the document; null for none. Does not recurse. */
export function findElement(root: Root | Element, matches: (element: Element) => boolean): Element | null {
  const left: (Root | Root['children'][number])[] = [root]
  for (let node = left.pop(); node; node = left.pop()) {
    if (node.type === 'element' && matches(node)) return node
    if ('children' in node) for (const child of node.children.toReversed()) left.push(child)
  }
  return null
}

/** Returns the text inside an element that has no elements inside. */
export function textOf({ children }: Element): string {
  return children.map((child) => (child.type === 'text' ? child.value : '')).join('')
}
