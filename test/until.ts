import { setTimeout as pause } from 'node:timers/promises'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 100
/** No wait takes that long on a busy machine. Without a limit, a failure holds up the run until its file ends. */
export const PATIENCE_MS = 120_000

/**
 * Calls `find` until it returns a truthy value, and resolves with that value. Rejects after two minutes. The pauses
 * between the calls grow, because on a busy machine most of the time is spent waiting.
 */
export async function until<T>(find: () => T | Promise<T>): Promise<NonNullable<T>> {
  const endsAt = Date.now() + PATIENCE_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS)) {
    const found = await find()
    if (found) return found
    if (Date.now() > endsAt) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${find}`)
    await pause(pauseMs)
  }
}
