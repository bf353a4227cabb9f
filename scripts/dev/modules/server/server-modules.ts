import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BUILD_PATHS } from '../../../../src/server/build-output/manifest.ts'
import { compileAll, type Recompiled } from '../recompiled.ts'
import { EMPTY_GRAPH, findMoved, findRelinked, type SiteGraph } from '../site-graph.ts'
import type { ServerCompiler } from './compile-server-module.ts'
import { createLoadedModules, createServerScripts, describeServerChanges } from './loaded-modules.ts'
import type { RunnableModule } from './module-instances.ts'
import { createNodeImporter } from './module-packages.ts'
import { createServerRunner } from './server-runner.ts'

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

/** Matches the id of a module that a plugin has made: its namespace and a name. */
const VIRTUAL_ID = /^[\w-]{2,}:/

export function createServerModules({ siteDir, folder, base, compiler }: ServerModulesInput) {
  const bundle = join(folder, BUILD_PATHS.server)
  const importer = createNodeImporter(bundle, base)
  const modules = createLoadedModules(compiler, createServerScripts(dirname(bundle), siteDir))
  let graph = EMPTY_GRAPH
  const { importPackage, requirePackage } = importer
  const root = realpathSync(siteDir)
  const meta = (id: string) => importer.meta(SCRIPT.test(id) && !VIRTUAL_ID.test(id) ? join(root, id) : null)
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
