// Watches a document that arrives in parts, and fails the parts that never arrive. React would wait for them forever,
// and the digest would be lost. It has no public way to fail a boundary from outside, so this file reads React's tree.
// When a response is cut, Chromium 156 reports no event, so the document says when it is complete.

import { Boundary } from '../shared/tree/boundary.tsx'
import type { Notice } from '../shared/wire/boot.ts'
import { type createDeferredPromises, ServerFailure } from '../shared/wire/promises.ts'
import type { FailureInfo } from './report.ts'

/** The fields of React's internal tree nodes that this file reads. */
interface Fiber {
  stateNode: unknown
  return: Fiber | null
}

const AGAIN_MS = 50

/** Returns the function that handles notices. It also detects that the document stops before it is complete. */
export function watchDocument(
  document: Document,
  deferred: ReturnType<typeof createDeferredPromises>,
  logError: (error: Error, info: FailureInfo) => void,
) {
  let isOver = false
  let silenceMs: number
  let count = 0

  // When the connection is cut, some browsers end the document; Chromium does nothing.
  function checkProgress() {
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
    setTimeout(checkProgress, silenceMs)
  }

  return (notice: Notice) => {
    switch (notice[1]) {
      case 'open':
        silenceMs = notice[2]
        document.addEventListener('DOMContentLoaded', checkProgress)
        // The timer runs after the messages that are in the queue already: `end` may be one of them.
        setTimeout(checkProgress)
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

/** Fails the Suspense boundaries that are pending in the document, or that the server has failed with this digest. */
function failPending(document: Document, reason: Error, digest?: string) {
  for (const template of document.querySelectorAll('template')) {
    const start = template.previousSibling
    if (!(start instanceof Comment)) continue
    // A boundary without a digest has not failed: the browser renders it.
    if (start.data !== '$?' && (start.data !== '$!' || !digest || template.dataset.dgst !== digest)) continue
    // With `$~`, React assumes that the content is complete and is about to be shown. With `$!`, React would render
    // the content in the browser, and wait there for the same promise. Without the id, React's scripts in the
    // document ignore the template.
    start.data = '$~'
    template.id = ''
    failAround(start, reason)
  }
}

// Repeats, less and less often, until the nearest boundary has removed the part: React may not have hydrated it yet.
function failAround(start: Comment, reason: Error, pauseMs = AGAIN_MS) {
  if (!start.isConnected) return
  let fiber = fiberOf(start)
  while (fiber && !(fiber.stateNode instanceof Boundary))
    fiber = fiber.return
    // The loop ends at a boundary, or at null above the root.
  ;(fiber?.stateNode as Boundary | undefined)?.fail(reason)
  setTimeout(failAround, pauseMs, start, reason, pauseMs * 2)
}

// Reads React's node from the comment itself. The ancestors of the comment in the document may differ from those in
// React's tree, and a boundary may have no elements yet.
function fiberOf(start: Comment): Fiber | null | undefined {
  const key = Object.keys(start).find((name) => name.startsWith('__reactFiber$'))
  // React stores its node in this property.
  return key === undefined ? null : (start as unknown as Record<string, Fiber>)[key]
}
