import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressible = /\.(m?js|css|svg|txt|json|xml|html|ttf|otf|eot|ico|wasm)$/i
/** In files of this size or smaller, compression saves less than the headers of a request. */
const LEAST_BYTES = 512

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** A compressed copy of a file. */
export interface CompressedFile {
  name: string
  contents: Uint8Array
}

/** Compresses a file at the highest levels. Leaves out a copy that is not smaller than the file. */
export async function precompress(name: string, contents: Uint8Array): Promise<CompressedFile[]> {
  if (!compressible.test(name) || contents.byteLength <= LEAST_BYTES) return []
  const [brotli, zipped] = await Promise.all([
    toBrotli(contents, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: contents.byteLength,
      },
    }),
    toGzip(contents, { level: 9 }),
  ])
  return [
    { name: `${name}.br`, contents: brotli },
    { name: `${name}.gz`, contents: zipped },
  ].filter((file) => file.contents.byteLength < contents.byteLength)
}
