import { constants } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** Milliseconds that closing may take before the process says that it waits. */
const PATIENCE_MS = 200
/** Milliseconds that closing may take before the process ends without it. */
const DEADLINE_MS = 2_000

export interface StopSignals {
  /** Sets the function that a signal calls before the process ends. */
  setClose(close: () => Promise<void>): void
  /** Lets the system end the process on a signal, until the event loop runs again. For code that blocks the event loop. */
  release(): void
}

/**
 * Ends the process with 0 when SIGINT or SIGTERM arrives, after the function of `setClose`, within 2 seconds. A second
 * signal ends it at once, with 130 for SIGINT and 143 for SIGTERM as a shell does. `log` gets a text about each delay.
 */
export function handleStopSignals(log: (text: string) => void): StopSignals {
  let close = async () => {}
  let state: 'running' | 'closing' | 'waiting' = 'running'

  async function stop() {
    const closed = close().then(() => true)
    if (await Promise.race([closed, wait(PATIENCE_MS, false)])) process.exit(0)
    state = 'waiting'
    log(`stopping: waiting up to ${DEADLINE_MS / 1_000} s for the site to close; press Ctrl+C again to end now`)
    if (!(await Promise.race([closed, wait(DEADLINE_MS - PATIENCE_MS, false)])))
      log(`the site did not close within ${DEADLINE_MS / 1_000} s: ending without it`)
    process.exit(0)
  }

  function onSignal(signal: 'SIGINT' | 'SIGTERM') {
    if (state === 'waiting') {
      log(`second ${signal}: ending now`)
      process.exit(128 + constants.signals[signal])
    }
    // Some package managers pass Ctrl+C on, which the terminal has sent to all processes: it arrives twice.
    if (state === 'closing') return
    state = 'closing'
    stop().catch((error) => {
      log(String(error))
      process.exit(1)
    })
  }

  const hold = () => process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  hold()
  return {
    setClose(next) {
      close = next
    },
    release() {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      // Before a response that is sent then, so that no signal arrives in between.
      process.nextTick(hold)
    },
  }
}
