import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createHydrantError } from './errors.ts'

/**
 * What React writes a document into. Until the document is told to stream, everything is collected, so that one
 * which is complete goes out in one piece. Text is gathered per flush: React's builds write many small parts.
 *
 * React is never held back: what the visitor has not read yet waits here instead of in React's own queues, and
 * is at most the rest of the document, which has a greatest length.
 */
export class DocumentSink {
  #text = ''
  /** From `</body>` on, once React has written it. */
  #tail = ''
  #isEnded = false
  #isScheduled = false
  #decoder: TextDecoder | null = null
  #stream: Readable | null = null
  /** Writes what goes before `</head>`; null once it has. */
  #headEnd: (() => string) | null
  #maxLength: number
  /** Characters that it may still grow by, from when the last part went out. */
  #left: number
  #onEnd: (broken?: { error: unknown }) => void

  /**
   * @param headEnd Writes what goes before `</head>`.
   * @param maxLength Most characters. What is longer is broken, by HYD_DOCUMENT_TOO_LONG.
   * @param onEnd Called when React has written everything, or has given up; `close` has to follow.
   */
  constructor(headEnd: () => string, maxLength: number, onEnd: (broken?: { error: unknown }) => void) {
    this.#headEnd = headEnd
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
    const at = this.#text.lastIndexOf('</body>')
    if (at !== -1) {
      this.#tail = this.#text.slice(at)
      this.#text = this.#text.slice(0, at)
    }
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
    this.#stream?.push(this.#withHead())
    this.#text = ''
  }

  #withHead(): string {
    if (this.#headEnd === null) return this.#text
    const at = this.#text.indexOf('</head>')
    if (at === -1) return this.#text
    const addition = this.#headEnd()
    this.#headEnd = null
    return this.#text.slice(0, at) + addition + this.#text.slice(at)
  }
}
