import { constants } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { stop as stopEsbuild } from 'esbuild'

/** Milliseconds that closing may take before the process says that it waits. */
const PATIENCE_MS = 200

export interface StopTimes {
  /** Milliseconds that closing may take before the process ends without it. */
  deadlineMs: number
  /** Milliseconds that the event loop has to run, after code that blocked it has returned. */
  returnMs: number
}

export interface StopSignals {
  /** Sets the function that a signal calls before the process ends. */
  setClose(close: () => Promise<void>): void
  /**
   * Makes a signal end the process without the function of `setClose`, until the code that blocks the event loop
   * returns. Must be called again while the event loop is blocked, because an endless chain of promises or ticks also
   * blocks it, and each link of the chain returns. Returns true for the first call while the event loop is blocked.
   */
  release(): boolean
}

/**
 * Ends the process with 0 when SIGINT or SIGTERM arrives, after the function of `setClose`, within `deadlineMs`. A second
 * signal ends it at once, with 130 for SIGINT and 143 for SIGTERM as a shell does. `log` gets a text about each delay.
 */
export function handleStopSignals(log: (text: string) => void, { deadlineMs, returnMs }: StopTimes): StopSignals {
  let close = async () => {}
  let state: 'running' | 'closing' | 'waiting' = 'running'
  // esbuild's process reports a deadlock if it ends after this one while it waits for a plugin.
  process.on('exit', () => void stopEsbuild())

  async function stop() {
    const closed = close().then(() => true)
    if (await Promise.race([closed, wait(PATIENCE_MS, false)])) process.exit(0)
    state = 'waiting'
    log(`stopping: waiting up to ${deadlineMs / 1_000} s for the site to close; press Ctrl+C again to end now`)
    if (!(await Promise.race([closed, wait(deadlineMs - PATIENCE_MS, false)])))
      log(`the site did not close within ${deadlineMs / 1_000} s: ending without it`)
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

  let isHeld = false
  let heldAt = 0
  let isReleased = false
  const ignore = () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    isHeld = false
  }
  function hold() {
    // A signal that has arrived is lost with its last listener.
    if (isHeld) return
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
    isHeld = true
    heldAt = performance.now()
  }
  hold()
  return {
    setClose(next) {
      close = next
    },
    release() {
      if (isReleased) {
        if (performance.now() - heldAt >= returnMs) ignore()
        return false
      }
      isReleased = true
      ignore()
      // The listeners return as soon as the code returns, before other work. Which of the queues runs first depends
      // on it.
      process.nextTick(hold)
      queueMicrotask(hold)
      setImmediate(() => {
        isReleased = false
        hold()
      })
      return true
    },
  }
}
