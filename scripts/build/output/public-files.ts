import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { contentHash } from '../esbuild/content-hash.ts'
import { mapWithLimit } from './map-with-limit.ts'
import type { OutputFolder } from './output-folder.ts'

/** The number of files that are copied at a time. */
const AT_A_TIME = 16

export interface PublicFiles {
  /** Copies the files of public/ into the build. Returns the path and the content hash of each. */
  write(paths: readonly string[], output: Pick<OutputFolder, 'copy' | 'keep'>): Promise<string[]>
}

export function createPublicFiles(siteDir: string): PublicFiles {
  const copied = new Map<string, { stamp: string; hash: string }>()

  async function writeFile(path: string, output: Pick<OutputFolder, 'copy' | 'keep'>): Promise<string> {
    const source = join(siteDir, 'public', path)
    const name = `${BUILD_PATHS.public}/${path}`
    const { size, mtimeMs } = await stat(source)
    const stamp = `${size} ${mtimeMs}`
    const previous = copied.get(path)
    if (previous?.stamp === stamp) {
      // The build that hashed the file may have failed before its commit: then there is no earlier copy.
      await output.keep(name).catch(() => output.copy(source, name))
      return `${path} ${previous.hash}`
    }
    await output.copy(source, name)
    const hash = contentHash(await readFile(source))
    copied.set(path, { stamp, hash })
    return `${path} ${hash}`
  }

  return {
    write: (paths, output) => mapWithLimit(paths, AT_A_TIME, (path) => writeFile(path, output)),
  }
}
