import type { FastifyBaseLogger } from 'fastify'
import { createThrottledLine } from '../log/throttled-line.ts'
import { messageOf } from '../util/message-of.ts'

/**
 * Logs that the ledger cannot be written, at most once a minute, and that it can be written again. `stats` returns the
 * numbers of occurrences that wait and that are lost.
 */
export function createOutageLog(
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  stats: () => { queued: number; dropped: number },
) {
  let isFailing = false
  let lastError: unknown
  const warning = createThrottledLine(() => {
    const { queued, dropped } = stats()
    log.warn(
      { err: lastError, queued, dropped },
      `the ledger cannot be written, so failures are kept in memory for now: ${messageOf(lastError)}`,
    )
  })
  return {
    failed(error: unknown) {
      isFailing = true
      lastError = error
      warning.count()
    },
    ended() {
      if (isFailing) log.info({ dropped: stats().dropped }, 'the ledger can be written again')
      isFailing = false
      warning.clear()
    },
    /** Stops the timer of the warnings. */
    stop: () => warning.stop(),
  }
}
