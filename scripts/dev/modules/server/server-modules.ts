import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BUILD_PATHS } from '../../../../src/server/build-output/manifest.ts'
import { createHydrantError } from '../../../../src/server/errors/hydrant-error.ts'
import { createDeadline, DEADLINE } from '../../../../src/server/util/deadline.ts'
import { VIRTUAL_ID } from '../../../build/esbuild/bundler.ts'
import { compileAll, type Recompiled } from '../recompiled.ts'
import { EMPTY_GRAPH, findMoved, findRelinked, type SiteGraph } from '../site-graph.ts'
import type { ServerCompiler } from './compile-server-module.ts'
import { createLoadedModules, createServerScripts, describeServerChanges } from './loaded-modules.ts'
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
import { createModulePackages, createNodeImporter, linkModule, type ModulePackages } from './module-packages.ts'

/** The modules of a site as the server runs them. Each is evaluated once, until it or one of its imports changes. */
export type ServerModules = ReturnType<typeof createServerModules>

export interface ServerModulesInput {
  siteDir: string
  /** The folder that the dev server writes to. It has a folder for the server. */
  folder: string
  /** Returns the path that the site is mounted at. */
  base(): string
  compiler(): ServerCompiler
}

/** How long an import waits for a top-level await. */
const DEADLINE_MS = 10_000

const SCRIPT = /\.[cm]?[jt]sx?$/

export function createServerModules({ siteDir, folder, base, compiler }: ServerModulesInput) {
  const bundle = join(folder, BUILD_PATHS.server)
  const importer = createNodeImporter(bundle, base)
  const modules = createLoadedModules(compiler, createServerScripts(dirname(bundle), siteDir))
  let graph = EMPTY_GRAPH
  const { importPackage, requirePackage } = importer
  const root = realpathSync(siteDir)
  const meta = (id: string) => importer.meta(SCRIPT.test(id) && !VIRTUAL_ID.test(id) ? resolve(root, id) : null)
  const runner = createServerRunner({ load, importPackage, requirePackage, meta, deadlineMs: DEADLINE_MS })

  async function load(id: string): Promise<RunnableModule> {
    await importer.ready()
    const { compiled, script } = await modules.load(id)
    const { names, isAsync, isEsm } = compiled
    const requires = [...compiled.requires, ...(compiled.requiresExpression ? graph.matchesOf(id) : [])]
    const code = `${script.code}\n//# sourceMappingURL=${basename(script.path)}.map`
    return {
      id,
      path: script.path,
      code,
      requires,
      names,
      isAsync,
      // A text in the source can look like an import.
      imports: compiled.imports.filter((specifier) => graph.find(id, specifier)),
      isCommonJs: graph.isCommonJs(id) || (!isEsm && !SCRIPT.test(id)),
      find: (specifier) => graph.find(id, specifier) ?? { package: specifier },
    }
  }

  return {
    /** The scripts of the current modules, for the source maps of stack traces. The list is kept up to date. */
    scripts: modules.scripts,
    /** Uses the result of a new scan. Returns the modules to evaluate again: see `findMoved`. */
    adopt(next: SiteGraph): string[] {
      // A file that is gone may return with other code.
      const moved = [...findMoved(graph, next), ...findRelinked(graph, next)]
      graph = next
      modules.keep(next.has)
      return moved
    },
    async recompile(ids: readonly string[]): Promise<Recompiled> {
      await modules.settled(ids)
      // Modules that no request has needed are compiled too, so that their errors are displayed.
      const inGraph = ids.filter((id) => graph.has(id))
      const { compiled, failed } = await compileAll(inGraph, (id) => compiler().server(id))
      const saved = compiled.map((one) => ({
        ...one,
        before: modules.find(one.id),
        isFirst: modules.isFirst(one.id),
      }))
      for (const { id, before, after } of saved) if (before) modules.replace(id, after)
      return { ...describeServerChanges(saved, graph), failed }
    },
    /** Makes the next import evaluate modules and importers again. Returns their ids and links to them. */
    invalidate(ids: readonly string[]): Set<string> {
      const stale = new Set(ids)
      for (const id of stale) for (const one of graph.importersOf(id)) stale.add(one)
      runner.invalidate(stale)
      for (const id of stale) for (const file of graph.linksTo(id)) stale.add(file)
      return stale
    },
    has: (id: string) => graph.has(id),
    /** Returns the module of a file of the site and everything that it imports. */
    reach: (file: string): string[] => graph.reach(graph.idOf(file)),
    /** Returns the namespace of a file's module. Rejects with what it throws, or with esbuild's BuildFailure. */
    import: (file: string): Promise<Record<string, unknown>> => runner.import(graph.idOf(file)),
    clear() {
      runner.clear()
      modules.keep(() => false)
    },
  }
}

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

function createServerRunner({ load, importPackage, requirePackage, meta, deadlineMs }: RunnerInput) {
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
