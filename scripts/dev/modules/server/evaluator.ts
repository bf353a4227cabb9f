import { linkModule } from './link-module.ts'
import { mustWait } from './load-chain.ts'
import { createModuleFunction } from './module-function.ts'
import type { Chain, ModuleInstance, ModuleInstances } from './module-instances.ts'
import type { ModulePackages } from './module-packages.ts'
import { idsOf } from './runnable-module.ts'
import { isWaiting } from './wait-for-chain.ts'

export interface EvaluatorInput {
  instances: ModuleInstances
  packages: ModulePackages
  /** Imports a module by `import()`. */
  importModule(id: string): Promise<ModuleInstance>
  /** Returns the value of `import.meta` of a module. */
  meta(id: string): object
}

/** Returns the function that evaluates a module of a chain that has been loaded, after its imports. */
export function createEvaluator({ instances, packages, importModule, meta }: EvaluatorInput) {
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
