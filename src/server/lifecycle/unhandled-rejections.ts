/** The longest time for which a promise may stay without a handler, in milliseconds. */
const MAX_PATIENCE_MS = 10_000

export interface RejectionWatch {
  /** Passes on the reasons that are waiting, and further ones at once. */
  stopWaiting(): void
  /** Removes the listeners. */
  detach(): void
}

/**
 * Calls `onUnhandled` with the reason of each promise that has rejected and that nothing handles within `patienceMs`, or
 * within 10 seconds if that is less. A load may create a promise, wait for other data, and return the promise only then:
 * if it rejects meanwhile, Node.js reports it as unhandled, and the load's caller handles it later.
 */
export function watchRejections(patienceMs: number, onUnhandled: (reason: unknown) => void): RejectionWatch {
  let isWaiting = true
  const waiting = new Map<Promise<unknown>, { reason: unknown; timer: NodeJS.Timeout }>()

  function report(promise: Promise<unknown>) {
    const entry = waiting.get(promise)
    if (!entry) return
    clearTimeout(entry.timer)
    waiting.delete(promise)
    onUnhandled(entry.reason)
  }

  function wait(reason: unknown, promise: Promise<unknown>) {
    if (!isWaiting) return onUnhandled(reason)
    const timer = setTimeout(report, Math.min(patienceMs, MAX_PATIENCE_MS), promise)
    waiting.set(promise, { reason, timer })
  }

  function forget(promise: Promise<unknown>) {
    clearTimeout(waiting.get(promise)?.timer)
    waiting.delete(promise)
  }

  process.on('unhandledRejection', wait).on('rejectionHandled', forget)
  return {
    stopWaiting() {
      isWaiting = false
      for (const promise of waiting.keys()) report(promise)
    },
    detach() {
      process.off('unhandledRejection', wait).off('rejectionHandled', forget)
      for (const promise of waiting.keys()) forget(promise)
    },
  }
}
