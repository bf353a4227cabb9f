import type { RenderToPipeableStreamOptions } from 'react-dom/server'
import type { Components } from '../failures/failure-context.ts'

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

type Nonce = NonNullable<RenderToPipeableStreamOptions['nonce']>

/**
 * Returns options for React that pass its callbacks on to the observer. With `isInPlace`, React writes large parts in
 * their place when they are ready.
 */
export function createReactOptions(
  callbacks: ReactCallbacks,
  nonce: Nonce,
  isInPlace: boolean,
): RenderToPipeableStreamOptions {
  return {
    nonce,
    ...(isInPlace && { progressiveChunkSize: Number.MAX_SAFE_INTEGER }),
    onError: (thrown, info) => callbacks.observer?.onError(thrown, info),
    onShellReady: () => callbacks.observer?.onShellReady(),
    onShellError: (thrown) => callbacks.observer?.onShellError(thrown),
    onAllReady: () => callbacks.observer?.onAllReady(),
  }
}
