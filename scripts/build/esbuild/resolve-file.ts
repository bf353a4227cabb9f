import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginBuild, ResolveOptions, ResolveResult } from 'esbuild'

type Found = Pick<ResolveResult, 'path' | 'namespace' | 'external' | 'errors'>

/**
 * Resolves an import with an extension. esbuild sets up a new resolver for each question of a plugin and reads the
 * folders again, which takes milliseconds, so what a relative path says by itself it is not asked.
 */
export async function resolveFile(
  build: PluginBuild,
  path: string,
  options: ResolveOptions & { resolveDir: string },
): Promise<Found> {
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
