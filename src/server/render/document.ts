import type { Readable } from 'node:stream'
import type { ReactNode } from 'react'
import { messageScript, type Notice } from '../../shared/wire/boot.ts'
import { messageText } from '../../shared/wire/serialise.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import type { RequestContext, UnwrittenFailure } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Components, Failure } from '../failures/failure-context.ts'
import type { MetricsRecorder } from '../metrics/metrics-recorder.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { startDeadline } from '../util/deadline.ts'
import type { Deferred } from './deferred-data.ts'
import { DocumentSink, type WriteHeadEnd } from './document-sink.ts'
import { optionsFor, type ReactCallbacks, type RenderObserver } from './react-callbacks.ts'
import { markFallbacks } from './without-script.ts'

export type Rendered =
  /** Complete: one answer with a length. */
  | { kind: 'whole'; text: string; failure: Failure | null }
  /** Begun: the shell is in the stream, the rest follows. */
  | { kind: 'stream'; stream: Readable; failure: Failure | null; ended: Promise<void> }
  /** Nothing has gone out: the shell failed, or a component asked for a redirect, a 404 or a refusal. */
  | { kind: 'thrown'; thrown: unknown }
  /** Nobody is there to read it. */
  | { kind: 'gone' }

export interface DocumentInput {
  render: RenderToPipe
  metrics: Pick<MetricsRecorder, 'now' | 'documentRendered'>
  element: ReactNode
  nonce: string
  /** Where the document's policy has one for styles. */
  styleNonce: string | undefined
  /** What goes before `</head>`; written with it. */
  headEnd: WriteHeadEnd
  /** What goes behind a shell that has not failed: the boot data and the client's entry. */
  shellEnd(): string
  data: Deferred
  visit: RequestContext
  /** Asked once, and only for a document that is not complete at the shell: may it go out in parts? */
  canStream(): boolean
  renderMs: number
  /** In characters. */
  maxLength: number
  /** What stands before `</body>` of a document that failed after it had begun. */
  noscript(failure: Failure): string
}

/** Renders one document. Never rejects. */
export function renderDocument(input: DocumentInput): Promise<Rendered> {
  return new Promise((resolve) => {
    new DocumentRender(input, resolve)
  })
}

/** So much longer than to the deadline a browser waits for the next part: the way there takes its time, too. */
const GRACE_MS = 5_000
const MAX_TIMER_MS = 2_147_483_647

// Cheaper than `queueMicrotask`, which makes an AsyncResource each time.
const afterThisTurn = Promise.resolve()

class DocumentRender implements RenderObserver {
  #input: DocumentInput
  #held: ReactCallbacks = { listener: this }
  #resolve: (rendered: Rendered) => void
  #sink: DocumentSink
  #react: ReturnType<RenderToPipe>
  #state: 'rendering' | 'waiting' | 'piped' | 'closed' = 'rendering'
  #isFirstTurn = true
  #isShellReady = false
  #isAllReady = false
  #isStreamed = false
  /** Set while it streams. */
  #onEnded: (() => void) | null = null
  #startedAt: number
  #clearDeadline = () => {}
  #timeout: { error: Error; pending: string[]; components: string[]; failure: UnwrittenFailure | null } | null = null
  /** That components in `<Suspense>` have met the deadline. */
  #late: Notice | null = null
  /** A redirect, 404 or refusal that a component threw before anything went out. */
  #early: { thrown: unknown } | null = null

  constructor(input: DocumentInput, resolve: (rendered: Rendered) => void) {
    this.#input = input
    this.#resolve = resolve
    this.#startedAt = input.metrics.now()
    this.#sink = new DocumentSink(
      input.headEnd,
      input.maxLength,
      (broken) => (broken ? this.#mendBroken(broken.error) : this.#closeWhenComplete()),
      (part) => markFallbacks(part, input.styleNonce),
    )
    const nonce = input.styleNonce === undefined ? input.nonce : { script: input.nonce, style: input.styleNonce }
    this.#react = input.render(input.element, optionsFor(this.#held, nonce))
    // React renders in a microtask of its own, queued before this one.
    void afterThisTurn.then(() => {
      this.#isFirstTurn = false
      if (!this.#isComplete()) this.#watch()
      if (this.#isShellReady) this.#decide()
    })
  }

  onShellReady() {
    this.#isShellReady = true
    if (this.#isFirstTurn) return
    // React may complete the rest in the same turn; then nothing needs to stream.
    void afterThisTurn.then(() => this.#decide())
  }

  onShellError(thrown: unknown) {
    this.#writeTimeout()
    this.#finish({ kind: 'thrown', thrown: this.#early ? this.#early.thrown : thrown })
  }

  onAllReady() {
    this.#isAllReady = true
    if (this.#state === 'waiting') void afterThisTurn.then(() => this.#goOutWhole())
  }

  // A digest that is returned here travels to the browser. React hangs for ever when this throws after the shell
  // has gone out; everything that is called from here catches for itself.
  onError(thrown: unknown, components: Components): string | undefined {
    const { visit } = this.#input
    if (visit.isGone || this.#state === 'closed') return undefined
    // Whatever fails from now on fails because it was told to stop.
    if (this.#timeout) {
      this.#timeout.components.push(components.componentStack ?? '')
      this.#timeout.failure ??= visit.name(this.#timeout.error, { phase: 'render', components })
      const { digest } = this.#timeout.failure
      if (!this.#late) {
        this.#late = [0, 'late', digest]
        // React writes what it has aborted when all of it is reported: until then it is pending in the browser.
        if (this.#state === 'piped') this.#tell(this.#late)
      }
      return digest
    }
    const meaning = classifyThrown(thrown)
    const { kind } = meaning
    if (kind !== 'failure' && this.#state !== 'piped') {
      this.#early ??= { thrown }
      return undefined
    }
    if (kind === 'notFound' || kind === 'refusal') return undefined
    const failed = meaning.kind === 'redirect' ? visit.lateRedirect(meaning.redirection) : thrown
    const failure = visit.fail(failed, { phase: 'render', components })
    return failure.digest
  }

  #decide() {
    if (this.#state !== 'rendering') return
    if (this.#early) this.#giveUp(this.#early.thrown)
    else if (this.#isComplete()) this.#pipe()
    else if (this.#input.canStream()) this.#startStream()
    else {
      this.#state = 'waiting'
      this.#goOutWhole()
    }
  }

  #isComplete(): boolean {
    return this.#isShellReady && this.#isAllReady && this.#input.data.pendingCount() === 0
  }

  #startStream() {
    const { renderMs, visit } = this.#input
    // Also of a deferred promise that has rejected by now: no 200 that can still be an honest 500.
    const failure = visit.firstFailure
    this.#isStreamed = true
    this.#pipe()
    if (this.#isClosed()) return
    visit.statusSent = failure?.status ?? visit.reply.statusCode
    this.#tell([0, 'open', Math.min(renderMs + GRACE_MS, MAX_TIMER_MS)])
    const stream = this.#sink.startStream()
    this.#measure()
    const ended = new Promise<void>((resolve) => {
      this.#onEnded = resolve
    })
    this.#resolve({ kind: 'stream', stream, failure, ended })
  }

  #goOutWhole() {
    if (this.#state !== 'waiting' || !this.#isAllReady) return
    if (this.#early) this.#giveUp(this.#early.thrown)
    else this.#pipe()
  }

  #pipe() {
    this.#react.pipe(this.#sink)
    if (this.#isClosed()) return
    this.#sink.add(this.#input.shellEnd())
    if (this.#late) this.#tell(this.#late)
    this.#state = 'piped'
    this.#input.data.subscribe((settlement) => {
      this.#addScript(messageScript(settlement))
      this.#closeWhenComplete()
    })
    this.#closeWhenComplete()
  }

  #addScript(script: string) {
    this.#sink.add(`<script nonce="${this.#input.nonce}">${script}</script>`)
  }

  #tell(notice: Notice) {
    this.#addScript(messageScript(messageText(notice)))
  }

  // What React has left pending would wait in the browser for ever: fail it there as React itself would have.
  #mendBroken(error: unknown) {
    const { data, visit } = this.#input
    // Nothing has gone out: it can still be an honest 500.
    if (this.#state !== 'piped') return this.#giveUp(error)
    const failure = visit.fail(error, { phase: 'render' })
    this.#addScript(failPendingScript(failure.digest))
    data.failPending(failure)
    this.#closeWhenComplete()
  }

  #closeWhenComplete() {
    const { data, noscript, visit } = this.#input
    // Not before what has settled in the meantime has been added.
    if (this.#state !== 'piped' || !this.#sink.isEnded || data.pendingCount() > 0) return
    this.#writeTimeout()
    if (this.#isStreamed) this.#tell([0, 'end'])
    const failure = visit.firstFailure
    if (failure) this.#sink.add(noscript(failure))
    this.#finish({ kind: 'whole', text: this.#sink.close(), failure })
  }

  #watch() {
    if (this.#state === 'closed') return
    this.#input.visit.watchLeaving(() => {
      this.#finish({ kind: 'gone' })
      this.#react.abort()
      this.#sink.discard()
    })
    this.#clearDeadline = startDeadline(this.#input.renderMs, () => this.#onDeadline())
  }

  #onDeadline() {
    const { renderMs, data, visit } = this.#input
    const pending = data.pendingNames()
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending.join(', ') || 'components'])
    this.#timeout = { error, pending, components: [], failure: null }
    // Before anything is told to stop: what then rejects is no failure of its own.
    if (pending.length > 0) {
      this.#timeout.failure = visit.name(error, { phase: 'render', place: data.place })
      data.failPending(this.#timeout.failure)
    }
    this.#react.abort(error)
    visit.abort(error)
    // React reports what it aborts in a timer that it has just set.
    setTimeout(() => {
      this.#writeTimeout()
      this.#closeWhenComplete()
    }, 0)
  }

  /** Writes the one line for the deadline, when all that was pending is known. */
  #writeTimeout() {
    if (!this.#timeout) return
    const { error, pending, components, failure } = this.#timeout
    const found = { pending, pendingComponents: components, components: { componentStack: components[0] } }
    const details = { phase: 'render' as const, ...found }
    const named = failure ?? this.#input.visit.name(error, details)
    // Only the first call writes the line.
    named.write(details)
  }

  #giveUp(thrown: unknown) {
    this.#finish({ kind: 'thrown', thrown })
    this.#react.abort()
  }

  #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #finish(rendered: Rendered) {
    this.#state = 'closed'
    this.#held.listener = null
    this.#clearDeadline()
    if (rendered.kind === 'whole' && !this.#isStreamed) this.#measure()
    this.#resolve(rendered)
    this.#onEnded?.()
  }

  #measure() {
    const { metrics } = this.#input
    metrics.documentRendered(metrics.now() - this.#startedAt)
  }
}

// The same steps as in React's `$RX`, for all Suspense boundaries that are pending.
function failPendingScript(digest: string): string {
  return (
    'for(const t of document.querySelectorAll(\'template[id^="B:"]\')){const c=t.previousSibling;' +
    `if(c&&c.data==="$?"){c.data="$!";t.dataset.dgst="${digest}";c._reactRetry&&c._reactRetry()}}`
  )
}
