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

/** The value that a deadline's promise resolves with. */
export const DEADLINE = Symbol('deadline')

/** Returns a promise that resolves with DEADLINE when the time has passed, and a function that stops the timer. */
export function createDeadline(ms: number) {
  let clear = () => {}
  const passed = new Promise<typeof DEADLINE>((resolve) => {
    clear = startDeadline(ms, () => resolve(DEADLINE))
  })
  return { passed, clear }
}
