import type { Chain, ModuleInstances } from './module-instances.ts'
import { idsOf, type RunnableModule } from './runnable-module.ts'

/** Loads a module, and everything that it imports or requires, into a chain. Modules that have an instance are left out. */
export async function loadChain(
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
export function listPackages(root: string, { loaded }: Chain): Set<string> {
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
export function mustWait(root: string, chain: Chain, { find }: ModuleInstances): boolean {
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
