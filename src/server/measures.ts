// What the admin listener's metrics are told, at the few places that know it. Nobody asks for it when there are none.

/** Takes measurements of the site that is served. Never throws. */
export interface Measures {
  /** A request is over. */
  answered(method: string, status: number, durationMs: number): void
  /** A document is ready to go out: all of it, or its shell. */
  rendered(durationMs: number): void
  /** A document begins to go out, so long after its request came. */
  firstByte(elapsedMs: number): void
  /** A request was refused, as the event loop is too late. */
  shed(): void
}
