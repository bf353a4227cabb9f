import { types } from 'node:util'
import { Script } from 'node:vm'
import { createHydrantError } from '../../../src/server/errors/hydrant-error.ts'

/** A compiled module of the server, see compile-server-module.ts. */
export interface ServerModule {
  /** The path that stack traces show. */
  path: string
  code: string
  /** The specifiers of the module's static imports, in order. */
  imports: readonly string[]
  /** The specifiers of `require()` in the module. */
  requires: readonly string[]
  /** The names that the module imports, by specifier. */
  names: ReadonlyMap<string, readonly string[]>
  /** Whether the module is CommonJS. Then `module.exports` is the default export. */
  isCommonJs: boolean
  /** Whether the module has a top-level await. */
  isAsync: boolean
}

export interface RunnerInput {
  /** Returns a module. Throws if it cannot be compiled. */
  load(id: string): Promise<ServerModule>
  /** Returns the id of an imported module of the site; null for a package or a module of Node.js. */
  resolve(specifier: string, importer: string): string | null
  /** Returns the specifier of a package or a module of Node.js, after aliases. */
  packageOf(specifier: string, importer: string): string
  /** Imports a package or a module of Node.js as the site's server bundle does. */
  importPackage(specifier: string): Promise<object>
  /** Returns the value of `import.meta`. */
  meta(): object
  /** How long an import waits for the top-level await of a module. */
  deadlineMs: number
}

/** Evaluates the site's modules, each once, until it is invalidated. */
export interface ServerRunner {
  /**
   * Returns the namespace of a module. Rejects with whatever the module throws, and evaluates it again next time.
   * Rejects after the deadline while a top-level await is not settled, and the evaluation continues.
   */
  import(id: string): Promise<Record<string, unknown>>
  /** Forgets modules. Their next import evaluates them again. */
  invalidate(ids: Iterable<string>): void
}

/** The names of the parameters besides `module`, `exports` and `require`, which compiled code uses for static imports. */
export const MODULE_PARAMETERS = {
  /** Stands for `require` in the source. */
  require: 'hydrantRequire',
  meta: 'hydrantMeta',
  /** Has as many characters as `import`, so columns stay. */
  dynamicImport: '$mport',
  /** Returns whether a value is the namespace of an ES module. */
  isNamespace: 'hydrantIsNamespace',
} as const

type Require = (specifier: string) => unknown

type Compiled = (
  module: { exports: unknown },
  exports: unknown,
  require: Require,
  hydrantRequire: Require,
  hydrantMeta: object,
  dynamicImport: (specifier: unknown) => Promise<unknown>,
  isNamespace: (value: unknown) => boolean,
) => unknown

/** A module that has been evaluated, or is being evaluated. */
interface Instance {
  id: string
  compiled: ServerModule
  module: { exports: unknown }
  chain: Chain
  /** Settles after the evaluation; null when it has ended, and for a module that is evaluated without waiting. */
  pending: Promise<void> | null
}

/** The evaluation of an imported module and of everything that it imports. */
interface Chain {
  loaded: Map<string, ServerModule>
  /** Whether a module of the chain may have to wait. */
  isAsync: boolean
  /** The instances of a chain that began before a module was invalidated. Nothing else uses them. */
  own: Map<string, Instance>
  generation: number
  /** The chain that evaluates the module that this chain waits for. */
  waitsFor: Chain | null
  /** The module whose top-level await is not settled. */
  awaited: string | null
}

export function createServerRunner(input: RunnerInput): ServerRunner {
  const { load, resolve, packageOf, importPackage, meta, deadlineMs } = input
  const instances = new Map<string, Instance>()
  const packages = new Map<string, object>()
  const namespaces = new WeakSet<object>()
  let generation = 0

  const isNamespace = (value: unknown) =>
    typeof value === 'object' && value !== null && (namespaces.has(value) || types.isModuleNamespaceObject(value))
  const find = (id: string, chain: Chain) => chain.own.get(id) ?? instances.get(id)

  async function requirePackage(specifier: string): Promise<object> {
    const found = packages.get(specifier) ?? (await importPackage(specifier))
    packages.set(specifier, found)
    return found
  }

  /** Compiles a module and everything that it imports, and imports the packages, in the order of the imports. */
  async function prepare(root: string, chain: Chain): Promise<void> {
    const specifiers = new Set<string>()
    async function visit(id: string): Promise<void> {
      const known = find(id, chain)
      if (known?.pending) chain.isAsync = true
      if (known || chain.loaded.has(id)) return
      const compiled = await load(id)
      if (chain.loaded.has(id)) return
      chain.loaded.set(id, compiled)
      if (compiled.isAsync) chain.isAsync = true
      const targets = [...compiled.imports, ...compiled.requires].map((specifier) => resolve(specifier, id))
      await Promise.all(targets.map((target) => target !== null && visit(target)))
    }
    await visit(root)
    for (const id of order(root, chain)) {
      for (const specifier of chain.loaded.get(id)?.imports ?? []) {
        if (resolve(specifier, id) === null) specifiers.add(packageOf(specifier, id))
      }
    }
    for (const specifier of specifiers) await requirePackage(specifier)
  }

  /** Lists the loaded modules that a module imports or requires, and itself, in the order of evaluation. */
  function order(root: string, { loaded }: Chain): Set<string> {
    const found = new Set<string>()
    const entered = new Set<string>()
    function visit(id: string) {
      const compiled = loaded.get(id)
      if (!compiled || entered.has(id)) return
      entered.add(id)
      for (const specifier of [...compiled.imports, ...compiled.requires]) {
        const target = resolve(specifier, id)
        if (target !== null) visit(target)
      }
      found.add(id)
    }
    visit(root)
    return found
  }

  /** Evaluates a module, without waiting unless it or one of its imports has a top-level await. */
  function evaluate(id: string, chain: Chain): Instance {
    const known = find(id, chain)
    if (known) return known
    const compiled = chain.loaded.get(id)
    if (!compiled) throw new Error(`${id} is not loaded`)
    const module = { exports: {} }
    if (!compiled.isCommonJs) namespaces.add(module.exports)
    const instance: Instance = { id, compiled, module, chain, pending: null }
    const store = chain.generation === generation ? instances : chain.own
    store.set(id, instance)
    const forget = () => {
      if (store.get(id) === instance) store.delete(id)
    }
    if (chain.isAsync && mustWait(id, chain)) {
      instance.pending = evaluateLater(instance).then(
        () => {
          instance.pending = null
        },
        (error: unknown) => {
          forget()
          throw error
        },
      )
      // Each importer handles the error.
      instance.pending.catch(() => {})
      return instance
    }
    try {
      run(instance)
    } catch (error) {
      forget()
      throw error
    }
    return instance
  }

  function mustWait(root: string, chain: Chain): boolean {
    const seen = new Set<string>()
    function visit(id: string): boolean {
      if (seen.has(id)) return false
      seen.add(id)
      const known = id === root ? undefined : find(id, chain)
      if (known) return known.pending !== null
      const { isAsync = false, imports = [] } = chain.loaded.get(id) ?? {}
      return (
        isAsync ||
        imports.some((specifier) => {
          const target = resolve(specifier, id)
          return target !== null && visit(target)
        })
      )
    }
    return visit(root)
  }

  async function evaluateLater(instance: Instance): Promise<void> {
    const { id, compiled, chain } = instance
    for (const specifier of compiled.imports) {
      const target = resolve(specifier, id)
      if (target === null) continue
      const known = find(target, chain)
      if (!known) await evaluate(target, chain).pending
      else if (known.pending && !isWaiting(known.chain, chain)) {
        chain.waitsFor = known.chain
        await known.pending
        chain.waitsFor = null
      }
    }
    if (compiled.isAsync) chain.awaited = id
    await run(instance)
    chain.awaited = null
  }

  function run({ id, compiled, module, chain }: Instance): unknown {
    function requireNow(specifier: string): unknown {
      const target = resolve(specifier, id)
      if (target !== null) return evaluate(target, chain).module.exports
      const found = packages.get(packageOf(specifier, id)) ?? {}
      const missing = compiled.names.get(specifier)?.find((name) => !(name in found))
      if (missing !== undefined) throw new SyntaxError(describeMissing(specifier, missing, found))
      return found
    }
    function requireOfSource(specifier: string): unknown {
      const target = resolve(specifier, id)
      // The server's bundle is an ES module, which has no `require`.
      if (target === null) throw new Error(`Dynamic require of "${specifier}" is not supported`)
      return evaluate(target, chain).module.exports
    }
    async function importLater(specifier: unknown): Promise<unknown> {
      const text = String(specifier)
      const target = resolve(text, id)
      return target === null ? await importPackage(packageOf(text, id)) : namespaceOf(await importModule(target))
    }
    const { exports } = module
    return compile(compiled)(module, exports, requireNow, requireOfSource, meta(), importLater, isNamespace)
  }

  async function importModule(id: string): Promise<Instance> {
    const chain: Chain = {
      ...{ loaded: new Map(), isAsync: false, own: new Map(), generation, waitsFor: null, awaited: null },
    }
    await prepare(id, chain)
    const instance = evaluate(id, chain)
    if (!instance.pending) return instance
    chain.waitsFor = instance.chain === chain ? null : instance.chain
    await withDeadline(instance.pending, deadlineMs, () => awaitedBy(instance.chain))
    return instance
  }

  return {
    import: async (id) => namespaceOf(await importModule(id)),
    invalidate(ids) {
      generation++
      for (const id of ids) instances.delete(id)
    },
  }
}

/** Returns whether a chain waits for another one, or is that one: then the import between them is circular. */
function isWaiting(chain: Chain, other: Chain): boolean {
  for (let one: Chain | null = chain; one; one = one.waitsFor) if (one === other) return true
  return false
}

/** Returns the module whose top-level await keeps a chain waiting. */
function awaitedBy(chain: Chain): string {
  let last = chain
  while (last.waitsFor) last = last.waitsFor
  return last.awaited ?? 'a module'
}

async function withDeadline(pending: Promise<void>, deadlineMs: number, awaited: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(createHydrantError('HYD_AWAIT_TIMEOUT', [awaited(), deadlineMs / 1_000]))
    }, deadlineMs)
  })
  try {
    await Promise.race([pending, late])
  } finally {
    clearTimeout(timer)
  }
}

function compile({ code, path, isAsync }: ServerModule): Compiled {
  const parameters = ['module', 'exports', 'require', ...Object.values(MODULE_PARAMETERS)].join(', ')
  // The server's bundle is an ES module, whose code is strict.
  const beginning = `(${isAsync ? 'async ' : ''}function (${parameters}) {"use strict";`
  // The beginning is on the first line of the code, so lines stay; the column of the first line is corrected.
  const script = new Script(`${beginning}${code}\n})`, { filename: path, columnOffset: -beginning.length })
  return script.runInThisContext() as Compiled
}

/** Returns the message of Node.js for an import of a name that a package does not export. */
function describeMissing(specifier: string, name: string, found: object): string {
  const value: unknown = Reflect.get(found, 'default')
  if (typeof value !== 'object' || value === null || !(name in value)) {
    return `The requested module '${specifier}' does not provide an export named '${name}'`
  }
  return (
    `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, which may not ` +
    `support all module.exports as named exports. Import its default export, and take the name from it.`
  )
}

/** Returns the namespace that importers see, as Node.js does: the default export of CommonJS is `module.exports`. */
function namespaceOf({ module: { exports }, compiled }: Instance): Record<string, unknown> {
  // The object that an ES module fills.
  if (!compiled.isCommonJs) return exports as Record<string, unknown>
  return { ...Object(exports), default: exports }
}
