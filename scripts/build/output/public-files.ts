import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import { contentHash } from '../esbuild/content-hash.ts'
import type { OutputFolder } from './output-folder.ts'

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
