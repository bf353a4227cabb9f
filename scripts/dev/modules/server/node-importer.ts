import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findNodeSpecifier } from '../../../build/esbuild/node-specifier.ts'

/** Imports packages for the site from the place of a server bundle, so that Node.js finds the same ones. */
export interface NodeImporter {
  /** Resolves when `meta` is complete. */
  ready(): Promise<void>
  /** Imports a package or a module of Node.js. */
  importPackage(specifier: string): Promise<object>
  /** Requires a package or a module of Node.js. Works after `ready`. */
  requirePackage(specifier: string): unknown
  /** Returns the value of `import.meta` of a module with this path; null for a module without a file. */
  meta(file: string | null): object
}

/** The module through which Node.js imports packages. */
interface ImporterModule {
  importModule(specifier: string): Promise<object>
  require(specifier: string): unknown
  resolve(specifier: string): string
}

const IMPORTER = `import { createRequire } from 'node:module'
export const require = createRequire(import.meta.url)
export const importModule = (specifier) => import(specifier)
export const resolve = (specifier) => import.meta.resolve(specifier)
`

/**
 * @param bundle The path that the server bundle would have. Its folder exists.
 * @param base Returns the path that the site is mounted at.
 */
export function createNodeImporter(bundle: string, base: () => string): NodeImporter {
  const folder = dirname(bundle)
  const file = join(folder, 'import.mjs')
  writeFileSync(file, IMPORTER)
  let loaded: ImporterModule | null = null

  async function load(): Promise<ImporterModule> {
    // This module is written above.
    loaded ??= (await import(pathToFileURL(file).href)) as ImporterModule
    return loaded
  }

  return {
    async ready() {
      await load()
    },
    importPackage: async (specifier) => (await load()).importModule(findNodeSpecifier(specifier, folder)),
    requirePackage: (specifier) => loaded?.require(specifier),
    meta(file) {
      const { resolve } = loaded ?? {}
      if (file) return { url: pathToFileURL(file).href, dirname: dirname(file), filename: file, resolve }
      const url = pathToFileURL(bundle)
      url.searchParams.set('base', base())
      return { url: url.href, dirname: folder, filename: bundle, resolve }
    },
  }
}
