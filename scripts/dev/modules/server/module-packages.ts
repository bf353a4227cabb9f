import { writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createNameError } from '../../../build/bundles/check-imports.ts'
import { findNodeSpecifier } from '../../../build/esbuild/node-specifier.ts'
import { type Chain, type ModuleInstance, namespaceOf } from './module-instances.ts'

/** The packages and modules of Node.js that the site's modules import. */
export type ModulePackages = ReturnType<typeof createModulePackages>

export function createModulePackages(
  importPackage: (specifier: string) => Promise<object>,
  requirePackage: (specifier: string) => unknown,
) {
  const prepared = new Map<string, object>()
  return {
    import: importPackage,
    require: requirePackage,
    /** Imports packages, one after another, so that `get` has them. */
    async prepare(specifiers: Iterable<string>) {
      for (const specifier of specifiers) {
        if (!prepared.has(specifier)) prepared.set(specifier, await importPackage(specifier))
      }
    },
    /** Returns the namespace of a prepared package. */
    get: (specifier: string): object => prepared.get(specifier) ?? {},
  }
}

/** Throws Hydrant's error for a name that Hydrant or Node.js does not export, and that of Node.js for others. */
function requireNames(specifier: string, names: readonly string[], namespace: object): void {
  const missing = names.find((name) => !(name in namespace))
  if (missing === undefined) return
  if (!/^hydrant(?:\/|$)/.test(specifier) && !isBuiltin(specifier))
    throw new SyntaxError(describeMissing(specifier, missing, namespace))
  throw createNameError(specifier, missing, Object.keys(namespace))
}

function describeMissing(specifier: string, name: string, namespace: object): string {
  const value: unknown = Reflect.get(namespace, 'default')
  if (typeof value !== 'object' || value === null || !(name in value)) {
    return `The requested module '${specifier}' does not provide an export named '${name}'`
  }
  return (
    `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, which may not ` +
    `support all module.exports as named exports. Import its default export, and take the name from it.`
  )
}

export interface Linker {
  evaluate(id: string, chain: Chain): ModuleInstance
  /** Evaluates a module as a chain of its own. */
  importModule(id: string): Promise<ModuleInstance>
  packages: ModulePackages
}

export function linkModule({ compiled, chain }: ModuleInstance, { evaluate, importModule, packages }: Linker) {
  const { find, names } = compiled
  return {
    /** Returns the namespace of a static import. */
    importNow(specifier: string) {
      const target = find(specifier)
      if ('id' in target) return evaluate(target.id, chain).module.exports
      const found = packages.get(target.package)
      requireNames(specifier, names.get(specifier) ?? [], found)
      return found
    },
    requireOfSource(specifier: string) {
      const target = find(specifier)
      if ('package' in target) return packages.require(target.package)
      return evaluate(target.id, chain).module.exports
    },
    /** Replaces `import()` in the source. */
    async importLater(specifier: unknown) {
      const target = find(String(specifier))
      return 'id' in target ? namespaceOf(await importModule(target.id)) : await packages.import(target.package)
    },
  }
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

/** `bundle` is the path that the server bundle would have. Its folder exists. */
export function createNodeImporter(bundle: string, base: () => string) {
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
    /** Resolves when `meta` is complete. */
    async ready() {
      await load()
    },
    importPackage: async (specifier: string) => (await load()).importModule(findNodeSpecifier(specifier, folder)),
    /** Requires a package or a module of Node.js. Works after `ready`. */
    requirePackage: (specifier: string) => loaded?.require(specifier),
    /** Returns the value of `import.meta` of a module with this path; null for a module without a file. */
    meta(file: string | null) {
      const { resolve } = loaded ?? {}
      if (file) return { url: pathToFileURL(file).href, dirname: dirname(file), filename: file, resolve }
      const url = pathToFileURL(bundle)
      url.searchParams.set('base', base())
      return { url: url.href, dirname: folder, filename: bundle, resolve }
    },
  }
}
