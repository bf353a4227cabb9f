import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

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
export class PreparedStart {
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
export class GzipParts implements PartEncoder {
  #crc: number
  #length: number

  constructor({ length, crc }: PreparedStart) {
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
