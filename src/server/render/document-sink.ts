import type { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { DocumentStream } from './document-stream.ts'

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
  /** True when React has written everything or has given up. */
  isEnded = false
  /** Null until `startStream`. */
  stream: DocumentStream | null = null
  /** The length of the text up to the end of React's last batch. */
  #wholeLength = 0
  #isScheduled = false
  /** True while text of `addSoon` waits for React's next batch. */
  #isWaiting = false
  #decoder: TextDecoder | null = null
  /** Null when the head has been written. */
  #completeHead: CompleteHead | null
  #transform: (part: string) => string
  #maxLength: number
  /** How many more characters may be written after the last part that was sent. */
  #left: number
  #onEnd: (broken?: { error: unknown }) => void

  /**
   * @param completeHead Returns the beginning of the document with the additions to its head; null if it gets none.
   * @param maxLength The greatest length in characters. A longer document is broken, by HYD_DOCUMENT_TOO_LONG.
   * @param onEnd Called when React has written everything, or has given up with an error. `close` has to follow.
   * @param transform Returns the text to send for a part of a document that streams (the same text).
   */
  constructor(
    completeHead: CompleteHead | null,
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
    if (this.#text.length > this.#left) {
      // A stream ends after a whole batch: a part of one may end within a script.
      if (this.stream) this.#text = this.#text.slice(0, this.#wholeLength)
      throw createHydrantError('HYD_DOCUMENT_TOO_LONG', [this.#maxLength])
    }
    return true
  }

  /** React calls this at the end of each batch. The text is sent a microtask later, as `end` may follow at once. */
  flush() {
    this.#wholeLength = this.#text.length
    if (!this.stream || this.#isScheduled) return
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
    if (!this.stream) this.#text = this.#withHead()
    this.isEnded = true
    this.#onEnd()
  }

  /** React gives up, and the document stays unfinished. */
  destroy(error?: unknown) {
    if (this.isEnded) return
    this.isEnded = true
    this.#tail = DOCUMENT_END
    this.#onEnd({ error })
  }

  /** Discards the text: the client has disconnected. */
  discard() {
    this.isEnded = true
    this.#text = ''
    this.stream?.destroy()
  }

  on() {
    // React adds listeners for drain, error and close. Drain never occurs. `DocumentRender` handles the other two.
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
    this.#wholeLength = this.#text.length
    if (!this.stream || this.#isWaiting) return
    this.#isWaiting = true
    setTimeout(() =>
      setImmediate(() => {
        this.#isWaiting = false
        this.#emit()
      }),
    )
  }

  /** The length of the document up to now, also of what has been sent, in characters. */
  get length(): number {
    return this.#maxLength - this.#left + this.#text.length + this.#tail.length
  }

  /** Ends the document. Returns its text, or an empty string if it streams. */
  close(): string {
    if (!this.stream) return this.#text + this.#tail
    this.#emit(this.#tail)
    this.stream.finish()
    return ''
  }

  /** Sends the collected text, and from now on each flush. */
  startStream(stream = new DocumentStream()): Readable {
    this.stream = stream
    this.#emit()
    return stream
  }

  /** @param end The end of the document, which follows what `transform` adds (none). */
  #emit(end = '') {
    if (this.#text + end === '') return
    this.#left -= this.#text.length
    this.stream?.send(this.#transform(this.#withHead()) + end)
    this.#text = ''
    this.#wholeLength = 0
  }

  // React writes the complete head in its first batch.
  #withHead(): string {
    if (this.#completeHead === null) return this.#text
    const completeHead = this.#completeHead
    this.#completeHead = null
    const at = findHeadEnd(this.#text)
    if (at === -1) {
      // React writes the doctype before `<html>`.
      if (this.#text !== '' && !/^<!DOCTYPE html>/i.test(this.#text)) completeHead(this.stream !== null, null)
      return this.#text
    }
    return completeHead(this.stream !== null, this.#text.slice(0, at)) + this.#text.slice(at)
  }
}

/**
 * Matches elements whose content a parser does not read as markup of the document, comments, and the ends of elements.
 */
const MARKS =
  /<(?:\/(head|template)(?=[\s/>])|(script|style|noscript|template|title|textarea|iframe|noembed|noframes|xmp)(?=[\s/>])|!--)/gi

/**
 * Returns the index of a document's `</head>`, or -1 if there is none. React escapes tags in text and attributes, but
 * not in inline scripts and styles, which may contain `</head>` as text.
 */
export function findHeadEnd(html: string): number {
  // perf: most documents have the same head as the one before, 50 ns instead of 500 ns, commit 267bd373
  if (html.slice(0, last.head.length) === last.head) return last.at
  const at = findEnd(html, 0, 'head')
  // `slice` of a new string makes a copy, which does not keep the whole document in memory.
  if (at !== -1) last = { head: ` ${html.slice(0, at)}${CLOSING}`.slice(1), at }
  return at
}

const CLOSING = '</head>'
/** The last head, with `</head>`. At first a text with which no document begins. */
let last = { head: CLOSING, at: -1 }

/** Calls back with the index of each comment that a parser finds outside of scripts, styles and templates. */
export function forEachComment(html: string, onComment: (at: number) => void) {
  findEnd(html, 0, null, onComment)
}

/** Returns the index of the element's end tag, or -1. With null it reads all of the text, and returns -1. */
function findEnd(
  html: string,
  start: number,
  element: 'head' | 'template' | null,
  onComment?: (at: number) => void,
): number {
  let at = start
  while (at !== -1) {
    MARKS.lastIndex = at
    const found = MARKS.exec(html)
    if (found === null) return -1
    const [mark, closed, opened] = found
    if (opened !== undefined) at = afterElement(html, found.index, opened.toLowerCase())
    else if (closed === undefined) {
      onComment?.(found.index)
      at = afterComment(html, found.index)
    } else if (closed.toLowerCase() === element) return found.index
    else at = found.index + mark.length
  }
  return -1
}

// `<!-->` and `<!--->` are complete comments.
function afterComment(html: string, start: number): number {
  const at = html.indexOf('-->', start + 2)
  return at === -1 ? -1 : at + 3
}

function afterElement(html: string, start: number, name: string): number {
  // React escapes `>` in attributes, so the first one ends the tag.
  const content = html.indexOf('>', start)
  if (content === -1) return -1
  const at =
    name === 'script'
      ? findScriptEnd(html, content)
      : name === 'template'
        ? findEnd(html, content, 'template')
        : findTextEnd(html, content, name)
  return at === -1 ? -1 : at + 1
}

function findTextEnd(html: string, content: number, name: string): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  closing.lastIndex = content
  return closing.exec(html)?.index ?? -1
}

/**
 * Returns the index of the end tag of a script. After `<!--`, a `<script>` in the script's text and its end tag belong
 * to that text (https://html.spec.whatwg.org/multipage/parsing.html#script-data-double-escaped-state).
 */
function findScriptEnd(html: string, content: number): number {
  const marks = /<!--|-->|<(\/?)script(?=[\s/>])/gi
  marks.lastIndex = content
  let state: 'plain' | 'escaped' | 'double' = 'plain'
  for (let found = marks.exec(html); found; found = marks.exec(html)) {
    const [mark, slash] = found
    if (mark === '<!--') {
      if (state === 'plain') state = 'escaped'
      // The dashes of `<!-->` also end the comment.
      marks.lastIndex = found.index + 2
    } else if (mark === '-->') state = 'plain'
    else if (slash === '/' && state !== 'double') return found.index
    else if (state !== 'plain') state = slash === '/' ? 'escaped' : 'double'
  }
  return -1
}
