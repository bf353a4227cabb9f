// Streams that begin with a text which is the same for many responses. This text is compressed once.

import { type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { chooseEncoding, readAccepted, sendOwn, setEncoding } from './compression.ts'

interface Started {
  start: CompressedPrefix
  stream: EncodedStream
}

const STARTED = Symbol('started')

/** perf: a property of the reply, 0.5 µs less than an entry in a `WeakMap`, decision 053 */
interface StartedReply extends FastifyReply {
  [STARTED]?: Started
}

/** Sends a stream whose first text is that of `start`. */
export function sendStarted(stream: EncodedStream, start: CompressedPrefix, reply: StartedReply) {
  reply[STARTED] = { start, stream }
  sendOwn(stream, reply)
}

/**
 * Adds the hook that sends the streams of `sendStarted`, with gzip for clients that accept it. Call it after the
 * site's hooks are added, and before `addCompression`, which compresses the streams for other clients.
 */
export function addShellStreaming(app: FastifyInstance, { compress }: { compress: boolean }) {
  app.addHook('onSend', (request, reply: StartedReply, payload, done) => {
    const started = reply[STARTED]
    // A hook may have replaced the stream.
    if (started === undefined || payload !== started.stream) return done(null, payload)
    const { start, stream } = started
    function send() {
      let isSent: boolean
      try {
        isSent = sendRaw(stream, reply)
      } catch (error) {
        // Node.js refuses a header that a hook has set.
        return done(error as Error)
      }
      if (!isSent) done(null, stream)
    }
    if (!compress || chooseEncoding(request, reply, Infinity) === null) {
      stream.encodeWith(start.bytes, start.text.length, null)
      return send()
    }
    if (!readAccepted(request.headers['accept-encoding'] ?? '').acceptsGzip) return done(null, stream)
    function sendEncoded(bytes: Buffer) {
      setEncoding('gzip', reply)
      stream.encodeWith(bytes, start.text.length, new GzipParts(start))
      send()
    }
    const bytes = start.gzip()
    if (Buffer.isBuffer(bytes)) sendEncoded(bytes)
    else bytes.then(sendEncoded, done)
  })
}

/**
 * Sends a stream without Fastify. Returns false for a response that only Fastify can send. The stream reports no
 * errors, and its owner notices when the visitor leaves.
 *
 * perf: Fastify would set each header and watch the response and the stream before the first byte, 0.93 of the CPU time
 * of a response, commit 8d8d4fde
 */
function sendRaw(stream: EncodedStream, reply: FastifyReply): boolean {
  const { raw } = reply
  if (!(raw instanceof ServerResponse) || raw.headersSent || mayHaveTrailers(reply)) return false
  // The type of Fastify's headers also includes headers of requests.
  raw.writeHead(raw.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  reply.hijack()
  // Node.js would write the first part after all that follows in this turn.
  raw.cork()
  stream.pipe(raw)
  raw.uncork()
  return true
}

let trailers: symbol | undefined

/** Returns whether a hook has added a trailer. Fastify's `hasTrailer` needs the name of the trailer. */
function mayHaveTrailers(reply: FastifyReply): boolean {
  if (trailers === undefined || !Object.hasOwn(reply, trailers))
    trailers = Object.getOwnPropertySymbols(reply).find(({ description }) => description === 'fastify.reply.trailers')
  return trailers === undefined || Reflect.get(reply, trailers) !== null
}

const { constants } = zlib
/** Each part consists of complete blocks, so that parts can follow one another in any combination. */
const BLOCKS = { finishFlush: constants.Z_SYNC_FLUSH }
const START_LEVEL = 9
const LEVEL = 6
/** A longer part is compressed less, so that other requests do not wait. */
const LARGE = 32_768
/** https://www.rfc-editor.org/rfc/rfc1952#section-2.3 */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** The last block, which is empty. */
const LAST_BLOCK = [3, 0]
const UINT32 = 2 ** 32
const deflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflateRaw)

/** The text at the beginning of a response, and its form in a gzip member. */
export class CompressedPrefix {
  readonly text: string
  readonly length: number
  readonly crc: number
  #gzip: Buffer | null = null
  #compressing: Promise<Buffer> | null = null
  /** The text in UTF-8. */
  readonly bytes: Buffer
  readonly #onCompressed: (length: number) => void

  /** @param onCompressed Called once with the number of bytes of the compressed text. */
  constructor({ text, bytes }: { text: string; bytes: Buffer }, onCompressed: (length: number) => void) {
    this.text = text
    this.bytes = bytes
    this.length = bytes.length
    this.crc = zlib.crc32(bytes)
    this.#onCompressed = onCompressed
  }

  /** Returns the beginning of a gzip member: its header, and the compressed text. */
  gzip(): Buffer | Promise<Buffer> {
    if (this.#gzip) return this.#gzip
    this.#compressing ??= this.#compress()
    return this.#compressing
  }

  async #compress(): Promise<Buffer> {
    this.#gzip = Buffer.concat([HEADER, await deflate(this.bytes, { ...BLOCKS, level: START_LEVEL })])
    this.#onCompressed(this.#gzip.length)
    return this.#gzip
  }
}

/** Encodes the parts of a response, one after another. */
export interface PartEncoder {
  encode(text: string): Buffer
  /** Returns the last bytes. */
  end(): Buffer
}

/** A stream of text that can be encoded before it is read. */
export interface EncodedStream extends Readable {
  /**
   * Encodes the text.
   *
   * @param start Replaces the first text.
   * @param startLength The length of that text.
   * @param encoder Encodes what follows; null for UTF-8.
   */
  encodeWith(start: Buffer, startLength: number, encoder: PartEncoder | null): void
}

/** Writes a gzip member whose beginning is compressed already. */
class GzipParts implements PartEncoder {
  #crc: number
  #length: number

  constructor({ length, crc }: CompressedPrefix) {
    this.#crc = crc
    this.#length = length
  }

  encode(text: string): Buffer {
    const part = Buffer.from(text)
    this.#crc = zlib.crc32(part, this.#crc)
    this.#length = (this.#length + part.length) % UINT32
    return zlib.deflateRawSync(part, { ...BLOCKS, level: part.length > LARGE ? 1 : LEVEL })
  }

  end(): Buffer {
    const end = Buffer.alloc(LAST_BLOCK.length + 8)
    end.set(LAST_BLOCK)
    end.writeUInt32LE(this.#crc, LAST_BLOCK.length)
    end.writeUInt32LE(this.#length, LAST_BLOCK.length + 4)
    return end
  }
}
