import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { Instance } from './create-server.ts'
import { endConnections } from './draining.ts'
import type { Options } from './options.ts'

/** How long what is not yet kept of failures has, once the requests have had theirs. */
export const KEEP_MS = 3_000

export interface Ending extends Instance {
  /** Closes the instance, and what belongs to it. */
  close(): Promise<void>
}

/**
 * Finishes the requests in flight and ends the process: with 0 when a signal says so, with 1 when nothing has caught an
 * exception or the requests are not done within `drainMs`. Whatever is thrown meanwhile is a failure of its own. Returns what
 * leaves the process alone again.
 */
export function endWithProcess(
  { app, failures, health, keeper, settleFailures, close }: Ending,
  { drainMs, stopDelayMs }: Options['timeouts'],
): () => void {
  let isEnding = false
  let exitCode = 0

  async function finish(signal: string | undefined) {
    isEnding = true
    health.isStopping = true
    endConnections(app)
    if (signal) {
      app.log.info({ signal }, 'stopping: requests in flight are finished first')
      await wait(stopDelayMs)
    }
    const isDone = await Promise.race([close().then(() => true), wait(drainMs, false)])
    if (!isDone) {
      exitCode = 1
      app.log.error(`requests in flight were not finished within ${drainMs} ms`)
      await Promise.all([settleFailures(), keeper.close()])
    }
    if (exitCode !== 0) process.exit(exitCode)
  }

  const ending = closeWithGrace(
    {
      delay: stopDelayMs + drainMs + KEEP_MS,
      logger: app.log,
      // It would end with 0 when `undefined` is thrown, and leave out a second exception's digest.
      skip: ['uncaughtException', 'unhandledRejection'],
    },
    ({ signal }) => finish(signal),
  )

  function fail(thrown: unknown) {
    exitCode = 1
    failures.failProcess(thrown, app.log)
    if (!isEnding) ending.close()
  }
  process.on('uncaughtException', fail).on('unhandledRejection', fail)
  return () => {
    process.off('uncaughtException', fail).off('unhandledRejection', fail)
    ending.uninstall()
  }
}
