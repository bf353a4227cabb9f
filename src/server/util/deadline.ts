/**
 * Calls when the time has passed. In a process that was held up the deadline is due together with what it is for: what has
 * come meanwhile is read, and what React has put off is done, before anybody is told that it is late. Returns what calls it
 * off.
 */
export function startDeadline(ms: number, onPassed: () => void): () => void {
  let isOff = false
  const timer = setTimeout(() => {
    // Behind what has arrived, and behind the timers that are due.
    setImmediate(() => setTimeout(() => isOff || onPassed(), 0))
  }, ms)
  return () => {
    isOff = true
    clearTimeout(timer)
  }
}
