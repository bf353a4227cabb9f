import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { EncodedStream, PartEncoder } from '../http/send-started.ts'
import { findHeadEnd } from './head-end.ts'

/**
 * Returns the beginning of a document, up to `</head>`, with the additions to its head. `head` is the text that React
 * has written there; null for a document without `<html>`, which gets no additions.
 */
export type CompleteHead = (isStreamed: boolean, head: string | null) => string

/** The last text of a document. */
export const DOCUMENT_END = '</body></html>'
/** The last text that React writes. A layout has to render `<html>`, and may leave out `<body>`. */
export const TAILS = [DOCUMENT_END, '</html>', '</body>']

/**
 * The destination into which React writes a document. It collects all text until `startStream`, so that a complete
 * document is sent as one string. A stream gets the text of each flush as one chunk, because React writes many small
 * parts.
 *
 * The sink applies no back-pressure to React. Text that a slow client has not read yet waits here or in the response.
 * It is at most the rest of the document, whose length is limited. See decision 001.
 */
export class DocumentSink {
  #text = ''
  /** The end of the body and the text after it, once React has written it. */
  #tail = ''
  #isEnded = false
  #isScheduled = false
  /** True while text of `addSoon` waits for React's next batch. */
  #isWaiting = false
  #decoder: TextDecoder | null = null
  #stream: DocumentStream | null = null
  /** Null when the head has been written. */
  #completeHead: CompleteHead | null
  #transform: (part: string) => string
  #maxLength: number
  /** How many more characters may be written after the last part that was sent. */
  #left: number
  #onEnd: (broken?: { error: unknown }) => void

  /**
   * @param completeHead Returns the beginning of the document with the additions to its head.
   * @param maxLength The greatest length in characters. A longer document is broken, by HYD_DOCUMENT_TOO_LONG.
   * @param onEnd Called when React has written everything, or has given up with an error. `close` has to follow.
   * @param transform Returns the text to send for a part of a document that streams (the same text).
   */
  constructor(
    completeHead: CompleteHead,
    maxLength: number,
    onEnd: (broken?: { error: unknown }) => void,
    transform: (part: string) => string = (part) => part,
  ) {
    this.#completeHead = completeHead
    this.#transform = transform
    this.#maxLength = maxLength
    this.#left = maxLength
    this.#onEnd = onEnd
  }

  /** React's build for Bun writes strings. The build for Node.js writes bytes, and long strings. */
  write(chunk: string | Uint8Array): boolean {
    if (typeof chunk === 'string') this.#text += chunk
    else {
      this.#decoder ??= new TextDecoder()
      this.#text += this.#decoder.decode(chunk, { stream: true })
    }
    // When its destination throws, React ends the render: it calls `onError`, then `destroy`.
    if (this.#text.length > this.#left) throw createHydrantError('HYD_DOCUMENT_TOO_LONG', [this.#maxLength])
    return true
  }

  /** React calls this at the end of each batch. The text is sent a microtask later, as `end` may follow at once. */
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
    // perf: the head is found before parts are added to the text, 4.5 µs instead of 4.9 µs for a document,
    // commit 8d8d4fde
    if (!this.#stream) this.#text = this.#withHead()
    this.#isEnded = true
    this.#onEnd()
  }

  /** React gives up, and the document stays unfinished. */
  destroy(error?: unknown) {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#tail = DOCUMENT_END
    this.#onEnd({ error })
  }

  /** Discards the text: the client has disconnected. */
  discard() {
    this.#isEnded = true
    this.#text = ''
    this.#stream?.destroy()
  }

  on() {
    // React adds listeners for drain, error and close. Drain never occurs. `DocumentRender` handles the other two.
  }

  /** True when React has written everything or has given up. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Adds text between two of React's batches, or before `</body>` after the last one. */
  add(text: string) {
    this.#text += text
    this.flush()
  }

  /**
   * Adds text that is sent with React's next batch, or after all timers that are due. When a promise has settled,
   * React uses a timer to render the part that waited for it.
   *
   * perf: with `corkUntilEnd` one write to the connection instead of two when a promise settles, 259 µs instead of
   * 289 µs of CPU time for a page with one deferred promise, commit f62d4051
   */
  addSoon(text: string) {
    this.#text += text
    if (!this.#stream || this.#isWaiting) return
    this.#isWaiting = true
    setTimeout(() =>
      setImmediate(() => {
        this.#isWaiting = false
        this.#emit()
      }),
    )
  }

  /** Ends the document. Returns its text, or an empty string if it streams. */
  close(): string {
    if (!this.#stream) return this.#withHead() + this.#tail
    this.#text += this.#tail
    this.#emit()
    this.#stream.finish()
    return ''
  }

  /** Sends the collected text, and from now on each flush. */
  startStream(stream = new DocumentStream()): Readable {
    this.#stream = stream
    this.#emit()
    return this.#stream
  }

  #emit() {
    if (this.#text === '') return
    this.#left -= this.#text.length
    this.#stream?.send(this.#transform(this.#withHead()))
    this.#text = ''
  }

  // React writes the complete head in its first batch.
  #withHead(): string {
    if (this.#completeHead === null) return this.#text
    const completeHead = this.#completeHead
    this.#completeHead = null
    const at = findHeadEnd(this.#text)
    if (at === -1) {
      // React writes the doctype before `<html>`.
      if (this.#text !== '' && !/^<!DOCTYPE html>/i.test(this.#text)) completeHead(this.#stream !== null, null)
      return this.#text
    }
    return completeHead(this.#stream !== null, this.#text.slice(0, at)) + this.#text.slice(at)
  }
}

/**
 * Holds the last part of a stream back until its end, which follows in the same turn of the event loop.
 *
 * perf: with `addSoon` one write to the connection instead of two, 259 µs instead of 289 µs of CPU time for a page with
 * one deferred promise, commit f62d4051
 */
export function corkUntilEnd(raw: ServerResponse) {
  // A test or an adapter may pass a response of its own.
  if (!(raw instanceof ServerResponse)) return
  raw.cork()
  // The end of a large part waits until the client has read it, which cannot happen while it is held back.
  setImmediate(() => {
    if (!raw.writableEnded) raw.uncork()
  })
}

/**
 * The payload of a document that streams. For hooks that read, count or compress the payload it is a `Readable` like
 * any other. Fastify pipes the payload into Node's response. Most documents have no hook in between, so their text is
 * written to the response as it is.
 *
 * perf: no buffer in between and no listeners of `pipe`, 0.95 of the CPU time of a page with one deferred promise,
 * commit 7f6175bb
 */
export class DocumentStream extends Readable implements EncodedStream {
  /** Null while the text goes through the `Readable`. */
  #response: ServerResponse | null = null
  /** Text that no reader has requested yet. */
  #waiting: string | Buffer = ''
  #isRead = false
  #isFinished = false
  #encoder: PartEncoder | null = null

  override _read() {
    if (this.#isRead) return
    this.#isRead = true
    if (this.#waiting.length > 0) this.push(this.#waiting)
    this.#waiting = ''
    if (this.#isFinished) this.#end()
  }

  /** Sends a part of the document. Node.js discards it when the response is closed. */
  send(text: string) {
    this.#put(this.#encoder ? this.#encoder.encode(text) : text)
  }

  /** Must be called before the stream is read. */
  encodeWith(start: Buffer, startLength: number, encoder: PartEncoder | null) {
    this.#encoder = encoder
    const text = String(this.#waiting)
    this.#waiting = start
    if (text.length > startLength) this.send(text.slice(startLength))
  }

  #put(part: string | Buffer) {
    if (this.#response) this.#response.write(part)
    else if (this.#isRead) this.push(part)
    else if (typeof part === 'string') this.#waiting += part
    else this.#waiting = Buffer.concat([Buffer.from(this.#waiting), part])
  }

  /** Ends the document. If no reader has requested its text yet, the end waits, too. */
  finish() {
    this.#isFinished = true
    if (this.#response || this.#isRead) this.#end()
  }

  #end() {
    this.#isFinished = false
    if (this.#encoder) this.#put(this.#encoder.end())
    this.push(null)
    // Without a reader, `end` follows only after a call of `read`.
    if (this.#response) this.read()
  }

  override pipe<Destination extends NodeJS.WritableStream>(
    destination: Destination,
    options?: { end?: boolean },
  ): Destination {
    const isUnread = !this.#isRead && this.readableFlowing === null
    if (!(destination instanceof ServerResponse) || options?.end === false || !isUnread)
      return super.pipe(destination, options)
    this.#response = destination
    // The response must not finish before this stream: Fastify takes that for a broken document.
    this.once('end', () => destination.end())
    destination.write(this.#waiting)
    this.#waiting = ''
    if (this.#isFinished) this.#end()
    return destination
  }
}
