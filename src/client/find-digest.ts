import type { FragmentInstance } from 'react'

/** A method of fragment references that React's type declarations do not list yet. */
type FragmentPlace = FragmentInstance & Pick<Node, 'compareDocumentPosition'>

/**
 * Finds the digests that the server left for Suspense boundaries which failed there and now fail here as well.
 * React keeps each in the page until it has rendered the boundary anew, on the template behind the boundary's
 * `<!--$!-->` comment, but does not hand it to error boundaries. A template is given out once: when several parts
 * of a page fail in one pass, they come in the order of the document.
 */
export function createDigestFinder() {
  const given = new WeakSet<Element>()

  return (place: FragmentInstance | null): string | undefined => {
    for (const template of document.querySelectorAll<HTMLElement>('template[data-dgst]')) {
      const before = template.previousSibling as Comment | null
      if (before?.data !== '$!' || given.has(template)) continue
      // A place that holds nothing but failed boundaries has no elements to compare with: React then says so.
      const position = (place as FragmentPlace | null)?.compareDocumentPosition(template)
      if (position !== undefined && !(position & CONTAINED_BY_OR_IMPLEMENTATION_SPECIFIC)) continue
      given.add(template)
      return template.dataset.dgst
    }
    return undefined
  }
}

// `Node.DOCUMENT_POSITION_…`, which no bundler writes out.
const CONTAINED_BY_OR_IMPLEMENTATION_SPECIFIC = 16 | 32
