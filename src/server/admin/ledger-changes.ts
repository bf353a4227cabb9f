import type { Ledger } from '../ledger/ledger.ts'

/**
 * Notices changes of the ledger, including those by other processes. It reads the ledger only while it has listeners.
 */
export interface LedgerChanges {
  /** Calls `listener` after each change. Returns a function that removes it. */
  listen(listener: () => void): () => void
  /** Reads the ledger now, because this process has changed it. */
  check(): void
  close(): void
}

const PAUSE_MS = 1_000
/** The state of a ledger that cannot be read. No list has it. */
const UNREADABLE = ''
/**
 * New occurrences move a failure to the front of the list. Changes to older failures are seen after a reload of the
 * page.
 */
const CHECKED_FAILURES = 50

export function createLedgerChanges(ledger: Pick<Ledger, 'list'>, pauseMs = PAUSE_MS): LedgerChanges {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let isChecking = false
  let last: string | null = null

  async function check() {
    clearTimeout(timer)
    if (isChecking) return
    isChecking = true
    try {
      const state = await readState(ledger)
      if (last !== null && state !== last) for (const listener of listeners) listener()
      last = state
    } catch {
      // Pages that say that the ledger is unavailable are notified when it is available again.
      last = UNREADABLE
    }
    isChecking = false
    schedule()
  }

  function schedule() {
    clearTimeout(timer)
    if (listeners.size > 0) timer = setTimeout(() => void check(), pauseMs).unref()
    // The next listener is a page that was just loaded, with all changes until then.
    else last = null
  }

  return {
    listen(listener) {
      listeners.add(listener)
      if (listeners.size === 1) void check()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) schedule()
      }
    },
    check: () => void (listeners.size > 0 && check()),
    close() {
      listeners.clear()
      clearTimeout(timer)
    },
  }
}

async function readState({ list }: Pick<Ledger, 'list'>): Promise<string> {
  const failures = await list({ limit: CHECKED_FAILURES })
  return JSON.stringify(
    failures.map(({ fingerprint, count, lastSeen, solvedAt }) => [fingerprint, count, lastSeen, solvedAt]),
  )
}
