import type { Readable } from 'node:stream'
import type { ReactNode } from 'react'
import { messageText, type Notice } from '../../shared/wire/boot.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type CaughtError, type Components, catchError, type Failure } from '../failures/failure-context.ts'
import type { MetricsRecorder } from '../metrics/metrics-recorder.ts'
import type { Deferred } from './deferred.ts'
import { type CompleteHead, corkUntilEnd, DocumentSink } from './document-sink.ts'
import {
  createReactOptions,
  failLate,
  failPendingElement,
  messageElement,
  openNotice,
  type ReactCallbacks,
  type RenderObserver,
} from './react-callbacks.ts'
import { RenderDeadline } from './render-deadline.ts'
import { markFallbacks } from './without-script.ts'

export type Rendered =
  /** The document is complete: one response with a length. */
  | { kind: 'whole'; text: string; failure: Failure | null }
  /** The shell is in the stream, and the rest follows. `ended` resolves when the document is complete. */
  | { kind: 'stream'; stream: Readable; failure: Failure | null; ended: Promise<void> }
  /** Nothing was sent: the shell failed, or a component asked for a redirect, a 404 or a refusal. */
  | { kind: 'thrown'; caught: CaughtError }
  /** The client disconnected. */
  | { kind: 'gone' }

export interface DocumentInput {
  render: RenderToPipe
  metrics: Pick<MetricsRecorder, 'now' | 'documentRendered'>
  element: ReactNode
  /** The nonce of scripts. */
  nonce: string
  /** The nonce of styles, if the document's policy has one. */
  styleNonce: string | undefined
  /** Returns the text to insert before `</head>`. */
  completeHead: CompleteHead
  /** Returns the text after a shell that has not failed: the boot data and the client's entry. */
  shellEnd(): string
  data: Deferred
  ctx: RequestContext
  /**
   * Whether a document that is not complete with its shell may be sent in parts. Called once, only for such a document.
   */
  canStream(): boolean
  /** Returns the status of the response, unless a part has failed. */
  status(): number
  /**
   * Whether all content must be in its place. Otherwise React writes large parts at the end, and a script moves them.
   */
  isInPlace: boolean
  /** The time that a document may take, in milliseconds. */
  renderMs: number
  /** The greatest length of a document, in characters. */
  maxLength: number
  /** Returns the text to insert before `</body>` of a document with a failed part. */
  endOfFailed(failure: Failure): string
}

/** Renders one document. Never rejects. */
export function renderDocument(input: DocumentInput): Promise<Rendered> {
  return new Promise((resolve) => {
    new DocumentRender(input, resolve)
  })
}

/**
 * starting  → rendering  React's first turn is over
 * rendering → piped      the shell is ready, and the document is complete or may stream
 * rendering → waiting    the shell is ready, but the document is incomplete and may not stream
 * waiting   → piped      React has rendered everything
 * piped     → closed     React has written everything, and no promise is pending
 *
 * Every state goes to `closed` when the client disconnects. Before `piped`, an error of the shell, a redirect, a 404 or
 * a refusal closes the document too, and nothing of it is sent. A document that is incomplete in `piped` streams.
 */
type State = 'starting' | 'rendering' | 'waiting' | 'piped' | 'closed'

class DocumentRender implements RenderObserver {
  #input: DocumentInput
  #callbacks: ReactCallbacks = { observer: this }
  #resolve: (rendered: Rendered) => void
  #sink: DocumentSink
  #react: ReturnType<RenderToPipe>
  #state: State = 'starting'
  #isShellReady = false
  #isAllReady = false
  /** Resolves `ended` of a document that streams; null for other documents. */
  #onEnded: (() => void) | null = null
  #startedAt: number
  /** Null for a document that is complete after React's first turn. */
  #deadline: RenderDeadline | null = null
  /** Says that components in `<Suspense>` did not meet the deadline. */
  #lateNotice: Notice | null = null
  /** A redirect, 404 or refusal that a component threw before anything was sent. */
  #early: CaughtError | null = null

  constructor(input: DocumentInput, resolve: (rendered: Rendered) => void) {
    this.#input = input
    this.#resolve = resolve
    this.#startedAt = input.metrics.now()
    this.#sink = new DocumentSink(
      input.completeHead,
      input.maxLength,
      (broken) => (broken ? this.#onBroken(broken.error) : this.#closeWhenComplete()),
      (part) => markFallbacks(part, input.styleNonce),
    )
    this.#react = input.render(input.element, createReactOptions(this.#callbacks, input, input.isInPlace))
    // React renders in a microtask that it queued before this one.
    queueMicrotask(() => this.#endFirstTurn())
  }

  #endFirstTurn() {
    if (this.#state !== 'starting') return
    this.#state = 'rendering'
    if (!this.#isComplete()) this.#watch()
    if (this.#isShellReady) this.#decide()
  }

  onShellReady() {
    this.#isShellReady = true
    if (this.#state === 'starting') return
    // React may complete the rest in the same turn. Then the document does not have to stream.
    queueMicrotask(() => this.#decide())
  }

  onShellError(thrown: unknown) {
    this.#deadline?.log()
    this.#close({ kind: 'thrown', caught: this.#early ?? catchError(thrown, 'render') })
  }

  onAllReady() {
    this.#isAllReady = true
    if (this.#state === 'waiting') queueMicrotask(() => this.#endWaiting())
  }

  // React sends the digest that is returned here to the browser. React hangs if this method throws after the shell was
  // sent, so everything that is called from here catches its own errors.
  onError(thrown: unknown, components: Components): string | undefined {
    const { ctx } = this.#input
    if (ctx.isGone || this.#state === 'closed') return undefined
    if (this.#deadline?.hasPassed) return this.#onStoppedComponent(components, this.#deadline)
    const caught = catchError(thrown, 'render')
    if (caught.kind !== 'failure' && this.#state !== 'piped') {
      this.#early ??= caught
      return undefined
    }
    return failLate(caught, components, ctx)
  }

  #onStoppedComponent(components: Components, deadline: RenderDeadline): string | undefined {
    const digest = deadline.addComponent(components)
    if (digest !== undefined && !this.#lateNotice) {
      this.#lateNotice = [0, 'late', digest]
      // React writes the boundaries that it aborted only after it has reported all of them. Until then they are pending
      // in the browser.
      if (this.#state === 'piped') this.#addNotice(this.#lateNotice)
    }
    return digest
  }

  #decide() {
    if (this.#state !== 'rendering') return
    if (this.#early) this.#giveUp(this.#early)
    else if (this.#isComplete()) this.#pipe()
    else if (this.#input.canStream()) this.#startStream()
    else {
      this.#state = 'waiting'
      this.#endWaiting()
    }
  }

  #isComplete(): boolean {
    return this.#isShellReady && this.#isAllReady && this.#input.data.pendingCount() === 0
  }

  #startStream() {
    const { renderMs, ctx, status } = this.#input
    // A deferred promise may have failed by now: then the status is 500, while it can still be sent.
    const failure = ctx.firstFailure
    this.#pipe()
    if (this.#isClosed()) return
    ctx.statusSent = failure?.status ?? status()
    this.#addNotice(openNotice(renderMs))
    const stream = this.#sink.startStream()
    this.#measure()
    const ended = new Promise<void>((resolve) => {
      this.#onEnded = resolve
    })
    this.#resolve({ kind: 'stream', stream, failure, ended })
  }

  #endWaiting() {
    if (this.#state !== 'waiting' || !this.#isAllReady) return
    if (this.#early) this.#giveUp(this.#early)
    else this.#pipe()
  }

  #pipe() {
    const { ctx } = this.#input
    this.#react.pipe(this.#sink)
    if (this.#isClosed()) return
    this.#sink.add(this.#input.shellEnd())
    if (this.#lateNotice) this.#addNotice(this.#lateNotice)
    this.#state = 'piped'
    this.#input.data.subscribe((settlement) => {
      if (ctx.hasScripts) this.#sink.addSoon(messageElement(settlement, this.#input.nonce))
      this.#closeWhenComplete()
    })
    this.#closeWhenComplete()
  }

  #addNotice(notice: Notice) {
    if (!this.#input.ctx.hasScripts) return
    this.#sink.add(messageElement(messageText(notice), this.#input.nonce))
  }

  // The boundaries that React left pending would wait in the browser forever, so a script fails them there.
  #onBroken(error: unknown) {
    const { data, ctx, nonce } = this.#input
    // Nothing was sent, so the status can still be 500.
    if (this.#state !== 'piped') return this.#giveUp(catchError(error, 'render'))
    const failure = ctx.fail(error, { phase: 'render' })
    if (ctx.hasScripts) this.#sink.add(failPendingElement(failure.digest, nonce))
    data.failPending(failure)
    this.#closeWhenComplete()
  }

  #closeWhenComplete() {
    const { data, endOfFailed, ctx } = this.#input
    if (this.#state !== 'piped' || !this.#sink.isEnded || data.pendingCount() > 0) return
    this.#deadline?.log()
    if (this.#onEnded) {
      corkUntilEnd(ctx.reply.raw)
      this.#addNotice([0, 'end'])
    }
    const failure = ctx.firstFailure
    if (failure) this.#sink.add(endOfFailed(failure))
    this.#close({ kind: 'whole', text: this.#sink.close(), failure })
  }

  /** Watches an incomplete document, which ends early when the client disconnects or the deadline passes. */
  #watch() {
    const { renderMs, data, ctx } = this.#input
    ctx.watchLeaving(() => {
      this.#close({ kind: 'gone' })
      this.#react.abort()
      this.#sink.discard()
    })
    // A client that has already disconnected closed the document just now.
    if (this.#isClosed()) return
    this.#deadline = new RenderDeadline({
      renderMs,
      data,
      ctx,
      stopReact: (error) => this.#react.abort(error),
      onStopped: () => this.#closeWhenComplete(),
    })
  }

  #giveUp(caught: CaughtError) {
    this.#close({ kind: 'thrown', caught })
    this.#react.abort()
  }

  #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #close(rendered: Rendered) {
    this.#state = 'closed'
    this.#callbacks.observer = null
    this.#deadline?.clear()
    if (rendered.kind === 'whole' && !this.#onEnded) this.#measure()
    this.#resolve(rendered)
    this.#onEnded?.()
  }

  #measure() {
    const { metrics } = this.#input
    metrics.documentRendered(metrics.now() - this.#startedAt)
  }
}
