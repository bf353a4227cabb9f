import type { FragmentInstance } from 'react'

/** A fragment reference with a method that React's types do not contain yet. */
type FragmentPlace = FragmentInstance & Pick<Node, 'compareDocumentPosition'>

// `Node.DOCUMENT_POSITION_CONTAINED_BY` and `…_IMPLEMENTATION_SPECIFIC`, which bundlers do not inline.
const CONTAINED_BY_OR_IMPLEMENTATION_SPECIFIC = 16 | 32

/**
 * Returns the function that finds the server's digest for a part of the page that failed on both sides. React keeps the
 * digest in the document until it has rendered the Suspense boundary again, on the template after the boundary's
 * `<!--$!-->` comment. It does not pass the digest to error boundaries. Each template is used once: when several parts
 * of a page fail in one pass, React reports them in the order of the document.
 */
export function createDigestFinder() {
  const used = new Set<Element>()

  return (part: FragmentInstance | null): string | undefined => {
    // Each digest contains a hyphen. React writes an empty one for a part that only the browser renders.
    for (const template of document.querySelectorAll<HTMLElement>('template[data-dgst*="-"]')) {
      const before = template.previousSibling as Comment | null
      if (before?.data !== '$!' || used.has(template)) continue
      // A part without elements has no position to compare. React then sets IMPLEMENTATION_SPECIFIC, and the template
      // counts.
      const place = part as FragmentPlace | null
      if (place && !(place.compareDocumentPosition(template) & CONTAINED_BY_OR_IMPLEMENTATION_SPECIFIC)) continue
      used.add(template)
      return template.dataset.dgst
    }
    return undefined
  }
}
