/** The requests that wait for responses which other processes render. */
export interface EntryWaiters {
  /** Begins to wait for a key. */
  add(key: string): EntryWaiter
  /** Ends the waiting for a key. */
  settle(key: string): void
  /** Ends all waiting. */
  settleAll(): void
}

interface EntryWaiter {
  /** Resolves when the key was settled since `add`, at the latest after `ms` milliseconds. */
  wait(ms: number): Promise<void>
  /** Ends the waiting. */
  stop(): void
}

export function createEntryWaiters(): EntryWaiters {
  const waiters = new Map<string, Set<() => void>>()

  function remove(key: string, wake: () => void) {
    const waiting = waiters.get(key)
    waiting?.delete(wake)
    if (waiting?.size === 0) waiters.delete(key)
  }

  function settle(key: string) {
    const waiting = waiters.get(key)
    waiters.delete(key)
    for (const wake of waiting ?? []) wake()
  }

  return {
    add(key) {
      let wake = () => {}
      const settled = new Promise<void>((resolve) => {
        wake = resolve
      })
      waiters.set(key, (waiters.get(key) ?? new Set()).add(wake))
      const stop = () => remove(key, wake)
      return {
        async wait(ms) {
          const timer = setTimeout(wake, ms)
          await settled
          clearTimeout(timer)
          stop()
        },
        stop,
      }
    },
    settle,
    settleAll() {
      for (const key of [...waiters.keys()]) settle(key)
    },
  }
}
