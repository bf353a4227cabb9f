// What is still to come of a document when it arrives in parts, and what becomes of it when it never does.

import { Boundary } from '../shared/tree/boundary.tsx'
import type { Notice } from '../shared/wire/boot.ts'
import { type createDeferredPromises, ServerFailure } from '../shared/wire/deferred-data.ts'
import type { FailureInfo } from './report.ts'

/** A node of React's tree, as far as it is walked here. */
interface Fiber {
  stateNode: unknown
  return: Fiber | null
}

const AGAIN_MS = 50

/** Takes what a document says that comes in parts, and notices when it stops in the middle. */
export function createWatch(
  document: Document,
  deferred: ReturnType<typeof createDeferredPromises>,
  logError: (error: Error, info: FailureInfo) => void,
) {
  let isOver = false
  let silenceMs: number
  let count = 0

  // Of a connection that is cut, a browser may say that the document has ended, or (Chromium) nothing at all.
  function look() {
    if (isOver) return
    const { length } = document.getElementsByTagName('*')
    if (document.readyState !== 'loading' || length === count) {
      isOver = true
      const error = new Error('The connection closed before the page was complete.')
      logError(error, {})
      deferred.failPending(error)
      failPending(document, error)
      return
    }
    count = length
    setTimeout(look, silenceMs)
  }

  return (notice: Notice) => {
    switch (notice[1]) {
      case 'open':
        silenceMs = notice[2]
        document.addEventListener('DOMContentLoaded', look)
        // Not before all that has come by now is read: `end` may be there as well.
        setTimeout(look)
        break
      case 'end':
        isOver = true
        break
      case 'late':
        failPending(document, new ServerFailure(notice[2]), notice[2])
        break
    }
  }
}

/** Fails the Suspense boundaries that are pending in the document, or have been failed with that digest. */
function failPending(document: Document, reason: Error, digest = '') {
  for (const template of document.querySelectorAll('template')) {
    const start = template.previousSibling
    if (!(start instanceof Comment)) continue
    if (start.data !== '$?' && (start.data !== '$!' || template.dataset.dgst !== digest)) continue
    // For React the boundary's content has now come and is about to be shown: it does not render it here instead,
    // to wait for what the server has waited for in vain. Without the id, its scripts in the document leave it alone.
    start.data = '$~'
    template.id = ''
    failAround(start, reason)
  }
}

// Until the nearest boundary has removed it: React may not have taken over that part of the page yet.
function failAround(start: Comment, reason: Error) {
  if (!start.isConnected) return
  let fiber = fiberOf(start)
  while (fiber && !(fiber.stateNode instanceof Boundary))
    fiber = fiber.return
    // The loop ends at a boundary or at the root, which has none around it.
  ;(fiber?.stateNode as Boundary | undefined)?.fail(reason)
  setTimeout(failAround, AGAIN_MS, start, reason)
}

// A comment says by itself where React has it: what surrounds it in the document need not be its place in the tree,
// and a boundary that has no elements of its own yet cannot be found by them.
function fiberOf(start: Comment): Fiber | null | undefined {
  const key = Object.keys(start).find((name) => name.startsWith('__reactFiber$'))
  // React keeps its own node there.
  return key === undefined ? null : (start as unknown as Record<string, Fiber>)[key]
}
