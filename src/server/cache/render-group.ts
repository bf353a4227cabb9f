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

/** The turn of a process that has no group, or cannot reach it. */
export const ALONE: GroupTurn = { response: null, share() {}, end() {} }

/**
 * How long a process has the turn without renewing it. The others of a group go on after this time if it has been
 * killed.
 */
const LEASE_MS = 2_000

export interface TurnInput {
  key: string
  /** The longest time that a render takes, in milliseconds. */
  maxMs: number
  /** Whether a response of another process may be used. */
  isWanted(response: StoredResponse): boolean
  /** Whether the old response is served meanwhile. */
  isRefresh: boolean
}

/**
 * Asks the other processes for a page. While one of them renders it, waits for the result. The store itself has
 * `CALL_MS`. If it is unavailable, resolves with no response. Resolves with null for a refresh if another process is
 * rendering the new response. Never rejects.
 */
export async function takeTurn(store: SharedStore, input: TurnInput): Promise<GroupTurn | null> {
  const asking = ask(store, input)
  const deadline = createDeadline(CALL_MS)
  const answer = await Promise.race([asking, deadline.passed])
  deadline.clear()
  if (answer === DEADLINE) {
    // A turn that comes too late must not keep other processes waiting.
    void asking.then((late) => late.kind === 'turn' && late.turn.end())
    return ALONE
  }
  if (answer.kind === 'turn') return answer.turn
  return input.isRefresh ? null : awaitTurn(store, answer.since, input)
}

type Answer = { kind: 'turn'; turn: GroupTurn } | { kind: 'wait'; since: Versions }

async function ask(store: SharedStore, { key, isWanted }: TurnInput): Promise<Answer> {
  // The versions are read before the render: whatever is invalidated from now on makes the response outdated.
  const [since, stored] = await Promise.all([store.versions(), store.get(key)])
  if (since === null) return { kind: 'turn', turn: ALONE }
  if (stored && isWanted(stored)) return { kind: 'turn', turn: { ...ALONE, response: stored } }
  if (!(await store.lease(key, LEASE_MS))) return { kind: 'wait', since }
  const turn = createTurn(store, key, since)
  // Another process may have stored the page after it was read above, and ended its turn.
  const latest = await store.get(key)
  if (!latest || !isWanted(latest)) return { kind: 'turn', turn }
  turn.end()
  return { kind: 'turn', turn: { ...ALONE, response: latest } }
}

/** Waits until the page is there, or until the process that renders it gives up or is gone. */
async function awaitTurn(store: SharedStore, since: Versions, { key, maxMs, isWanted }: TurnInput): Promise<GroupTurn> {
  const endsAt = Date.now() + maxMs
  for (;;) {
    const leftMs = endsAt - Date.now()
    const awaited = await store.awaitEntry(key, leftMs)
    if (awaited && isWanted(awaited)) return { ...ALONE, response: awaited }
    if (leftMs <= 0 || awaited || (await store.lease(key, LEASE_MS))) return createTurn(store, key, since)
  }
}

function createTurn(store: SharedStore, key: string, since: Versions): GroupTurn {
  const renewing = setInterval(() => void store.lease(key, LEASE_MS), LEASE_MS / 2).unref()
  let isShared = false
  return {
    response: null,
    share(response) {
      isShared = true
      clearInterval(renewing)
      void store.set(key, response, since)
    },
    end() {
      clearInterval(renewing)
      if (!isShared) void store.release(key)
    },
  }
}
