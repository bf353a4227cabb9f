import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import type { Loader, OnResolveArgs, OnResolveResult, PluginBuild, ResolveOptions, ResolveResult } from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'

type ResolvedFile = Pick<ResolveResult, 'path' | 'namespace' | 'external' | 'errors'>

/** Resolves an import with an extension. For a relative path, `build.resolve` would take milliseconds. */
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
    if (isFile) return { path: realpathSync(file), namespace: 'file', external: false, errors: [] }
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

/** Returns the loader that reads a script of a site, by its path. JSX is allowed in any JavaScript. */
export function loaderOf(path: string): Loader {
  const extension = extname(path)
  if (extension === '.tsx') return 'tsx'
  return /^\.[cm]?ts$/.test(extension) ? 'ts' : 'jsx'
}

/** Returns whether a file belongs to an installed package. */
export function isInstalled(path: string): boolean {
  return /(?:^|[\\/])node_modules[\\/]/.test(path)
}

/** Returns a folder and those above it, the innermost first. */
export function foldersFrom(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersFrom(above)]
}

/** Returns the content of the `package.json` that Node.js finds for the files of a folder; empty without one. */
export function readPackage(folder: string): Record<string, unknown> {
  const file = foldersFrom(folder)
    .map((parent) => join(parent, 'package.json'))
    .find(existsSync)
  if (file === undefined) return {}
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return { ...Object(content) }
  } catch (error) {
    // esbuild reports it, with the place.
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
