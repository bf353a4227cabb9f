import { createHydrantError } from '../../../../src/server/errors/hydrant-error.ts'
import { createDeadline, DEADLINE } from '../../../../src/server/util/deadline.ts'
import {
  type Chain,
  createModuleFunction,
  createModuleInstances,
  idsOf,
  type ModuleInstance,
  type ModuleInstances,
  namespaceOf,
  type RunnableModule,
} from './module-instances.ts'
import { createModulePackages, linkModule, type ModulePackages } from './module-packages.ts'

export interface RunnerInput {
  /** Returns a module. Throws if it cannot be compiled. */
  load(id: string): Promise<RunnableModule>
  /** Imports a package or a module of Node.js as the site's server bundle does. */
  importPackage(specifier: string): Promise<object>
  /** Requires a package or a module of Node.js as the site's server bundle does. */
  requirePackage(specifier: string): unknown
  /** Returns the value of `import.meta` of a module. */
  meta(id: string): object
  /** How long an import waits for the top-level await of a module. */
  deadlineMs: number
}

export function createServerRunner({ load, importPackage, requirePackage, meta, deadlineMs }: RunnerInput) {
  const instances = createModuleInstances()
  const packages = createModulePackages(importPackage, requirePackage)
  const evaluate = createEvaluator({ instances, packages, importModule, meta })

  async function importModule(id: string): Promise<ModuleInstance> {
    const chain = instances.createChain()
    await loadChain(id, chain, instances, load)
    await packages.prepare(listPackages(id, chain))
    const instance = evaluate(id, chain)
    if (!instance.pending) return instance
    chain.waitsFor = instance.chain === chain ? null : instance.chain
    await waitForInstance(instance, deadlineMs)
    return instance
  }

  const { invalidate, clear } = instances
  return {
    /**
     * Returns the namespace of a module. Rejects with whatever the module throws, and evaluates it again next time.
     * Rejects after the deadline while a top-level await is not settled, and the evaluation continues.
     */
    import: async (id: string) => namespaceOf(await importModule(id)),
    /** Forgets modules. Their next import evaluates them again. */
    invalidate,
    /** Forgets all modules. */
    clear,
  }
}

export interface EvaluatorInput {
  instances: ModuleInstances
  packages: ModulePackages
  importModule(id: string): Promise<ModuleInstance>
  /** Returns the value of `import.meta` of a module. */
  meta(id: string): object
}

/** Returns the function that evaluates a module of a chain that has been loaded, after its imports. */
function createEvaluator({ instances, packages, importModule, meta }: EvaluatorInput) {
  const linker = { evaluate, importModule, packages }

  /** Evaluates a module, without waiting unless it or one of its imports has a top-level await. */
  function evaluate(id: string, chain: Chain): ModuleInstance {
    const existing = instances.find(id, chain)
    if (existing) return existing
    const compiled = chain.loaded.get(id)
    if (!compiled) throw new Error(`${id} is not loaded`)
    const instance = instances.add(compiled, chain)
    if (mustWait(id, chain, instances)) {
      instance.pending = evaluateLater(instance)
      // Each importer handles the error.
      instance.pending.catch(() => {})
      return instance
    }
    try {
      run(instance)
    } catch (error) {
      instances.remove(instance)
      throw error
    }
    return instance
  }

  async function evaluateLater(instance: ModuleInstance): Promise<void> {
    const { compiled, chain } = instance
    try {
      for (const id of idsOf(compiled, compiled.imports)) await evaluateImport(id, chain)
      if (compiled.isAsync) chain.awaited = compiled.id
      await run(instance)
    } catch (error) {
      instances.remove(instance)
      throw error
    }
    chain.awaited = null
    instance.pending = null
  }

  async function evaluateImport(id: string, chain: Chain): Promise<void> {
    const existing = instances.find(id, chain)
    if (!existing) await evaluate(id, chain).pending
    else if (existing.pending && !isWaiting(existing.chain, chain)) {
      chain.waitsFor = existing.chain
      await existing.pending
      chain.waitsFor = null
    }
  }

  function run(instance: ModuleInstance): unknown {
    const { compiled, module } = instance
    const { importNow, requireOfSource, importLater } = linkModule(instance, linker)
    const { exports } = module
    const execute = createModuleFunction(compiled)
    return execute(module, exports, importNow, requireOfSource, meta(compiled.id), importLater, instances.isNamespace)
  }

  return evaluate
}

/** Loads a module, and everything that it imports or requires, into a chain. Modules that have an instance are left out. */
async function loadChain(
  root: string,
  chain: Chain,
  { find }: ModuleInstances,
  load: (id: string) => Promise<RunnableModule>,
): Promise<void> {
  async function visit(id: string): Promise<void> {
    const instance = find(id, chain)
    if (instance?.pending) chain.isAsync = true
    if (instance || chain.loaded.has(id)) return
    const compiled = await load(id)
    if (chain.loaded.has(id)) return
    chain.loaded.set(id, compiled)
    if (compiled.isAsync) chain.isAsync = true
    await Promise.all(idsOf(compiled, [...compiled.imports, ...compiled.requires]).map(visit))
  }
  await visit(root)
}

/** Lists the packages that the loaded modules import, in the order in which the modules are evaluated. */
function listPackages(root: string, { loaded }: Chain): Set<string> {
  const packages = new Set<string>()
  const entered = new Set<string>()
  function visit(id: string) {
    const compiled = loaded.get(id)
    if (!compiled || entered.has(id)) return
    entered.add(id)
    const { imports, requires, find } = compiled
    for (const imported of idsOf(compiled, [...imports, ...requires])) visit(imported)
    for (const target of imports.map(find)) if ('package' in target) packages.add(target.package)
  }
  visit(root)
  return packages
}

/** Returns whether a loaded module, or one that it imports, has a top-level await that has not settled. */
function mustWait(root: string, chain: Chain, { find }: ModuleInstances): boolean {
  const seen = new Set<string>()
  function visit(id: string): boolean {
    if (seen.has(id)) return false
    seen.add(id)
    const instance = id === root ? undefined : find(id, chain)
    if (instance) return instance.pending !== null
    const compiled = chain.loaded.get(id)
    return compiled !== undefined && (compiled.isAsync || idsOf(compiled, compiled.imports).some(visit))
  }
  return chain.isAsync && visit(root)
}

/** Returns whether a chain waits for another one, or is that one: then the import between them is circular. */
function isWaiting(chain: Chain, other: Chain): boolean {
  for (let one: Chain | null = chain; one; one = one.waitsFor) if (one === other) return true
  return false
}

/** Waits for the evaluation of a module. Rejects with its error, and with another one when the time has passed. */
async function waitForInstance({ pending, chain }: ModuleInstance, deadlineMs: number): Promise<void> {
  const { passed, clear } = createDeadline(deadlineMs)
  try {
    if ((await Promise.race([pending, passed])) !== DEADLINE) return
  } finally {
    clear()
  }
  throw createHydrantError('HYD_AWAIT_TIMEOUT', [awaitedBy(chain), deadlineMs / 1_000])
}

/** Returns the module whose top-level await keeps a chain waiting. */
function awaitedBy(chain: Chain): string {
  let last = chain
  while (last.waitsFor) last = last.waitsFor
  return last.awaited ?? 'a module'
}
