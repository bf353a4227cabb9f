import { createDeadline, DEADLINE } from '../util/deadline.ts'
import { CALL_MS, type SharedStore, type StoredResponse, type Versions } from './shared/shared-store.ts'

/** The part of this process in a group of processes that renders each page once. */
export interface GroupTurn {
  /** The response of another process; null if this process has to render the page. */
  response: StoredResponse | null
  /** Gives the response that this process has rendered to the others. */
  share(response: StoredResponse): void
  /** Lets another process render the page, if there is no response to share. */
  end(): void
}

const ALONE: GroupTurn = { response: null, share() {}, end() {} }

/**
 * Asks the other processes for a page. While one of them renders it, waits for the result. The store itself has
 * `CALL_MS`. If it is unavailable, resolves with no response. Never rejects.
 *
 * @param maxMs The longest time that a render takes, in milliseconds.
 * @param isWanted Whether a response of another process may be used.
 */
export async function takeTurn(
  store: SharedStore,
  key: string,
  maxMs: number,
  isWanted: (response: StoredResponse) => boolean,
): Promise<GroupTurn> {
  const asking = ask(store, key, maxMs, isWanted)
  const deadline = createDeadline(CALL_MS)
  const answer = await Promise.race([asking, deadline.passed])
  deadline.clear()
  if (answer === DEADLINE) {
    // A lease that comes too late must not keep other processes waiting.
    void asking.then((late) => late.kind === 'turn' && late.turn.end())
    return ALONE
  }
  if (answer.kind === 'turn') return answer.turn
  const awaited = await store.awaitEntry(key, maxMs)
  return awaited && isWanted(awaited) ? { ...ALONE, response: awaited } : createTurn(store, key, answer.since)
}

type Answer = { kind: 'turn'; turn: GroupTurn } | { kind: 'wait'; since: Versions }

async function ask(...[store, key, maxMs, isWanted]: Parameters<typeof takeTurn>): Promise<Answer> {
  // The versions are read before the render: whatever is invalidated from now on makes the response outdated.
  const [since, stored] = await Promise.all([store.versions(), store.get(key)])
  if (since === null) return { kind: 'turn', turn: ALONE }
  if (stored && isWanted(stored)) return { kind: 'turn', turn: { ...ALONE, response: stored } }
  if (!(await store.lease(key, maxMs))) return { kind: 'wait', since }
  const turn = createTurn(store, key, since)
  // Another process may have stored the page after it was read above, and ended its lease.
  const latest = await store.get(key)
  if (!latest || !isWanted(latest)) return { kind: 'turn', turn }
  turn.end()
  return { kind: 'turn', turn: { ...ALONE, response: latest } }
}

function createTurn(store: SharedStore, key: string, since: Versions): GroupTurn {
  let isShared = false
  return {
    response: null,
    share(response) {
      isShared = true
      void store.set(key, response, since)
    },
    end() {
      if (!isShared) void store.release(key)
    },
  }
}
