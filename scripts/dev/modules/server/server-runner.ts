import { type Chain, createInstances, type Instance, namespaceOf } from './instances.ts'
import { linkModule } from './link-module.ts'
import { listPackages, loadChain, mustWait } from './load-chain.ts'
import { createModuleFunction } from './module-function.ts'
import { createModulePackages } from './module-packages.ts'
import { idsOf, type ServerModule } from './server-module.ts'
import { isWaiting, waitForInstance } from './wait-for-chain.ts'

export interface RunnerInput {
  /** Returns a module. Throws if it cannot be compiled. */
  load(id: string): Promise<ServerModule>
  /** Imports a package or a module of Node.js as the site's server bundle does. */
  importPackage(specifier: string): Promise<object>
  /** Requires a package or a module of Node.js as the site's server bundle does. */
  requirePackage(specifier: string): unknown
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
  /** Forgets all modules. */
  clear(): void
}

export function createServerRunner({
  load,
  importPackage,
  requirePackage,
  meta,
  deadlineMs,
}: RunnerInput): ServerRunner {
  const instances = createInstances()
  const packages = createModulePackages(importPackage)
  const linker = { evaluate, importModule, packages, requirePackage }

  /** Evaluates a module, without waiting unless it or one of its imports has a top-level await. */
  function evaluate(id: string, chain: Chain): Instance {
    const known = instances.find(id, chain)
    if (known) return known
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

  async function evaluateLater(instance: Instance): Promise<void> {
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
    const known = instances.find(id, chain)
    if (!known) await evaluate(id, chain).pending
    else if (known.pending && !isWaiting(known.chain, chain)) {
      chain.waitsFor = known.chain
      await known.pending
      chain.waitsFor = null
    }
  }

  function run(instance: Instance): unknown {
    const { compiled, module } = instance
    const { importNow, requireOfSource, importLater } = linkModule(instance, linker)
    const { exports } = module
    const execute = createModuleFunction(compiled)
    return execute(module, exports, importNow, requireOfSource, meta(), importLater, instances.isNamespace)
  }

  async function importModule(id: string): Promise<Instance> {
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
  return { import: async (id) => namespaceOf(await importModule(id)), invalidate, clear }
}
