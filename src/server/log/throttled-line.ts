import type { FastifyInstance } from 'fastify'

const MINUTE_MS = 60_000

/** A log line for events that clients can cause at will. */
export interface ThrottledLine {
  /** Counts an event: writes the line at once, or with the next line when there was one within the last minute. */
  count(): void
  /** Forgets the events that no line has counted yet. */
  clear(): void
  /** Stops writing. */
  stop(): void
}

/**
 * Creates a line that is written for the first event at once, and then at most once a minute.
 *
 * @param write Writes the line, given the number of events since the line before.
 */
export function createThrottledLine(write: (count: number) => void, intervalMs = MINUTE_MS): ThrottledLine {
  let count = 0
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function writeCount() {
    timer = undefined
    if (count === 0) return
    const events = count
    count = 0
    timer = setTimeout(writeCount, intervalMs).unref()
    write(events)
  }

  return {
    count() {
      count++
      if (timer === undefined && !isStopped) writeCount()
    },
    clear() {
      count = 0
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Creates a throttled line that stops when the app closes. Returns its `count`. */
export function addThrottledLine(app: FastifyInstance, write: (count: number) => void): () => void {
  const line = createThrottledLine(write)
  app.addHook('onClose', (_app, done) => {
    line.stop()
    done()
  })
  return line.count
}

/** Returns `1 request`, `2 requests`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
