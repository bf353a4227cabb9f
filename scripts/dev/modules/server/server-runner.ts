import { createEvaluator } from './evaluator.ts'
import { listPackages, loadChain } from './load-chain.ts'
import { createModuleInstances, type ModuleInstance, namespaceOf } from './module-instances.ts'
import { createModulePackages } from './module-packages.ts'
import type { RunnableModule } from './runnable-module.ts'
import { waitForInstance } from './wait-for-chain.ts'

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
  return { import: async (id) => namespaceOf(await importModule(id)), invalidate, clear }
}
