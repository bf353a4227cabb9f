/**
 * Calls `onPassed` after `ms` milliseconds. In a process whose event loop was blocked, input that arrived in the
 * meantime is read first, and React's postponed work is done first. Returns a function that cancels the deadline.
 */
export function startDeadline(ms: number, onPassed: () => void): () => void {
  let isOff = false
  const timer = setTimeout(() => {
    // After pending input, and after the timers that are due.
    setImmediate(() => setTimeout(() => isOff || onPassed(), 0))
  }, ms)
  return () => {
    isOff = true
    clearTimeout(timer)
  }
}

export const DEADLINE = Symbol('deadline')

/** Returns a promise that resolves with DEADLINE when the time has passed, and a function that stops the timer. */
export function createDeadline(ms: number) {
  let clear = () => {}
  const passed = new Promise<typeof DEADLINE>((resolve) => {
    clear = startDeadline(ms, () => resolve(DEADLINE))
  })
  return { passed, clear }
}

export function createPendingCalls() {
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0

  function take(id: number) {
    const call = pending.get(id)
    pending.delete(id)
    return call
  }

  return {
    /** Posts a call with a new id. The promise settles with the result for this id. Rejects if `post` throws. */
    call: (post: (id: number) => void) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        pending.set(id, { resolve, reject })
        try {
          post(id)
        } catch (error) {
          pending.delete(id)
          throw error
        }
      }),
    resolve: (id: number, value: unknown) => take(id)?.resolve(value),
    reject: (id: number, error: Error) => take(id)?.reject(error),
    count: () => pending.size,
    rejectAll(error: Error) {
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    },
  }
}

const MAX_MS = 2_147_483_647

/** Returns a number of milliseconds that a timer accepts. `setTimeout` calls back at once if the number is larger. */
export function timerMs(ms: number): number {
  return Math.min(ms, MAX_MS)
}
