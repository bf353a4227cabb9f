import type { FastifyInstance } from 'fastify'

const MINUTE_MS = 60_000

/** Creates a line for the first event, and then one a minute at most. `write` gets the number of events. */
export function createThrottledLine(write: (count: number) => void, intervalMs = MINUTE_MS) {
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
    /** Counts an event: writes the line at once, or with the next line when there was one within the last minute. */
    count() {
      count++
      if (timer === undefined && !isStopped) writeCount()
    },
    /** Forgets the events that no line has counted yet. */
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

const RECENT_MS = 60_000
/** An outage that may be none is written when it has lasted that long. */
const HELD_MS = 1_000

/** Logs that a service is unavailable, once a minute as long as it lasts, and that it is available again. */
export type OutageLog = ReturnType<typeof createOutageLog>

/** Creates the log of one service: `writeOutage` gets the last error, and `writeEnd` follows. */
export function createOutageLog(writeOutage: (lastError: unknown) => void, writeEnd: () => void) {
  let lastError: unknown
  let isWritten = false
  let isStopped = false
  let endedAt = Number.NEGATIVE_INFINITY
  let warning = createThrottledLine(write)
  let held: NodeJS.Timeout | undefined

  function write() {
    release()
    isWritten = true
    writeOutage(lastError)
  }

  /** Writes an outage that was held, also if the last line is not a minute old. */
  function writeHeld() {
    warning.stop()
    warning = createThrottledLine(write)
    warning.count()
  }

  function release() {
    clearTimeout(held)
    held = undefined
  }

  function note(error: unknown, isHeld: boolean) {
    lastError = error
    if (isStopped) return
    if (isWritten || !isHeld) warning.count()
    else held ??= setTimeout(writeHeld, HELD_MS).unref()
  }

  return {
    /**
     * The service has failed. The line is written at once; if another outage ended within the last minute, after a
     * second, so that a service which comes and goes does not fill the log.
     */
    failed: (error: unknown) => note(error, performance.now() - endedAt < RECENT_MS),
    /** The service is slow. The line is written if that lasts for a second. */
    suspected: (error: unknown) => note(error, true),
    /** The service is available. */
    ended() {
      release()
      warning.clear()
      if (!isWritten) return
      isWritten = false
      endedAt = performance.now()
      writeEnd()
    },
    /** Logs nothing any more: connections report an error when this process closes them. */
    stop() {
      isStopped = true
      release()
      warning.stop()
    },
  }
}
