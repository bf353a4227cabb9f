import { setTimeout as pause } from 'node:timers/promises'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 100

/**
 * Calls `find` until it returns a truthy value, and resolves with that value. The test's deadline limits the time. The
 * pauses between the calls grow, because on a busy machine most of the time is spent waiting.
 */
export async function until<T>(find: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS)) {
    const found = await find()
    if (found) return found
    await pause(pauseMs)
  }
}
