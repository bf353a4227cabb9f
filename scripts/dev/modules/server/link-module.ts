import { type Chain, type ModuleInstance, namespaceOf } from './module-instances.ts'
import { type ModulePackages, requireNames } from './module-packages.ts'

/** The functions through which the code of a module imports others. */
export interface ModuleLinks {
  /** Returns the namespace of a static import. */
  importNow(specifier: string): unknown
  /** Replaces `require` in the source. */
  requireOfSource(specifier: string): unknown
  /** Replaces `import()` in the source. */
  importLater(specifier: unknown): Promise<unknown>
}

export interface Linker {
  /** Evaluates a module as a part of a chain. */
  evaluate(id: string, chain: Chain): ModuleInstance
  /** Evaluates a module as a chain of its own. */
  importModule(id: string): Promise<ModuleInstance>
  packages: ModulePackages
}

export function linkModule(
  { compiled, chain }: ModuleInstance,
  { evaluate, importModule, packages }: Linker,
): ModuleLinks {
  const { find, names } = compiled
  return {
    importNow(specifier) {
      const target = find(specifier)
      if ('id' in target) return evaluate(target.id, chain).module.exports
      const found = packages.get(target.package)
      requireNames(specifier, names.get(specifier) ?? [], found)
      return found
    },
    requireOfSource(specifier) {
      const target = find(specifier)
      if ('package' in target) return packages.require(target.package)
      return evaluate(target.id, chain).module.exports
    },
    async importLater(specifier) {
      const target = find(String(specifier))
      return 'id' in target ? namespaceOf(await importModule(target.id)) : await packages.import(target.package)
    },
  }
}
