import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { findHeadEnd } from './head-end.ts'

/** @param head The document up to there. */
export type WriteHeadEnd = (isStreamed: boolean, head: string) => string

/** What React writes last: a layout has to render `<html>`, and may leave out `<body>`. */
const TAILS = ['</body></html>', '</html>', '</body>']

/**
 * What React writes a document into. Until the document is told to stream, everything is collected, so that one
 * which is complete goes out in one piece. Text is gathered per flush: React's builds write many small parts.
 *
 * React is never held back: what the visitor has not read yet waits here instead of in React's own queues, and
 * is at most the rest of the document, which has a greatest length.
 */
export class DocumentSink {
  #text = ''
  /** The end of the body and all behind it, once React has written it. */
  #tail = ''
  #isEnded = false
  #isScheduled = false
  #decoder: TextDecoder | null = null
  #stream: Readable | null = null
  /** Writes what goes before `</head>`; null once the head has gone out. */
  #headEnd: WriteHeadEnd | null
  #mark: (part: string) => string
  #maxLength: number
  /** Characters that it may still grow by, from when the last part went out. */
  #left: number
  #onEnd: (broken?: { error: unknown }) => void

  /**
   * @param headEnd Writes what goes before `</head>`.
   * @param maxLength Most characters. What is longer is broken, by HYD_DOCUMENT_TOO_LONG.
   * @param onEnd Called when React has written everything, or has given up; `close` has to follow.
   * @param mark Writes a part of a document that streams as it goes out (as it is).
   */
  constructor(
    headEnd: WriteHeadEnd,
    maxLength: number,
    onEnd: (broken?: { error: unknown }) => void,
    mark: (part: string) => string = (part) => part,
  ) {
    this.#headEnd = headEnd
    this.#mark = mark
    this.#maxLength = maxLength
    this.#left = maxLength
    this.#onEnd = onEnd
  }

  /** React's build for Bun writes strings, the one for Node bytes (and strings that are too long for its view). */
  write(chunk: string | Uint8Array): boolean {
    if (typeof chunk === 'string') this.#text += chunk
    else {
      this.#decoder ??= new TextDecoder()
      this.#text += this.#decoder.decode(chunk, { stream: true })
    }
    // React takes what its destination throws as the end of the render: `onError`, then `destroy`.
    if (this.#text.length > this.#left) throw createHydrantError('HYD_DOCUMENT_TOO_LONG', [this.#maxLength])
    return true
  }

  /** React calls this at the end of each batch; `end` may follow at once and has a say in the last one. */
  flush() {
    if (!this.#stream || this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#emit()
    })
  }

  end() {
    this.#tail = TAILS.find((tail) => this.#text.endsWith(tail)) ?? ''
    if (this.#tail !== '') this.#text = this.#text.slice(0, -this.#tail.length)
    // Here the text lies in one piece, which each addition ends.
    if (!this.#stream) this.#text = this.#withHead()
    this.#isEnded = true
    this.#onEnd()
  }

  /** React gives up: what it has begun stays unfinished. */
  destroy(error?: unknown) {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#tail = '</body></html>'
    this.#onEnd({ error })
  }

  /** Nobody reads any more. */
  discard() {
    this.#isEnded = true
    this.#text = ''
    this.#stream?.destroy()
  }

  on() {
    // React's listeners for drain, error and close: the first never happens, the others abort the render elsewhere.
  }

  /** Has React written everything? */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Adds text between two of React's batches, or before `</body>` after the last one. */
  add(text: string) {
    this.#text += text
    this.flush()
  }

  /** The document is complete. Returns what has not been streamed: all of it if nothing was. */
  close(): string {
    // In one piece: its length is asked for, which takes Node.js long for a text of many.
    if (!this.#stream) return [this.#withHead(), this.#tail].join('')
    this.#text += this.#tail
    this.#emit()
    this.#stream.push(null)
    return ''
  }

  /** From now on what is written goes out, beginning with what has been collected. */
  startStream(): Readable {
    this.#stream = new Readable({ read() {} })
    this.#emit()
    return this.#stream
  }

  #emit() {
    if (this.#text === '') return
    this.#left -= this.#text.length
    this.#stream?.push(this.#mark(this.#withHead()))
    this.#text = ''
  }

  // React writes the whole of the head at once, before all else.
  #withHead(): string {
    if (this.#headEnd === null) return this.#text
    const headEnd = this.#headEnd
    this.#headEnd = null
    const at = findHeadEnd(this.#text)
    if (at === -1) return this.#text
    const addition = headEnd(this.#stream !== null, this.#text.slice(0, at))
    return this.#text.slice(0, at) + addition + this.#text.slice(at)
  }
}
