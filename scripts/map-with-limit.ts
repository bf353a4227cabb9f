/** The number of files that are copied or linked at a time. */
export const FILES_AT_A_TIME = 16

/**
 * Maps items with at most `limit` calls of `map` at a time. Resolves with the results in the order of the items. When a
 * call fails, starts no more calls, waits for the running ones and rejects with the error.
 */
export async function mapWithLimit<T, R>(
  items: Iterable<T>,
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let hasFailed = false
  // All workers take from the one iterator.
  const queue = [...items].entries()

  async function work() {
    for (const [index, item] of queue) {
      if (hasFailed) return
      try {
        results[index] = await map(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }

  const outcomes = await Promise.allSettled(Array.from({ length: limit }, work))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return results
}

/** Runs a function now or later, and returns its result. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a queue that runs at most `limit` pieces of work at a time, in the order in which they come. */
export function createQueue(limit: number): Queue {
  const waiting: (() => void)[] = []
  let free = limit
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The next function in the queue takes the place, so no later one overtakes it.
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
