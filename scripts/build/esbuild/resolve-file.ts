import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { OnResolveArgs, OnResolveResult, PluginBuild, ResolveOptions, ResolveResult } from 'esbuild'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'

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

/** Resolves an import with a query to a module of a namespace. The module has the path of the file in the site. */
export async function resolveQuery(
  build: PluginBuild,
  { path, importer, namespace, kind, resolveDir }: OnResolveArgs,
  to: { siteDir: string; namespace: string },
): Promise<OnResolveResult> {
  const found = await resolveFile(build, path.slice(0, path.lastIndexOf('?')), {
    importer,
    namespace,
    kind,
    resolveDir,
  })
  if (found.errors.length > 0) return { errors: found.errors }
  return { path: toSitePath(to.siteDir, found.path), namespace: to.namespace, sideEffects: false }
}
