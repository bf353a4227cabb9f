import type { ReactNode } from 'react'
import { messageText, type Notice } from '../../shared/wire/boot.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import { type Components, catchError } from '../failures/failure-context.ts'
import type { DocumentInput } from './document.ts'
import { corkUntilEnd, DOCUMENT_END, DocumentSink, type DocumentStream } from './document-sink.ts'
import {
  createReactOptions,
  failLate,
  failPendingElement,
  messageElement,
  type ReactCallbacks,
  type RenderObserver,
} from './react-callbacks.ts'
import { RenderDeadline } from './render-deadline.ts'
import { markFallbacks } from './without-script.ts'

export interface RestInput
  extends Pick<DocumentInput, 'nonce' | 'styleNonce' | 'data' | 'ctx' | 'renderMs' | 'endOfFailed'> {
  /** Renders the parts that are missing in the shell; null if none is missing. */
  resume: RenderToPipe | null
  /** The element that the shell was rendered from: the same components, with equal props. */
  element: ReactNode
  /** The stream of the document, which has the shell. */
  stream: DocumentStream
  /** The greatest length of the rest, in characters. */
  maxLength: number
}

/** Renders and sends the rest of a document whose shell has been sent. Resolves when it is complete. Never rejects. */
export function renderRest(input: RestInput): Promise<void> {
  return new Promise((resolve) => {
    new DocumentRest(input, resolve)
  })
}

/**
 * Renders the missing parts of a stored shell. The response has begun with the shell: nothing can change its status.
 */
class DocumentRest implements RenderObserver {
  #input: RestInput
  #callbacks: ReactCallbacks = { observer: this }
  #onEnded: () => void
  #sink: DocumentSink
  #react: ReturnType<RenderToPipe> | null = null
  #deadline: RenderDeadline
  #isClosed = false
  #isLate = false

  constructor(input: RestInput, onEnded: () => void) {
    const { resume, element, stream, nonce, styleNonce, maxLength, data, ctx, renderMs } = input
    this.#input = input
    this.#onEnded = onEnded
    this.#sink = new DocumentSink(
      () => '',
      maxLength,
      (broken) => (broken ? this.#onBroken(broken.error) : this.#closeWhenComplete()),
      (part) => markFallbacks(part, styleNonce),
    )
    this.#sink.startStream(stream)
    this.#deadline = new RenderDeadline({
      renderMs,
      data,
      ctx,
      stopReact: (error) => this.#react?.abort(error),
      onStopped: () => this.#closeWhenComplete(),
    })
    ctx.watchLeaving(() => this.#leave())
    if (this.#isClosed) return
    data.subscribe((settlement) => {
      this.#sink.addSoon(messageElement(settlement, nonce))
      this.#closeWhenComplete()
    })
    if (resume === null) {
      this.#sink.write(DOCUMENT_END)
      this.#sink.end()
      return
    }
    this.#react = resume(element, createReactOptions(this.#callbacks, input, false))
    // React writes nothing before the first part is complete.
    this.#react.pipe(this.#sink)
  }

  onShellReady() {}

  onAllReady() {}

  /** React destroys the sink, too. */
  onShellError() {}

  // React hangs if this method throws, so everything that is called from here catches its own errors.
  onError(thrown: unknown, components: Components): string | undefined {
    const { ctx } = this.#input
    if (ctx.isGone || this.#isClosed) return undefined
    if (this.#deadline.hasPassed) return this.#onStoppedComponent(components)
    return failLate(catchError(thrown, 'render'), components, ctx)
  }

  #onStoppedComponent(components: Components): string | undefined {
    const digest = this.#deadline.addComponent(components)
    if (digest !== undefined && !this.#isLate) {
      this.#isLate = true
      this.#addNotice([0, 'late', digest])
    }
    return digest
  }

  // The boundaries that React left pending would wait in the browser forever, so a script fails them there.
  #onBroken(error: unknown) {
    const { data, ctx, nonce } = this.#input
    const failure = ctx.fail(error, { phase: 'render' })
    this.#sink.add(failPendingElement(failure.digest, nonce))
    data.failPending(failure)
    this.#closeWhenComplete()
  }

  #addNotice(notice: Notice) {
    this.#sink.add(messageElement(messageText(notice), this.#input.nonce))
  }

  #closeWhenComplete() {
    const { data, endOfFailed, ctx } = this.#input
    if (this.#isClosed || !this.#sink.isEnded || data.pendingCount() > 0) return
    this.#deadline.log()
    corkUntilEnd(ctx.reply.raw)
    this.#addNotice([0, 'end'])
    const failure = ctx.firstFailure
    if (failure) this.#sink.add(endOfFailed(failure))
    this.#sink.close()
    this.#close()
  }

  #leave() {
    this.#close()
    this.#react?.abort()
    this.#sink.discard()
  }

  #close() {
    this.#isClosed = true
    this.#callbacks.observer = null
    this.#deadline.clear()
    this.#onEnded()
  }
}
