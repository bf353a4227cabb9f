import { setTimeout as pause } from 'node:timers/promises'

/** Calls `find` repeatedly until it returns a value. The test's own timeout ends it if that never happens. */
export async function until<T>(find: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await find()
    if (found) return found
    await pause(20)
  }
}
