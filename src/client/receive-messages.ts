import type { BootMessage, BootQueue, Notice } from '../shared/wire/boot.ts'
import type { createDeferredPromises, Settlement } from '../shared/wire/deferred-data.ts'
import type { LogError } from './report.ts'
import type { watchDocument } from './watch-document.ts'

/**
 * Handles the settlements and notices of the document: those that are in the queue, and those that its scripts add
 * later. Returns a promise for each of the former, which resolves when the message has taken effect.
 */
export function receiveMessages(
  queue: BootQueue,
  deferred: ReturnType<typeof createDeferredPromises>,
  logError: LogError,
): Promise<void>[] {
  let watch: Promise<ReturnType<typeof watchDocument>> | undefined
  function receive(message: BootMessage) {
    // A settlement begins with the number of its promise, and a notice with 0.
    if (message[0]) return deferred.settle(message as Settlement)
    // Only documents with notices need this script.
    watch ??= import('./watch-document.ts').then(({ watchDocument }) => watchDocument(document, deferred, logError))
    return watch.then((take) => take(message as Notice)).catch(() => {})
  }
  const received = (queue.slice(1) as BootMessage[]).map(receive)
  // The document's scripts add only messages, and do not read the result of `push`.
  queue.push = receive as never
  return received
}
