const MINUTE_MS = 60_000

/**
 * For what anybody can make happen as often as they like: tells of the first at once, and from then on once a minute of how
 * many there have been.
 */
export function createThrottledLine(tell: (count: number) => void): { count(): void; stop(): void } {
  let count = 0
  let timer: NodeJS.Timeout | undefined

  function tellAll() {
    timer = undefined
    if (count === 0) return
    tell(count)
    count = 0
    timer = setTimeout(tellAll, MINUTE_MS).unref()
  }

  return {
    count() {
      count++
      if (timer === undefined) tellAll()
    },
    stop: () => clearTimeout(timer),
  }
}
