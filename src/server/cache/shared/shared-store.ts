import type { StoreRecorder } from '../../metrics/metrics-recorder.ts'

/** One response of the page cache, as plain data. */
export interface StoredResponse {
  /** The same in all processes, and another one for each render. */
  id: string
  /** The text, not compressed. */
  body: string
  /** The content type. */
  headers: readonly (readonly [name: string, value: string])[]
  /** Hash sources of the document's inline scripts and styles, for its policy. */
  scripts: readonly string[]
  styles: readonly string[]
  /** The tags of the page, and one for its path: `path:/products/7`. */
  tags: readonly string[]
  /** When the response was rendered, in milliseconds since 1970 by the clock of this machine. */
  storedAt: number
  /** Milliseconds for which the response is fresh, from `storedAt`. */
  freshMs: number
  /** Milliseconds after that for which the response may still be served while it is rendered again. */
  staleMs: number
  /** True for a response that never expires in the memory of a process. The times then only apply to shared caches. */
  isPermanent?: true
  /** The position in the lines of a live page. Missing for any other response. */
  live?: string
  /** The data for the rest of a partly static page, whose `body` is the shell. Missing for a complete response. */
  rest?: ShellRest
}

/**
 * @param isStart Whether this is the first contact with a store that does not know what was invalidated before. The
 *   tag is `EVERY_TAG` then.
 */
export type InvalidationListener = (tags: readonly string[], isStart: boolean) => void

/** The state of all tags of a store at one time. */
export interface Versions {
  /** Changes when the store is emptied or has lost its data. Responses of another epoch do not exist. */
  epoch: string
  /** The number of invalidations so far. */
  sequence: number
}

/** The tag that represents all tags. No page can have it. */
export const EVERY_TAG = ''

/** Milliseconds after which a call of a store resolves without its result. */
export const CALL_MS = 50

/**
 * The part of the page cache that several processes share. Each call resolves within `CALL_MS` and never rejects:
 * while the store is unavailable, it resolves as described below, and the process continues with its own memory.
 */
export interface SharedStore {
  /** Resolves with null when the store has no valid response, or is unavailable. */
  get(key: string): Promise<StoredResponse | null>
  /** Resolves with the versions now, for `set` after the render that follows. Null when the store is unavailable. */
  versions(): Promise<Versions | null>
  /** Stores the response unless one of its tags has been invalidated since `since`. Ends this process's lease. */
  set(key: string, response: StoredResponse, since: Versions): Promise<void>
  /**
   * Resolves with true if this process should render. It then has a lease, which ends after `leaseMs`, or with `set`
   * or `release`. Resolves with false while another process has the lease, and with true if the store is unavailable.
   * After true, the caller must call `get` once more: another process may have stored the response since the first
   * `get`.
   */
  lease(key: string, leaseMs: number): Promise<boolean>
  release(key: string): Promise<void>
  /**
   * Resolves with the response when the process with the lease has stored it. Resolves with null if that process no
   * longer has the lease and has stored nothing, and after `maxMs` at the latest. The caller then renders.
   */
  awaitEntry(key: string, maxMs: number): Promise<StoredResponse | null>
  /**
   * Resolves with true when the store has recorded the invalidation, and with false when it has not. The invalidation
   * then waits in memory, also in the other processes that have heard of it, and is recorded as soon as the store
   * accepts it. In both cases, the other processes of this machine have heard of it, unless they do not respond.
   */
  invalidate(tags: readonly string[]): Promise<boolean>
  /** Removes all responses. Resolves with false if the store is unavailable, and records it later. */
  clear(): Promise<boolean>
  /**
   * Calls `listener` with the tags that other processes have invalidated. `EVERY_TAG` is among them when the store was
   * emptied, and when it is not known which invalidations were missed.
   */
  onInvalidate(listener: InvalidationListener): void
  /** The versions that this process has seen last; null before the first response of the store. */
  seen(): Versions | null
  /** Records the calls from now on, and the state of the store. */
  measure(recorder: StoreRecorder): void
  /** Hands over the invalidations that wait, to another process of this machine or to the store, or logs their tags. */
  close(): Promise<void>
}

/** The data for the rest of a partly static document. It is plain data, so processes can share it. */
export interface ShellRest {
  /** React's state as JSON; null if the shell lacks nothing. */
  state: string | null
  /**
   * Results of `serialize`: the data of the layouts, of the page, and its extras. The extras contain the
   * promise of the visitor's data, whose id is `VISITOR_ID`.
   */
  data: readonly string[]
  /** The values of the other promises in the data: results of `fulfilledText`. */
  settlements: readonly string[]
  /** The id of the next promise. */
  nextId: number
}

/** The id of the promise of the visitor's data, in a shell and in its rest. */
export const VISITOR_ID = 1
