// The calls of a process to a cache in the memory of another one, and their results.

import { createPendingCalls } from '../../../util/pending-calls.ts'
import type { BackendEvents, StoreBackend } from '../backend.ts'
import type { MemoryShare, ShareEvent } from './memory-share.ts'

type Method = Exclude<keyof MemoryShare<unknown>, 'leave'>
type ArgumentsOf<M extends Method> = Parameters<MemoryShare<unknown>[M]> extends [unknown, ...infer Rest] ? Rest : never
type ResultOf<M extends Method> = ReturnType<MemoryShare<unknown>[M]>

export interface ShareCall {
  id: number
  method: Method
  args: readonly unknown[]
}

export interface ShareResult {
  id: number
  value: unknown
}

/** The side that calls. */
export interface ShareClient {
  backend: StoreBackend
  /** Takes the result of a call. */
  settle(result: ShareResult): void
  /** Takes an event. */
  tell(event: ShareEvent): void
  /** Rejects all calls, now and later: the other process has exited. */
  fail(error: Error): void
}

/** Creates the side that calls. `post` sends a call to the other process. */
export function createShareClient(post: (call: ShareCall) => void): ShareClient {
  const pending = createPendingCalls()
  let failure: Error | null = null
  let events: BackendEvents | null = null

  function call<M extends Method>(method: M, ...args: ArgumentsOf<M>): Promise<ResultOf<M>> {
    if (failure !== null) return Promise.reject(failure)
    // The result is that of the method which is called.
    return pending.call((id) => post({ id, method, args })) as Promise<ResultOf<M>>
  }

  return {
    backend: {
      open(opened) {
        events = opened
        opened.connected()
      },
      read: (key) => call('read', key),
      write: (key, response, since) => call('write', key, response, since),
      lease: (key, leaseMs) => call('lease', key, leaseMs),
      release: (key) => call('release', key),
      advance: (tags) => call('advance', tags),
      changes: (since) => call('changes', since),
      // The memory is lost only with the process, which ends the channel for good.
      identify: async () => '',
      async probe() {},
      async announce() {},
      // The channel between two processes breaks only when one of them exits.
      reconnect() {},
      async close() {
        events = null
      },
    },
    settle: ({ id, value }) => pending.resolve(id, value),
    tell(event) {
      if (event.kind === 'advanced') events?.advanced()
      else events?.settled(event.key)
    },
    fail(error) {
      failure = error
      pending.rejectAll(error)
      events?.disconnected(error)
    },
  }
}

/** Makes the call of a process, on the side that holds the cache. */
export function answerShareCall<Owner>(share: MemoryShare<Owner>, owner: Owner, call: ShareCall): ShareResult {
  // `createShareClient` sends the arguments of the method.
  const method = share[call.method] as (owner: Owner, ...args: readonly unknown[]) => unknown
  return { id: call.id, value: method(owner, ...call.args) }
}
