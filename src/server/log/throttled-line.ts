const MINUTE_MS = 60_000

/**
 * A throttled log line, for events that clients can cause at will. `tell` writes it: for the first event at once, then
 * once a minute with the number of events since.
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

/** `1 request`, `2 requests` */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
