import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import { contentHash, type FileOnDisk } from '../esbuild/assets.ts'
import type { OutputFolder } from './output-folder.ts'
import type { ClientOutput } from './read-client-output.ts'

/** The sizes of each file, as it is and gzipped; equal when the file has no gzipped copy. */
export type ClientSizes = Map<string, { bytes: number; gzipBytes: number }>

/**
 * The number of files that are compressed at a time. zlib uses four threads; a higher number only needs more memory.
 */
const AT_A_TIME = 8

/** Writes the browser's files with their compressed copies, and their source maps. */
export async function writeClientFiles(client: ClientOutput, output: OutputFolder): Promise<ClientSizes> {
  const sizes: ClientSizes = new Map()
  await mapWithLimit(client.files, AT_A_TIME, async ([name, content]) => {
    const contents = await contentsOf(content)
    await output.write(`${BUILD_PATHS.client}/${name}`, contents)
    const compressed = await precompress(name, contents)
    for (const file of compressed) await output.write(`${BUILD_PATHS.client}/${file.name}`, file.contents)
    const zipped = compressed.find((file) => file.name.endsWith('.gz'))
    sizes.set(name, { bytes: contents.byteLength, gzipBytes: (zipped?.contents ?? contents).byteLength })
  })
  await mapWithLimit(client.maps, AT_A_TIME, ([name, contents]) =>
    output.write(`${BUILD_PATHS.clientMaps}/${name}.map`, contents),
  )
  return sizes
}

async function contentsOf(content: string | Uint8Array | FileOnDisk): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content)
  return 'path' in content ? await readFile(content.path) : content
}

const compressible = /\.(m?js|css|svg|txt|json|xml|html|ttf|otf|eot|ico|wasm)$/i
/** In files of this size or smaller, compression saves less than the headers of a request. */
const LEAST_BYTES = 512

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** A compressed copy of a file. */
interface CompressedFile {
  name: string
  contents: Uint8Array
}

/** Compresses a file at the highest levels. Leaves out a copy that is not smaller than the file. */
async function precompress(name: string, contents: Uint8Array): Promise<CompressedFile[]> {
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

/** Copies the files of public/ into the build. Returns the path and the content hash of each. */
export async function copyPublicFiles(
  siteDir: string,
  paths: readonly string[],
  output: Pick<OutputFolder, 'copy'>,
): Promise<string[]> {
  return await mapWithLimit(paths, FILES_AT_A_TIME, async (path) => {
    const source = join(siteDir, 'public', path)
    await output.copy(source, `${BUILD_PATHS.public}/${path}`)
    return `${path} ${contentHash(await readFile(source))}`
  })
}
