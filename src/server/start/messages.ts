import type { AddressInfo } from 'node:net'
import type { BuildCopy, ServedBuild } from '../build-output/build-copy.ts'
import type { ShareCall, ShareEvent, ShareResult } from '../cache/shared/memory-share.ts'
import type { Versions } from '../cache/shared/shared-store.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { CallResult, LedgerCall } from '../ledger/ledger-rpc.ts'
import type { InFlight } from '../lifecycle/in-flight.ts'
import type { ListenAddress } from '../lifecycle/listen.ts'
import type { StopRequest } from '../lifecycle/shutdown.ts'
import type { CacheContents } from '../metrics/cache-counts.ts'
import type { NamedProcess } from '../metrics/process-metrics.ts'
import type { RequestCounts } from '../metrics/request-metrics.ts'
// The messages between the primary and its workers.

export type ToPrimary =
  /** The worker, a successor, asks for the build that it is to serve. */
  | { kind: 'askBuild' }
  /** The worker has loaded its site, and asks where the primary listens. `where` is the address in its own options. */
  | { kind: 'listen'; where: ListenAddress }
  /** The event loop of the worker runs. Sent at intervals. */
  | { kind: 'beat'; isDebugged: boolean }
  /** The worker serves, at these addresses. */
  | { kind: 'ready'; addresses: string[]; served: ServedBuild }
  | { kind: 'inFlight'; inFlight: InFlight }
  /** The worker ends by itself: another one has to take its place. */
  | { kind: 'leaving' }
  /** The worker got SIGTERM. The primary decides what happens. */
  | { kind: 'asked' }
  /** The worker has taken the connection that was handed to it. */
  | { kind: 'took' }
  /** The worker wants no more connections. */
  | { kind: 'closed' }
  /** A call to the primary's ledger. */
  | { kind: 'call'; call: LedgerCall }
  /** A call to the page cache that the primary keeps. */
  | { kind: 'cacheCall'; call: ShareCall }
  /** The worker caches pages, so it has to hear of the invalidations of others. */
  | { kind: 'cacheJoin' }
  /**
   * The worker has invalidated tags; `versions` is null if the store of several machines has not recorded it. `to` is the
   * only worker to tell, by its process id (all others).
   */
  | { kind: 'cacheTell'; id: number; tags: readonly string[]; versions: Versions | null; to?: number }
  /** The response to `cacheTell`. A worker that is closing its page cache does not take the invalidation. */
  | { kind: 'cacheHeard'; id: number; isTaken: boolean }
  /** The response to `askCache`. */
  | { kind: 'cacheContents'; id: number; contents: CacheContents }
  /** The failure that keeps the worker from starting. */
  | { kind: 'failed'; failure: FailureRecord }
  /** The response to `count`. */
  | { kind: 'metrics'; id: number; counts: RequestCounts; metrics: NamedProcess['metrics'] }
  /** Sent at intervals without the times, and with them for the last time. */
  | { kind: 'counts'; counts: Omit<RequestCounts, 'times'> & Partial<Pick<RequestCounts, 'times'>> }

export type ToWorker =
  /** The response to `askBuild`. Null when the build could not be read. */
  | { kind: 'build'; build: BuildCopy | null }
  | { kind: 'stop'; how: StopRequest }
  /** The primary listens there. */
  | { kind: 'listening'; address: AddressInfo | string }
  /** The primary could not listen. */
  | { kind: 'unable'; message: string; code: string | undefined }
  /** A connection comes with this message. */
  | { kind: 'connection' }
  /** No connection comes after this message. */
  | { kind: 'released' }
  | { kind: 'answer'; answer: CallResult }
  | { kind: 'cacheResult'; result: ShareResult }
  /** A worker has changed the page cache. */
  | { kind: 'cacheEvent'; event: ShareEvent }
  /** Another worker caches pages from now on. */
  | { kind: 'cacheJoined'; pid: number }
  /** Another worker has invalidated tags. */
  | { kind: 'cacheTell'; id: number; tags: readonly string[]; versions: Versions | null }
  /** The response to `cacheTell`: how many workers have taken the invalidation. */
  | { kind: 'cacheTold'; id: number; takers: number }
  /** The primary asks what the page cache of the worker holds; with `empties`, after it has removed all pages. */
  | { kind: 'askCache'; id: number; empties: boolean }
  /** The primary asks for the worker's metrics. */
  | { kind: 'count'; id: number }

/** Distinguishes Hydrant's messages from those that the site sends on the same channel. */
interface Envelope<Message> {
  hydrant: Message
}

export function wrap<Message extends ToPrimary | ToWorker>(message: Message): Envelope<Message> {
  return { hydrant: message }
}

/** Returns null for a message of the site. */
export function unwrap<Message extends ToPrimary | ToWorker>(sent: unknown): Message | null {
  if (typeof sent !== 'object' || sent === null || !('hydrant' in sent)) return null
  // Only `wrap` writes envelopes, in the process at the other end.
  return (sent as Envelope<Message>).hydrant
}

/** Milliseconds between two beats of a worker. */
export const BEAT_MS = 1_000

/** The environment variable that holds a worker's number. It must not begin with HYDRANT_, as options do. */
export const WORKER_VARIABLE = '_HYDRANT_WORKER'
/** The environment variable that a worker has when other workers serve already. */
export const SUCCESSOR_VARIABLE = '_HYDRANT_SUCCESSOR'
