/**
 * Creates the pending promises of a page's data. Each has a number, and settles once. Settlements wait until there is a
 * subscriber.
 *
 * @param isGone Returns whether settlements are no longer needed.
 * @param nextId Returns the number of the next promise.
 */
export function createPendingPromises(isGone: () => boolean, nextId: () => number) {
  const pending = new Map<number, PromiseLike<unknown>>()
  let queued: string[] = []
  let onSettled = (settlement: string) => {
    queued.push(settlement)
  }

  return {
    count: () => pending.size,
    ids: () => [...pending.keys()],
    promises: () => [...pending.values()],
    add(promise: PromiseLike<unknown>): number {
      const id = nextId()
      pending.set(id, promise)
      return id
    },
    /** @param write Returns the settlement. It may add the promises inside of a value. */
    settle(id: number, write: () => string) {
      if (!pending.has(id) || isGone()) return
      const settlement = write()
      pending.delete(id)
      onSettled(settlement)
    },
    /** Calls back with each settlement. Earlier settlements follow at once. */
    subscribe(listener: (settlement: string) => void) {
      onSettled = listener
      const earlier = queued
      queued = []
      for (const settlement of earlier) listener(settlement)
    },
  }
}
