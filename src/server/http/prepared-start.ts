// Streams that begin with a text which is the same for many responses. It is compressed once.

import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { remember } from '../util/bounded-cache.ts'
import { chooseEncoding, sendOwn, setEncoding } from './compression.ts'

const { constants } = zlib
/** Each part is a list of blocks of its own, so that parts can follow one another in any combination. */
const BLOCKS = { finishFlush: constants.Z_SYNC_FLUSH }
const START_LEVEL = 9
const LEVEL = 6
/** Up to this length, another thread would take longer. */
const MAX_SYNC_LENGTH = 32_768
/** https://www.rfc-editor.org/rfc/rfc1952#section-2.3 */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** The last block, which is empty. */
const LAST_BLOCK = [3, 0]
const UINT32 = 2 ** 32
const deflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflateRaw)

/** The text at the beginning of a response, and its form in a gzip member. */
export class PreparedStart {
  readonly text: string
  readonly length: number
  readonly crc: number
  #gzip: Buffer | null = null
  #compressing: Promise<Buffer> | null = null
  readonly #bytes: Buffer

  constructor(text: string) {
    this.text = text
    this.#bytes = Buffer.from(text)
    this.length = this.#bytes.length
    this.crc = zlib.crc32(this.#bytes)
  }

  /** Returns the beginning of a gzip member: its header, and the compressed text. */
  gzip(): Buffer | Promise<Buffer> {
    if (this.#gzip) return this.#gzip
    this.#compressing ??= this.#compress()
    return this.#compressing
  }

  async #compress(): Promise<Buffer> {
    this.#gzip = Buffer.concat([HEADER, await deflate(this.#bytes, { ...BLOCKS, level: START_LEVEL })])
    return this.#gzip
  }
}

const starts = new WeakMap<Readable, PreparedStart>()

/** Sends a stream whose first text is that of `start`. */
export function sendStarted(stream: Readable, start: PreparedStart, reply: FastifyReply) {
  starts.set(stream, start)
  sendOwn(stream, reply)
}

/**
 * Adds the hook that compresses what `sendStarted` sends, for clients that accept gzip. Call it after the site's hooks,
 * and before `addCompression`, which compresses it for other clients.
 */
export function addStartCompression(app: FastifyInstance, { compress }: { compress: boolean }) {
  if (!compress) return
  app.addHook('onSend', (request, reply, payload, done) => {
    const start = payload instanceof Readable ? starts.get(payload) : undefined
    if (!start || !(payload instanceof Readable) || !mayCompress(request, reply)) return done(null, payload)
    setEncoding('gzip', reply)
    const begin = (bytes: Buffer) => done(null, compressRest(payload, start, bytes))
    const bytes = start.gzip()
    if (Buffer.isBuffer(bytes)) begin(bytes)
    else bytes.then(begin, done)
  })
}

function mayCompress(request: FastifyRequest, reply: FastifyReply): boolean {
  return acceptsGzip(request.headers['accept-encoding']) && chooseEncoding(request, reply, Infinity) !== null
}

const MAX_KNOWN = 100
const known = new Map<string, boolean>()

function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  return known.get(header) ?? remember(known, MAX_KNOWN, header, negotiate(header))
}

function negotiate(header: string): boolean {
  return new Negotiator({ headers: { 'accept-encoding': header } }).encodings(['gzip']).length > 0
}

function compressRest(payload: Readable, start: PreparedStart, bytes: Buffer): Readable {
  return pipeline(payload, new GzipRest(start, bytes), () => {
    // The error also surfaces on the compressor.
  })
}

/** Writes a gzip member whose beginning is compressed already. */
class GzipRest extends Transform {
  #skipped: number
  #crc: number
  #length: number

  constructor({ length, crc }: PreparedStart, bytes: Buffer) {
    super()
    this.#skipped = length
    this.#crc = crc
    this.#length = length
    this.push(bytes)
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
    const part = chunk.subarray(this.#skipped)
    this.#skipped = Math.max(0, this.#skipped - chunk.length)
    if (part.length === 0) return done()
    this.#crc = zlib.crc32(part, this.#crc)
    this.#length = (this.#length + part.length) % UINT32
    const options = { ...BLOCKS, level: LEVEL }
    if (part.length <= MAX_SYNC_LENGTH) done(null, zlib.deflateRawSync(part, options))
    else zlib.deflateRaw(part, options, done)
  }

  override _flush(done: TransformCallback) {
    const end = Buffer.alloc(LAST_BLOCK.length + 8)
    end.set(LAST_BLOCK)
    end.writeUInt32LE(this.#crc, LAST_BLOCK.length)
    end.writeUInt32LE(this.#length, LAST_BLOCK.length + 4)
    done(null, end)
  }
}
