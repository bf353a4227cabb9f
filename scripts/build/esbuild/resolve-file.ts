import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginBuild, ResolveOptions, ResolveResult } from 'esbuild'

type ResolvedFile = Pick<ResolveResult, 'path' | 'namespace' | 'external' | 'errors'>

/**
 * Resolves an import with an extension. Relative paths are resolved here: for each `build.resolve`, esbuild creates a
 * resolver and reads the folders again, which takes milliseconds.
 */
export async function resolveFile(
  build: PluginBuild,
  path: string,
  options: ResolveOptions & { resolveDir: string },
): Promise<ResolvedFile> {
  if (/^\.\.?\//.test(path)) {
    const file = join(options.resolveDir, path)
    const isFile = await stat(file).then(
      (stats) => stats.isFile(),
      () => false,
    )
    if (isFile) return { path: await realpath(file), namespace: 'file', external: false, errors: [] }
  }
  return await build.resolve(path, options)
}
