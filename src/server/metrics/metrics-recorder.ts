// What the admin listener's metrics are told, at the few places that know it. Nobody asks for it when there are none.

import type { Server } from 'node:http'
import type { Phase } from '../errors/failure-record.ts'

/** Takes measurements of the site that is served. Never throws. `route` is a pattern, and never what a visitor has sent. */
export interface MetricsRecorder {
  /** Counts the connections of this server. */
  watch(server: Pick<Server, 'on'>): void
  /** A request has come. */
  began(): void
  /** That request is over: one of the two below follows, unless another request stands for it. */
  ended(): void
  /** A request has been answered. */
  answered(route: string, method: string, status: number, durationMs: number): void
  /** The visitor has left before the answer was complete. */
  aborted(route: string): void
  /** The loads of a page and its layouts have run, at the same time. */
  loaded(route: string, durationMs: number): void
  /** The action of a page has run. */
  acted(route: string, durationMs: number): void
  /** A deadline has passed. */
  timedOut(route: string, phase: Phase): void
  /** A document is ready to go out: all of it, or its shell. */
  rendered(durationMs: number): void
  /** A document begins to go out, so long after its request came. */
  firstByte(elapsedMs: number): void
  /** A request was refused, as the event loop is too late. */
  shed(): void
}
