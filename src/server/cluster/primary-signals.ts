import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'
import { KEEP_MS, signalsOfOthers } from '../lifecycle/shutdown.ts'
import type { Options } from '../options/options.ts'
import { timerMs } from '../util/timer-ms.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface SignalInput {
  pool: Pick<WorkerPool, 'kill' | 'reload'>
  timeouts: Pick<Options['timeouts'], 'stopDelayMs' | 'drainMs'>
  log: FastifyBaseLogger
  /** Stops the workers. Resolves with true when each of them has finished its requests. */
  close(): Promise<boolean>
}

/**
 * Ends the primary when a signal arrives or an exception is not caught: with 0 when all workers have finished their
 * requests, else with 1. SIGHUP reloads the workers. Returns a function that removes the handlers.
 */
export function handleSignals({ pool, timeouts, log, close }: SignalInput): () => void {
  // A terminal sends SIGHUP when it is closed. The server has to end then, as its output is gone.
  const isReloadSignal = !process.stdout.isTTY
  const shutdown = closeWithGrace(
    {
      delay: timerMs(timeouts.stopDelayMs + timeouts.drainMs + 3 * KEEP_MS),
      logger: log,
      skip: [...signalsOfOthers(), ...(isReloadSignal ? (['SIGHUP'] as const) : [])],
      onSecondSignal(signal) {
        log.error(`second ${signal}: killing the workers and exiting`)
        pool.kill()
      },
      onTimeout(delayMs) {
        log.error(`the workers did not stop within ${delayMs} ms: killing them`)
        pool.kill()
      },
    },
    async ({ signal, err }) => {
      if (err) log.fatal({ err }, 'the primary failed: stopping the workers')
      else log.info({ signal }, 'stopping: waiting for the requests in flight')
      if (!(await close())) process.exit(1)
      log.info('stopped: all requests are finished')
    },
  )
  const reload = () => void pool.reload()
  if (isReloadSignal) process.on('SIGHUP', reload)
  return () => {
    process.off('SIGHUP', reload)
    shutdown.uninstall()
  }
}
