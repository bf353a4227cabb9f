import { types } from 'node:util'
import type { RunnableModule } from './runnable-module.ts'

/** A module that has been evaluated, or is being evaluated. */
export interface ModuleInstance {
  compiled: RunnableModule
  module: { exports: unknown }
  chain: Chain
  /** Settles after the evaluation; null when it has ended, and for a module that is evaluated without waiting. */
  pending: Promise<void> | null
}

/** The evaluation of an imported module and of everything that it imports. */
export interface Chain {
  loaded: Map<string, RunnableModule>
  /** Whether a module of the chain may have to wait. */
  isAsync: boolean
  /** The instances of a chain that began before a module was invalidated. Nothing else uses them. */
  own: Map<string, ModuleInstance>
  generation: number
  /** The chain that evaluates the module that this chain waits for. */
  waitsFor: Chain | null
  /** The module whose top-level await is not settled. */
  awaited: string | null
}

/** The instances of the site's modules: one of each, until it is invalidated. */
export interface ModuleInstances {
  createChain(): Chain
  /** Returns the instance of a module that an import in the chain gets. */
  find(id: string, chain: Chain): ModuleInstance | undefined
  add(compiled: RunnableModule, chain: Chain): ModuleInstance
  /** Makes the next import evaluate the module again, because the evaluation has failed. */
  remove(instance: ModuleInstance): void
  /** Forgets modules. The chains that have begun do not make them known again. */
  invalidate(ids: Iterable<string>): void
  /** Forgets all modules. */
  clear(): void
  /** Returns whether a value is the namespace of an ES module, of the site or of a package. */
  isNamespace(value: unknown): boolean
}

export function createModuleInstances(): ModuleInstances {
  const current = new Map<string, ModuleInstance>()
  const namespaces = new WeakSet<object>()
  let generation = 0

  return {
    createChain: () => ({
      loaded: new Map(),
      isAsync: false,
      own: new Map(),
      generation,
      waitsFor: null,
      awaited: null,
    }),
    find: (id, { own }) => own.get(id) ?? current.get(id),
    add(compiled, chain) {
      const module = { exports: {} }
      if (!compiled.isCommonJs) namespaces.add(module.exports)
      const instance: ModuleInstance = { compiled, module, chain, pending: null }
      const store = chain.generation === generation ? current : chain.own
      store.set(compiled.id, instance)
      return instance
    },
    remove(instance) {
      const { id } = instance.compiled
      for (const store of [current, instance.chain.own]) if (store.get(id) === instance) store.delete(id)
    },
    invalidate(ids) {
      generation++
      for (const id of ids) current.delete(id)
    },
    clear() {
      generation++
      current.clear()
    },
    isNamespace: (value) =>
      typeof value === 'object' && value !== null && (namespaces.has(value) || types.isModuleNamespaceObject(value)),
  }
}

/** Returns the namespace that importers see, as Node.js does: the default export of CommonJS is `module.exports`. */
export function namespaceOf({ module: { exports }, compiled }: ModuleInstance): Record<string, unknown> {
  // The object that an ES module fills.
  if (!compiled.isCommonJs) return exports as Record<string, unknown>
  return { ...Object(exports), default: exports }
}
