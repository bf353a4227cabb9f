import { types } from 'node:util'
import { Script } from 'node:vm'
import type { ImportedModule } from '../site-graph.ts'

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
export type ModuleInstances = ReturnType<typeof createModuleInstances>

export function createModuleInstances() {
  const current = new Map<string, ModuleInstance>()
  const namespaces = new WeakSet<object>()
  let generation = 0

  return {
    createChain: (): Chain => ({
      loaded: new Map(),
      isAsync: false,
      own: new Map(),
      generation,
      waitsFor: null,
      awaited: null,
    }),
    /** Returns the instance of a module that an import in the chain gets. */
    find: (id: string, { own }: Chain): ModuleInstance | undefined => own.get(id) ?? current.get(id),
    add(compiled: RunnableModule, chain: Chain): ModuleInstance {
      const module = { exports: {} }
      if (!compiled.isCommonJs) namespaces.add(module.exports)
      const instance: ModuleInstance = { compiled, module, chain, pending: null }
      const store = chain.generation === generation ? current : chain.own
      store.set(compiled.id, instance)
      return instance
    },
    /** Makes the next import evaluate the module again, because the evaluation has failed. */
    remove(instance: ModuleInstance) {
      const { id } = instance.compiled
      for (const store of [current, instance.chain.own]) if (store.get(id) === instance) store.delete(id)
    },
    /** Forgets modules. The chains that have begun do not make them known again. */
    invalidate(ids: Iterable<string>) {
      generation++
      for (const id of ids) current.delete(id)
    },
    /** Forgets all modules. */
    clear() {
      generation++
      current.clear()
    },
    /** Returns whether a value is the namespace of an ES module, of the site or of a package. */
    isNamespace: (value: unknown) =>
      typeof value === 'object' && value !== null && (namespaces.has(value) || types.isModuleNamespaceObject(value)),
  }
}

/** Returns the namespace that importers see, as Node.js does: the default export of CommonJS is `module.exports`. */
export function namespaceOf({ module: { exports }, compiled }: ModuleInstance): Record<string, unknown> {
  // The object that an ES module fills.
  if (!compiled.isCommonJs) return exports as Record<string, unknown>
  return { ...Object(exports), default: exports }
}

/** A module of the server that can be evaluated, see compile-server-module.ts. */
export interface RunnableModule {
  id: string
  /** The path that stack traces show. */
  path: string
  code: string
  /** The specifiers of the module's static imports, in order. */
  imports: readonly string[]
  requires: readonly string[]
  /** The names that the module imports, by specifier. */
  names: ReadonlyMap<string, readonly string[]>
  /** Whether the module is CommonJS. Then `module.exports` is the default export. */
  isCommonJs: boolean
  /** Whether the module has a top-level await. */
  isAsync: boolean
  /** Returns the module of the site that a specifier leads to, or a package, or a module of Node.js, after aliases. */
  find(specifier: string): ImportedModule
}

/** Returns the ids of the modules of the site that some specifiers of a module lead to. */
export function idsOf({ find }: RunnableModule, specifiers: readonly string[]): string[] {
  return specifiers.flatMap((specifier) => {
    const target = find(specifier)
    return 'id' in target ? [target.id] : []
  })
}

/** The names of the parameters besides `module`, `exports` and `require`, which compiled code uses for static imports. */
export const MODULE_PARAMETERS = {
  require: 'hydrantRequire',
  meta: 'hydrantMeta',
  /** Has as many characters as `import`, so columns stay. */
  dynamicImport: '$mport',
  /** Returns whether a value is the namespace of an ES module. */
  isNamespace: 'hydrantIsNamespace',
} as const

type Require = (specifier: string) => unknown

/** The code of a module as a function. It returns a promise if the module has a top-level await. */
export type ModuleFunction = (
  module: { exports: unknown },
  exports: unknown,
  require: Require,
  hydrantRequire: Require,
  hydrantMeta: object,
  dynamicImport: (specifier: unknown) => Promise<unknown>,
  isNamespace: (value: unknown) => boolean,
) => unknown

/** Makes a function of a module's compiled code. Throws for a syntax error. */
export function createModuleFunction({ code, path, isAsync }: RunnableModule): ModuleFunction {
  const parameters = ['module', 'exports', 'require', ...Object.values(MODULE_PARAMETERS)].join(', ')
  // The server's bundle is an ES module, whose code is strict.
  const beginning = `(${isAsync ? 'async ' : ''}function (${parameters}) {"use strict";`
  // The beginning is on the first line of the code, so lines stay; the column of the first line is corrected.
  const script = new Script(`${beginning}${code}\n})`, { filename: path, columnOffset: -beginning.length })
  return script.runInThisContext() as ModuleFunction
}
