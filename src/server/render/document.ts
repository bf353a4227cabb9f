import type { Readable } from 'node:stream'
import type { ReactNode } from 'react'
import type { RenderToPipeableStreamOptions } from 'react-dom/server'
import { messageScript, messageText, type Notice } from '../../shared/wire/boot.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import type { RequestContext } from '../context/request-context.ts'
import { refusalOf } from '../errors/classify-thrown.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { type CaughtError, type Components, catchError, type Failure } from '../failures/failure-context.ts'
import { FORMATS } from '../http/formats.ts'
import type { TimedStep } from '../http/request-times.ts'
import { beginStep, endStep } from '../http/timed-steps.ts'
import { startDeadline, timerMs } from '../util/deadline.ts'
import type { Deferred } from './deferred.ts'
import { type CompleteHead, DOCUMENT_END, DocumentSink } from './document-sink.ts'
import { corkUntilEnd, type DocumentStream } from './document-stream.ts'
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
  element: ReactNode
  /** The promises in the data; null for none. */
  promises: Deferred | null
  ctx: RequestContext
  /** The nonce of styles, if the document's policy has one. */
  styleNonce: string | undefined
  /** Returns the text to insert before `</head>`; null when the shell has been sent. */
  completeHead: CompleteHead | null
  /** Returns the text after a shell that has not failed: the boot data and the client's entry. */
  shellEnd(): string
  /**
   * Whether a document that is not complete with its shell may be sent in parts. Called once, only for such a document.
   */
  canStream(): boolean
  /** The status of an error page; null for a page, unless a part of it has failed. */
  errorStatus: number | null
  /** Returns the text to insert before `</body>` of a document with a failed part. */
  endOfFailed(failure: Failure): string
}

/** Renders one document. Never rejects. */
export function renderDocument(input: DocumentInput): Promise<Rendered> {
  return new Promise((resolve) => new DocumentRender(input, resolve).start())
}

export interface RestInput extends Pick<DocumentInput, 'element' | 'ctx' | 'styleNonce' | 'endOfFailed'> {
  promises: Deferred
  /** Renders the parts that are missing in the shell; null if none is missing. */
  resume: RenderToPipe | null
  /** The stream of the document, which has the shell. */
  stream: DocumentStream
}

/**
 * Renders and sends the rest of a document whose shell has been sent: nothing can change its status. `element` has the
 * same components as the shell, with equal props. Resolves when the document is complete. Never rejects.
 */
export function renderRest({ resume, stream, ...input }: RestInput): Promise<void> {
  const sent = { completeHead: null, shellEnd: () => '', canStream: () => true, errorStatus: null }
  return new Promise((resolve) => new DocumentRender({ ...input, ...sent }, () => resolve()).resume(resume, stream))
}

/**
 * starting  → rendering  React's first turn is over
 * rendering → piped      the shell is ready, and the document is complete or may stream
 * rendering → waiting    the shell is ready, but the document is incomplete and may not stream
 * waiting   → piped      React has rendered everything
 * piped     → closed     React has written everything, and no promise is pending
 *
 * Every state goes to `closed` when the client disconnects. Before `piped`, an error of the shell, a redirect, a 404 or
 * a refusal closes the document too, and nothing of it is sent. A document that is incomplete in `piped` streams. The
 * rest of a document whose shell has been sent begins with `piped`.
 */
type State = 'starting' | 'rendering' | 'waiting' | 'piped' | 'closed'

/** Everything that was stopped when the deadline passed. All of it is one failure with one log line. */
interface Timeout {
  error: Error
  /** Paths of the deferred promises: `data.reviews`. */
  pending: string[]
  /** React's stacks of the components. */
  componentStacks: string[]
  isLogged: boolean
}

/**
 * The only object that React's callbacks refer to. React keeps its options until a timer of its own fires, long after
 * the response was sent. With null, everything that belongs to the request is released before that.
 */
interface Held {
  /** Null when the document is closed. */
  document: DocumentRender | null
}

class DocumentRender {
  #input: DocumentInput
  #held: Held = { document: this }
  /** Called when the document is closed, and with a stream when it begins. */
  #resolve: (rendered: Rendered) => void
  #sink: DocumentSink
  /** Null when no part is missing in the shell that has been sent. */
  #react: ReturnType<RenderToPipe> | null = null
  #state: State = 'starting'
  /** What React has rendered. */
  #ready: 'nothing' | 'shell' | 'all' = 'nothing'
  /** Null for the rest of a document. */
  #step: TimedStep | null = null
  /** Null for a document that is complete after React's first turn. */
  #clearDeadline: (() => void) | null = null
  /** Null until the deadline has passed. What fails from then on fails because it was stopped. */
  #timeout: Timeout | null = null
  /** Says that components in `<Suspense>` did not meet the deadline. */
  #lateNotice: Notice | null = null
  /** A redirect, 404 or refusal that a component threw before anything was sent. */
  #early: CaughtError | null = null

  constructor(input: DocumentInput, resolve: (rendered: Rendered) => void) {
    const { completeHead, styleNonce, ctx } = input
    const { options } = ctx.site
    this.#input = input
    this.#resolve = resolve
    this.#sink = new DocumentSink(
      completeHead,
      options.limits.maxDocumentLength,
      (broken) => (broken ? this.#onBroken(broken.error) : this.#closeWhenComplete()),
      (part) => markFallbacks(part, styleNonce),
    )
  }

  /** Renders the document from its beginning. */
  start() {
    const { element, ctx } = this.#input
    this.#step = beginStep('render', '', ctx.times)
    this.#react = ctx.site.render(element, createReactOptions(this.#held, this.#input))
    // React renders in a microtask that it queued before this one.
    queueMicrotask(() => this.#proceed())
  }

  /** Renders the parts that are missing in a shell that has been sent. */
  resume(resume: RenderToPipe | null, stream: DocumentStream) {
    this.#sink.startStream(stream)
    this.#watch()
    if (this.#state === 'closed') return
    this.#state = 'piped'
    this.#input.promises?.subscribe((settlement) => this.#onSettled(settlement))
    if (resume === null) {
      this.#sink.write(DOCUMENT_END)
      this.#sink.end()
      return
    }
    this.#react = resume(this.#input.element, createReactOptions(this.#held, this.#input))
    // React writes nothing before the first part is complete.
    this.#react.pipe(this.#sink)
  }

  /** Watches an incomplete document, which ends early when the client disconnects or the deadline passes. */
  #watch() {
    const { ctx } = this.#input
    ctx.watchLeaving(() => {
      this.#close({ kind: 'gone' })
      this.#react?.abort()
      this.#sink.discard()
    })
    // A client that has already disconnected closed the document just now.
    if (this.#state === 'closed') return
    this.#clearDeadline = startDeadline(ctx.site.options.timeouts.renderMs, () => this.#stop())
  }

  /** React calls this for the shell, then for everything. */
  onReady(ready: 'shell' | 'all') {
    this.#ready = ready
    // React may complete the rest in the same turn. Then the document does not have to stream.
    if (this.#state !== 'starting') queueMicrotask(() => this.#proceed())
  }

  onShellError(thrown: unknown) {
    // React destroys the sink, too.
    if (this.#state === 'piped') return
    if (this.#timeout) this.#logTimeout(this.#timeout)
    this.#close({ kind: 'thrown', caught: this.#early ?? catchError(thrown, 'render') })
  }

  // React sends the digest that is returned here to the browser. React hangs if this method throws after the shell was
  // sent, so everything that is called from here catches its own errors.
  onError(thrown: unknown, components: Components): string | undefined {
    const { ctx } = this.#input
    if (ctx.isGone) return undefined
    if (this.#timeout) return this.#onStopped(components, this.#timeout)
    const caught = catchError(thrown, 'render')
    if (caught.kind !== 'failure' && this.#state !== 'piped') {
      this.#early ??= caught
      return undefined
    }
    // They come too late to be a response.
    if (caught.kind === 'notFound' || caught.kind === 'refusal') {
      ctx.noteRefusal(thrown, refusalOf(caught))
      return undefined
    }
    const failed = caught.kind === 'redirect' ? ctx.lateRedirect(caught.redirection) : caught.thrown
    return ctx.fail(failed, { phase: 'render', components }).digest
  }

  /** Adds a component that the deadline has stopped. Returns the digest of the failure. */
  #onStopped(components: Components, { error, componentStacks }: Timeout): string {
    componentStacks.push(components.componentStack ?? '')
    const { digest } = this.#input.ctx.name(error, { phase: 'render', components })
    if (!this.#lateNotice) {
      this.#lateNotice = [0, 'late', digest]
      // React writes the boundaries that it aborted only after it has reported all of them. Until then they are pending
      // in the browser.
      if (this.#state === 'piped') this.#addNotice(this.#lateNotice)
    }
    return digest
  }

  /** Goes on after React's first turn, with the shell, and with everything. Sends the document when it may be sent. */
  #proceed() {
    const { promises, canStream } = this.#input
    const isComplete = this.#ready === 'all' && !promises?.pendingCount()
    if (this.#state === 'starting') {
      this.#state = 'rendering'
      if (!isComplete) this.#watch()
    }
    if (this.#ready === 'nothing' || (this.#state !== 'rendering' && this.#state !== 'waiting')) return
    if (this.#early) return this.#giveUp(this.#early)
    if (this.#state === 'rendering' && !isComplete && canStream()) return this.#stream()
    this.#state = 'waiting'
    if (this.#ready === 'all') this.#pipe()
  }

  #stream() {
    const { ctx, errorStatus } = this.#input
    const { options } = ctx.site
    // A deferred promise may have failed by now: then the status is 500, while it can still be sent.
    const failure = ctx.firstFailure
    this.#pipe()
    if (this.#state === 'closed') return
    ctx.statusSent = failure?.status ?? errorStatus ?? ctx.reply.statusCode
    this.#addNotice(openNotice(options.timeouts.renderMs))
    const stream = this.#sink.startStream()
    this.#endStep()
    const resolve = this.#resolve
    const ended = new Promise<void>((onEnded) => {
      this.#resolve = () => onEnded()
    })
    resolve({ kind: 'stream', stream, failure, ended })
  }

  #pipe() {
    this.#react?.pipe(this.#sink)
    // React may have failed to write.
    if (this.#state === 'closed') return
    this.#sink.add(this.#input.shellEnd())
    if (this.#lateNotice) this.#addNotice(this.#lateNotice)
    this.#state = 'piped'
    this.#input.promises?.subscribe((settlement) => this.#onSettled(settlement))
    this.#closeWhenComplete()
  }

  #onSettled(settlement: string) {
    const { hasScripts, nonce } = this.#input.ctx
    if (hasScripts) this.#sink.addSoon(messageElement(settlement, nonce))
    this.#closeWhenComplete()
  }

  #addNotice(notice: Notice) {
    const { hasScripts, nonce } = this.#input.ctx
    if (hasScripts) this.#sink.add(messageElement(messageText(notice), nonce))
  }

  // The boundaries that React left pending would wait in the browser forever, so a script fails them there.
  #onBroken(error: unknown) {
    const { promises, ctx } = this.#input
    // Nothing was sent, so the status can still be 500.
    if (this.#state !== 'piped') return this.#giveUp(catchError(error, 'render'))
    const failure = ctx.fail(error, { phase: 'render' })
    if (ctx.hasScripts) this.#sink.add(failPendingElement(failure.digest, ctx.nonce))
    promises?.failPending(failure)
    this.#closeWhenComplete()
  }

  /** Stops everything that is pending when the deadline has passed: it fails with HYD_RENDER_TIMEOUT. */
  #stop() {
    const { promises, ctx } = this.#input
    const pending = promises?.pendingNames() ?? []
    const { renderMs } = ctx.site.options.timeouts
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending.join(', ') || 'components'])
    const timeout: Timeout = { error, pending, componentStacks: [], isLogged: false }
    this.#timeout = timeout
    // The promises fail before React and the loads are stopped: a rejection that the stop causes is no failure of its
    // own.
    if (promises && pending.length > 0)
      promises.failPending(ctx.name(error, { phase: 'render', place: promises.place }))
    this.#react?.abort(error)
    ctx.abort(error)
    // React reports the stopped components in a timer that it set just before this one.
    setTimeout(() => {
      this.#logTimeout(timeout)
      this.#closeWhenComplete()
    }, 0)
  }

  /** Writes the log line of the deadline that has passed, once, when everything that it has stopped is known. */
  #logTimeout(timeout: Timeout) {
    if (timeout.isLogged) return
    timeout.isLogged = true
    const { error, pending, componentStacks } = timeout
    const components = { componentStack: componentStacks[0] }
    this.#input.ctx.fail(error, { phase: 'render', pending, pendingComponents: componentStacks, components })
  }

  #closeWhenComplete() {
    const { promises, endOfFailed, ctx } = this.#input
    if (this.#state !== 'piped' || !this.#sink.isEnded || promises?.pendingCount()) return
    if (this.#timeout) this.#logTimeout(this.#timeout)
    if (this.#sink.stream) {
      corkUntilEnd(ctx.reply.raw)
      this.#addNotice([0, 'end'])
    } else this.#endStep()
    const failure = ctx.firstFailure
    if (failure) this.#sink.add(endOfFailed(failure))
    if (this.#step) this.#step.bytes = this.#sink.length
    this.#close({ kind: 'whole', text: this.#sink.close(), failure })
  }

  #giveUp(caught: CaughtError) {
    this.#close({ kind: 'thrown', caught })
    this.#react?.abort()
  }

  /** The document, or its shell, is ready to be sent. */
  #endStep() {
    const { times, site } = this.#input.ctx
    if (!this.#step) return
    endStep(this.#step, times)
    site.metrics.documentRendered(this.#step.durationMs)
  }

  #close(rendered: Rendered) {
    if (this.#step && Number.isNaN(this.#step.durationMs)) endStep(this.#step, this.#input.ctx.times)
    this.#state = 'closed'
    this.#held.document = null
    this.#clearDeadline?.()
    this.#resolve(rendered)
  }
}

/** Returns options for React, in a scope that has nothing of the request but `held`. */
function createReactOptions(held: Held, { ctx, styleNonce }: DocumentInput): RenderToPipeableStreamOptions {
  const { nonce } = ctx
  // All content in its place. Otherwise React writes large parts at the end, and a script moves them.
  const isInPlace = !FORMATS[ctx.format].isDocument || !ctx.hasScripts
  return {
    nonce: styleNonce === undefined ? nonce : { script: nonce, style: styleNonce },
    ...(isInPlace && { progressiveChunkSize: Number.MAX_SAFE_INTEGER }),
    onError: (thrown, info) => held.document?.onError(thrown, info),
    onShellReady: () => held.document?.onReady('shell'),
    onShellError: (thrown) => held.document?.onShellError(thrown),
    onAllReady: () => held.document?.onReady('all'),
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

/**
 * Returns a script that fails every Suspense boundary that is pending in the document. It takes the same steps as
 * `$RX`, React's own script for one boundary.
 */
export function failPendingElement(digest: string, nonce: string): string {
  return (
    `<script nonce="${nonce}">for(const t of document.querySelectorAll('template[id^="B:"]')){` +
    `const c=t.previousSibling;if(c&&c.data==="$?"){c.data="$!";t.dataset.dgst="${digest}";c._reactRetry&&c._reactRetry()}}</script>`
  )
}
