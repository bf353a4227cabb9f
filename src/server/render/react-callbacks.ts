import type { RenderToPipeableStreamOptions } from 'react-dom/server'
import { messageScript, type Notice } from '../../shared/wire/boot.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CaughtError, Components } from '../failures/failure-context.ts'
import { timerMs } from '../util/deadline.ts'

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

/** How much longer than the deadline a browser waits for the next part, because the network takes time too. */
const GRACE_MS = 5_000

/** Returns the notice at the beginning of a document that streams. */
export function openNotice(renderMs: number): Notice {
  return [0, 'open', timerMs(renderMs + GRACE_MS)]
}

/** Returns the text of a script that gives a message to the browser. `message` is JSON that is safe inside a script. */
export function messageElement(message: string, nonce: string): string {
  return `<script nonce="${nonce}">${messageScript(message)}</script>`
}

/** Returns the element with the script of `failPendingScript`. */
export function failPendingElement(digest: string, nonce: string): string {
  return `<script nonce="${nonce}">${failPendingScript(digest)}</script>`
}

/**
 * Returns a script that fails every Suspense boundary that is pending in the document. It takes the same steps as
 * `$RX`, React's own script for one boundary.
 */
function failPendingScript(digest: string): string {
  return (
    'for(const t of document.querySelectorAll(\'template[id^="B:"]\')){const c=t.previousSibling;' +
    `if(c&&c.data==="$?"){c.data="$!";t.dataset.dgst="${digest}";c._reactRetry&&c._reactRetry()}}`
  )
}
