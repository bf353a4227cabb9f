import { readFile } from 'node:fs/promises'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { mapWithLimit } from '../../map-with-limit.ts'
import type { FileOnDisk } from '../esbuild/assets.ts'
import type { OutputFolder } from './output-folder.ts'
import { precompress } from './precompress.ts'
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
