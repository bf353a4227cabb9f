import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { contentHash } from '../esbuild/content-hash.ts'
import type { OutputFolder } from './output-folder.ts'

export interface PublicFiles {
  /** Brings public/ into the build and returns each file's path with a hash of what it holds. */
  write(paths: readonly string[], output: OutputFolder): Promise<string[]>
}

export function createPublicFiles(siteDir: string): PublicFiles {
  const last = new Map<string, { stamp: string; hash: string }>()

  async function writeFile(path: string, output: OutputFolder): Promise<string> {
    const source = join(siteDir, 'public', path)
    const name = `${BUILD_PATHS.public}/${path}`
    const { size, mtimeMs } = await stat(source)
    const stamp = `${size} ${mtimeMs}`
    const known = last.get(path)
    if (known?.stamp === stamp) {
      // The build that it was copied for may have failed later on.
      await output.keep(name).catch(() => output.copy(source, name))
      return `${path} ${known.hash}`
    }
    await output.copy(source, name)
    const hash = contentHash(await readFile(source))
    last.set(path, { stamp, hash })
    return `${path} ${hash}`
  }

  return {
    async write(paths, output) {
      const written: string[] = []
      for (let index = 0; index < paths.length; index += 16) {
        const some = paths.slice(index, index + 16)
        written.push(...(await Promise.all(some.map((path) => writeFile(path, output)))))
      }
      return written
    },
  }
}
