import { promisify } from 'node:util'
import zlib from 'node:zlib'

export type Encoding = 'br' | 'gzip'

type Body = string | Buffer

/** Compresses whole bodies: in this thread (`sync`), or in another one (`aside`). */
export interface BodyCompressor {
  sync: Record<Encoding, (body: Body) => Buffer>
  aside: Record<Encoding, (body: Body) => Promise<Buffer>>
}

const { constants } = zlib
const brotliAside = promisify<Body, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const gzipAside = promisify<Body, zlib.ZlibOptions, Buffer>(zlib.gzip)

/** Returns zlib's parameters for a text of unknown length. */
export function brotliParams(quality: number) {
  return { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT }
}

/**
 * Creates the functions that compress bodies.
 *
 * @param quality The quality of Brotli, from 0 to 11.
 * @param level The level of gzip, from 0 to 9.
 */
export function createBodyCompressor(quality: number, level: number): BodyCompressor {
  const params = brotliParams(quality)
  const withLength = ({ length }: Body) => ({ params: { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: length } })
  return {
    sync: {
      br: (body) => zlib.brotliCompressSync(body, withLength(body)),
      gzip: (body) => zlib.gzipSync(body, { level }),
    },
    aside: {
      br: (body) => brotliAside(body, withLength(body)),
      gzip: (body) => gzipAside(body, { level }),
    },
  }
}
