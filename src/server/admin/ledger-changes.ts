import type { Ledger } from '../ledger/ledger.ts'

/** Tells when the ledger has changed, also when another replica has changed it. Looks only while somebody listens. */
export interface Changes {
  /** Returns what ends it. */
  listen(listener: () => void): () => void
  /** Looks at once: this process has changed something. */
  look(): void
  close(): void
}

const PAUSE_MS = 1_000
/** No list looks like that. */
const UNREADABLE = ''
/** Whatever happens comes to the front of the list; marks on older failures are seen when the page is loaded again. */
const LOOKED_AT = 50

export function createChanges(ledger: Pick<Ledger, 'list'>, pauseMs = PAUSE_MS): Changes {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let last: string | null = null

  async function look() {
    clearTimeout(timer)
    if (isLooking) return
    isLooking = true
    try {
      const seen = await stateOf(ledger)
      if (last !== null && seen !== last) for (const listener of listeners) listener()
      last = seen
    } catch {
      // A ledger that cannot be read now is asked again. Pages that say so are told when it is back.
      last = UNREADABLE
    }
    isLooking = false
    schedule()
  }

  function schedule() {
    clearTimeout(timer)
    if (listeners.size > 0) timer = setTimeout(() => void look(), pauseMs).unref()
    // What happens while nobody listens is in the page that the next one loads.
    else last = null
  }

  return {
    listen(listener) {
      listeners.add(listener)
      if (listeners.size === 1) void look()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) schedule()
      }
    },
    look: () => void (listeners.size > 0 && look()),
    close() {
      listeners.clear()
      clearTimeout(timer)
    },
  }
}

async function stateOf({ list }: Pick<Ledger, 'list'>): Promise<string> {
  const failures = await list({ limit: LOOKED_AT })
  return JSON.stringify(
    failures.map(({ fingerprint, count, lastSeen, solvedAt }) => [fingerprint, count, lastSeen, solvedAt]),
  )
}
