import { setTimeout as pause } from 'node:timers/promises'

/** Asks again and again until something is there. The test's own deadline ends it when it never is. */
export async function until<T>(find: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await find()
    if (found) return found
    await pause(20)
  }
}
