import type { RenderToPipeableStreamOptions } from 'react-dom/server'
import type { RequestContext } from '../context/request-context.ts'
import type { CaughtError, Components } from '../failures/failure-context.ts'

/** Receives React's callbacks for one document. */
export interface RenderObserver {
  /** Returns the digest that React sends to the browser, if any. */
  onError(thrown: unknown, components: Components): string | undefined
  onShellReady(): void
  onShellError(thrown: unknown): void
  onAllReady(): void
}

/**
 * The only object that React's callbacks refer to. React keeps its options until a timer of its own fires, long after
 * the response was sent. Setting `observer` to null releases everything that belongs to the request before that.
 */
export interface ReactCallbacks {
  /** Null when the document is closed. */
  observer: RenderObserver | null
}

/** The nonces of a document. That of styles is undefined if the policy has none. */
interface Nonces {
  nonce: string
  styleNonce: string | undefined
}

/**
 * Records what a component has thrown after the shell was sent. Returns the digest for the browser; undefined for a 404
 * and a refusal, which come too late to be a response.
 */
export function failLate(caught: CaughtError, components: Components, ctx: RequestContext): string | undefined {
  if (caught.kind === 'notFound' || caught.kind === 'refusal') return undefined
  const failed = caught.kind === 'redirect' ? ctx.lateRedirect(caught.redirection) : caught.thrown
  return ctx.fail(failed, { phase: 'render', components }).digest
}

/**
 * Returns options for React that pass its callbacks on to the observer. With `isInPlace`, React writes large parts in
 * their place when they are ready.
 */
export function createReactOptions(
  callbacks: ReactCallbacks,
  { nonce, styleNonce }: Nonces,
  isInPlace: boolean,
): RenderToPipeableStreamOptions {
  return {
    nonce: styleNonce === undefined ? nonce : { script: nonce, style: styleNonce },
    ...(isInPlace && { progressiveChunkSize: Number.MAX_SAFE_INTEGER }),
    onError: (thrown, info) => callbacks.observer?.onError(thrown, info),
    onShellReady: () => callbacks.observer?.onShellReady(),
    onShellError: (thrown) => callbacks.observer?.onShellError(thrown),
    onAllReady: () => callbacks.observer?.onAllReady(),
  }
}
