import { createThrottledLine } from './throttled-line.ts'

/** Logs that a service is unavailable, at most once a minute, and that it is available again. */
export interface OutageLog {
  failed(error: unknown): void
  /** The service is available. */
  ended(): void
  /** Logs nothing any more: connections report an error when this process closes them. */
  stop(): void
}

/**
 * Creates the log of one service.
 *
 * @param writeOutage Writes the line of an outage, given its last error.
 * @param writeEnd Writes the line that follows when the outage has ended.
 */
export function createOutageLog(writeOutage: (lastError: unknown) => void, writeEnd: () => void): OutageLog {
  let lastError: unknown
  let isWarned = false
  const warning = createThrottledLine(() => {
    isWarned = true
    writeOutage(lastError)
  })
  return {
    failed(error) {
      lastError = error
      warning.count()
    },
    ended() {
      warning.clear()
      if (isWarned) writeEnd()
      isWarned = false
    },
    stop: warning.stop,
  }
}
