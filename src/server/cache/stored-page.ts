import { createHash } from 'node:crypto'
import { createBodyCompressor, type Encoding, type PreparedBody } from '../http/compression.ts'
import { hashPolicy, mixedPolicy } from '../http/headers.ts'
import { CompressedPrefix } from '../http/send-started.ts'
import type { StoredResponse } from './shared/shared-store.ts'

/** A fresh response is served. A stale response is served too, while a new one is rendered. */
export type Freshness = 'fresh' | 'stale' | 'expired'

/**
 * Quality 9 makes pages 0.1 % smaller.
 *
 * perf: quality 9 would fill larger tables first, 0.15 ms instead of 2.7 ms for a page of 2 kB, decision 053
 */
const BROTLI_QUALITY = 8
const GZIP_LEVEL = 9
const compressor = createBodyCompressor(BROTLI_QUALITY, GZIP_LEVEL)
/**
 * The longest text, in bytes, that is compressed synchronously. For such a text, another thread saves 0.2 ms of the
 * event loop.
 *
 * perf: each thread would get new memory, 2 ms less CPU time when several pages are stored at the same time,
 * commit 047b185d
 */
const MAX_SYNC_BYTES = 16_384

/** How far ahead a response's time may be, in ms. Beyond that, the clock was set back and its age is unknown. */
const MAX_AHEAD_MS = 5_000

/** Returns the freshness of a response by its times. Its age is unknown, so it is expired, after a clock was set back. */
export function freshnessOf({ storedAt, freshMs, staleMs }: StoredResponse, now: number): Freshness {
  const age = now - storedAt
  if (age < -MAX_AHEAD_MS) return 'expired'
  if (age < freshMs) return 'fresh'
  return age < freshMs + staleMs ? 'stale' : 'expired'
}

/** The bytes that the objects of a stored page take, whatever they contain: 8.5 MB for 3,970 pages of 10 bytes (Node.js 20). */
const OBJECT_BYTES = 2_000

/** The body of a stored page in one encoding. */
export interface StoredBody extends PreparedBody {
  /** The strong ETag (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.3). */
  readonly etag: string
}

/** A response of the page cache with its encodings, each made once. */
export class StoredPage {
  /** The route of the page: `/products/[id]`. */
  readonly route: string
  readonly response: StoredResponse
  /** Identifies the text. */
  readonly hash: string
  /** Headers that are the same for every visitor; null until they are first needed. */
  documentHeaders: DocumentHeaders | null = null
  #shell: StoredShell | null = null
  /** The text in UTF-8. */
  readonly bytes: Buffer
  #encoded: Partial<Record<Encoding, Buffer>> = {}
  #encoding: Partial<Record<Encoding, Promise<Buffer>>> = {}
  readonly #plain: StoredBody
  #compressed: Partial<Record<Encoding, StoredBody>> = {}
  #onGrow: () => void
  /** The bytes that the page takes in addition to its bodies. */
  #more: number

  /** @param onGrow Called when the page takes more memory. */
  constructor(route: string, response: StoredResponse, onGrow: () => void) {
    this.route = route
    this.response = response
    this.#onGrow = onGrow
    const { rest, headers, tags } = response
    this.#more = OBJECT_BYTES + JSON.stringify([rest, headers, tags]).length * 2
    this.bytes = Buffer.from(response.body)
    this.hash = createHash('sha256').update(this.bytes).digest('base64url')
    this.#plain = this.#createBody(null)
  }

  get text(): string {
    return this.response.body
  }

  /** The memory that the page takes, in bytes, without the objects around it. */
  get size(): number {
    const { br, gzip } = this.#encoded
    // V8 stores a text with characters beyond Latin-1 in two bytes each.
    return this.text.length * 2 + this.bytes.length + (br?.length ?? 0) + (gzip?.length ?? 0) + this.#more
  }

  /** The parts that all responses with the stored shell share. They are created for the first response. */
  get shell(): StoredShell {
    const { headers, scripts } = this.response
    this.#shell ??= {
      start: new CompressedPrefix(this, (length) => this.#grow(length)),
      headers,
      policy: mixedPolicy(scripts, PLACEHOLDER).split(PLACEHOLDER),
    }
    return this.#shell
  }

  /** Counts memory that is kept for the page besides its bodies, in bytes. */
  #grow(bytes: number) {
    this.#more += bytes
    this.#onGrow()
  }

  freshnessAt(now: number): Freshness {
    return this.response.isPermanent ? 'fresh' : freshnessOf(this.response, now)
  }

  /** Returns the body in an encoding (null: not compressed). */
  bodyIn(encoding: Encoding | null): StoredBody {
    if (encoding === null) return this.#plain
    this.#compressed[encoding] ??= this.#createBody(encoding)
    return this.#compressed[encoding]
  }

  #createBody(encoding: Encoding | null): StoredBody {
    return {
      encoding,
      text: this.text,
      etag: encoding === null ? `"${this.hash}"` : `"${this.hash}-${encoding}"`,
      bytes: () => (encoding === null ? this.bytes : (this.#encoded[encoding] ?? this.#encode(encoding))),
    }
  }

  #encode(encoding: Encoding): Buffer | Promise<Buffer> {
    if (this.bytes.length <= MAX_SYNC_BYTES) return this.#keep(encoding, compressor.sync[encoding](this.bytes))
    this.#encoding[encoding] ??= compressor.aside[encoding](this.bytes).then((bytes) => this.#keep(encoding, bytes))
    return this.#encoding[encoding]
  }

  #keep(encoding: Encoding, bytes: Buffer): Buffer {
    this.#encoded[encoding] = bytes
    this.#onGrow()
    return bytes
  }
}

const PLACEHOLDER = '*'

/** The parts that all responses with the same stored shell share. */
export interface StoredShell {
  start: CompressedPrefix
  /** The content type. */
  headers: readonly (readonly [name: string, value: string])[]
  /** The policy, without the nonces between its parts. */
  policy: readonly string[]
}

/** Values of headers of a stored document. They are the same for every visitor. */
export interface DocumentHeaders {
  policy: string
  cacheControl: string
  /** The tags for shared caches; null without any. */
  tags: string | null
}

const S = 1_000
const SEPARATORS = { 'cache-tag': ',', 'surrogate-key': ' ' }

export function createDocumentHeaders(
  { scripts, freshMs, staleMs, tags }: StoredResponse,
  tagHeader: keyof typeof SEPARATORS,
): DocumentHeaders {
  const stale = staleMs > 0 ? `, stale-while-revalidate=${Math.floor(staleMs / S)}` : ''
  return {
    policy: hashPolicy(scripts),
    cacheControl: `public, max-age=0, s-maxage=${Math.floor(freshMs / S)}${stale}`,
    tags: tags.length > 0 ? tags.join(SEPARATORS[tagHeader]) : null,
  }
}
