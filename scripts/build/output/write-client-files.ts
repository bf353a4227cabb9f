import type { Mode } from '../../../src/server/build-output/manifest.ts'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import type { OutputFolder } from './output-folder.ts'
import { precompress } from './precompress.ts'
import type { ClientOutput } from './read-client-output.ts'

/** Bytes as they are and as a browser gets them, gzipped; the same where nothing was compressed. */
export type ClientSizes = Map<string, { bytes: number; gzipBytes: number }>

/** zlib and the file system work in four threads; more at a time would only hold more memory. */
const AT_A_TIME = 8

export async function writeClientFiles(client: ClientOutput, output: OutputFolder, mode: Mode): Promise<ClientSizes> {
  const sizes: ClientSizes = new Map()
  await forEach(client.files, async ([name, content]) => {
    const contents = typeof content === 'string' ? Buffer.from(content) : content
    await output.write(`${BUILD_PATHS.client}/${name}`, contents)
    const compressed = mode === 'production' ? await precompress(name, contents) : []
    for (const file of compressed) await output.write(`${BUILD_PATHS.client}/${file.name}`, file.contents)
    const zipped = compressed.find((file) => file.name.endsWith('.gz'))
    sizes.set(name, { bytes: contents.byteLength, gzipBytes: (zipped?.contents ?? contents).byteLength })
  })
  await forEach(client.maps, ([name, contents]) => output.write(`${BUILD_PATHS.clientMaps}/${name}.map`, contents))
  return sizes
}

async function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  // All workers take from the one iterator.
  const queue = [...items].values()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
}
