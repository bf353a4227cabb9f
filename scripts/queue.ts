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
