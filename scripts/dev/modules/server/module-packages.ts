import { isBuiltin } from 'node:module'
import { createNameError } from '../../../build/bundles/import-names.ts'

/** The packages and modules of Node.js that the site's modules import. */
export interface ModulePackages {
  /** Imports a package, as the site's server bundle does. */
  import(specifier: string): Promise<object>
  /** Requires a package, as the site's server bundle does. */
  require(specifier: string): unknown
  /** Imports packages, one after another, so that `get` has them. */
  prepare(specifiers: Iterable<string>): Promise<void>
  /** Returns the namespace of a prepared package. */
  get(specifier: string): object
}

export function createModulePackages(
  importPackage: (specifier: string) => Promise<object>,
  requirePackage: (specifier: string) => unknown,
): ModulePackages {
  const prepared = new Map<string, object>()
  return {
    import: importPackage,
    require: requirePackage,
    async prepare(specifiers) {
      for (const specifier of specifiers) {
        if (!prepared.has(specifier)) prepared.set(specifier, await importPackage(specifier))
      }
    },
    get: (specifier) => prepared.get(specifier) ?? {},
  }
}

/**
 * Throws an error for an import of a name that a package does not export: Hydrant's own for a module of Hydrant or
 * Node.js, and that of Node.js for others.
 */
export function requireNames(specifier: string, names: readonly string[], namespace: object): void {
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
