import { setTimeout as pause } from 'node:timers/promises'

/** Calls `find` until it returns a truthy value, and resolves with that value. The test's deadline limits the time. */
export async function until<T>(find: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await find()
    if (found) return found
    await pause(20)
  }
}
