import type { RenderToPipeableStreamOptions } from 'react-dom/server'
import type { Components } from '../failures/failure-context.ts'

/** Who is told how React gets on with a document. */
export interface RenderObserver {
  /** Returns the digest that travels to the browser, if any. */
  onError(thrown: unknown, components: Components): string | undefined
  onShellReady(): void
  onShellError(thrown: unknown): void
  onAllReady(): void
}

/**
 * What React holds of a document. It keeps its options until a timer of its own has fired, when the answer has long gone out;
 * all that belongs to the request would be copied each time that garbage is collected in between.
 */
export interface ReactCallbacks {
  /** Null when it is finished. */
  listener: RenderObserver | null
}

type Nonce = NonNullable<RenderToPipeableStreamOptions['nonce']>

export function optionsFor(held: ReactCallbacks, nonce: Nonce): RenderToPipeableStreamOptions {
  return {
    nonce,
    onError: (thrown, info) => held.listener?.onError(thrown, info),
    onShellReady: () => held.listener?.onShellReady(),
    onShellError: (thrown) => held.listener?.onShellError(thrown),
    onAllReady: () => held.listener?.onAllReady(),
  }
}
