import type { FastifyBaseLogger } from 'fastify'
import { createThrottledLine } from '../../log/throttled-line.ts'
import { connectionMessageOf } from '../../util/message-of.ts'

export type StoreLog = Pick<FastifyBaseLogger, 'warn' | 'info'>

/**
 * Logs that a store is unavailable, at most once a minute, and that it is available again. `place` names the store.
 * The lines contain only the messages of errors, because other properties of a driver's error contain commands with
 * passwords.
 */
export function createStoreOutage(log: StoreLog, place: string) {
  let lastError: unknown
  let isWarned = false
  const warning = createThrottledLine(() => {
    isWarned = true
    log.warn(
      `the page cache cannot use ${place}, so each process caches pages in its own memory for now: ${describeOutage(lastError)}`,
    )
  })
  return {
    failed(error: unknown) {
      lastError = error
      warning.count()
    },
    /** The store is available. */
    ended() {
      warning.clear()
      if (isWarned) log.info(`the page cache uses ${place} again`)
      isWarned = false
    },
    /** Stops logging: connections report an error when this process closes them. */
    stop: () => warning.stop(),
  }
}

function describeOutage(error: unknown): string {
  const fix = error instanceof Error && 'fix' in error ? `. ${String(error.fix)}` : ''
  return `${connectionMessageOf(error)}${fix}`
}
