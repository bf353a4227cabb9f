import { createDeadline, DEADLINE } from '../util/deadline.ts'
import { CALL_MS, type SharedStore, type StoredResponse, type Versions } from './shared/shared-store.ts'

/** The turn of this process to render a page. Processes that share a store render each page once, by turns. */
export interface GroupTurn {
  /** The response that another process has rendered; null if this process has to render the page. */
  response: StoredResponse | null
  /** Stores the response that this process has rendered, for the other processes. */
  share(response: StoredResponse): void
  /** Ends the turn. Without a response to share, another process can then render the page. */
  end(): void
}

/** Waits for the render of another process. */
export interface OthersTurn {
  /** Resolves with what it has rendered, or with the turn of this process if it renders nothing. */
  wait(): Promise<GroupTurn>
}

/** The turn of a process without a store, or with one that is unavailable. */
export const ALONE: GroupTurn = { response: null, share() {}, end() {} }

/** How long a turn lasts if it is not renewed: the others continue when its process was killed. */
const LEASE_MS = 2_000

export interface TurnInput {
  key: string
  /** The longest time that a render takes, in milliseconds. */
  maxMs: number
  /** Whether a response of another process may be used. */
  isWanted(response: StoredResponse): boolean
  /** Whether a stale response is served during the render. */
  isRefresh: boolean
}

/**
 * Asks the store for a page or for the turn to render it. While another process renders the page, resolves with that
 * one's turn; for a refresh, with null. If the store does not respond within `CALL_MS`, resolves with `ALONE`. Never rejects.
 */
export async function takeTurn(store: SharedStore, input: TurnInput): Promise<GroupTurn | OthersTurn | null> {
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
  return input.isRefresh ? null : { wait: () => awaitTurn(store, answer.since, input) }
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

/** Waits until the page is stored, or until the process that renders it gives up or has been killed. */
async function awaitTurn(store: SharedStore, since: Versions, { key, maxMs, isWanted }: TurnInput): Promise<GroupTurn> {
  const endsAt = performance.now() + maxMs
  for (;;) {
    const leftMs = endsAt - performance.now()
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
