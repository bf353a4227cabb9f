import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MappedBundle } from '../../../../src/server/build-output/loaded-bundles.ts'
import { BUILD_PATHS } from '../../../../src/server/build-output/manifest.ts'
import { contentHash } from '../../../build/esbuild/content-hash.ts'
import { createServerOutput } from '../../../build/output/complete-server-output.ts'
import type { Recompiled } from '../browser/browser-modules.ts'
import type { ModuleCompiler } from '../module-compiler.ts'
import type { SiteGraph } from '../site-graph.ts'
import type { CompiledServerModule } from './compile-server-module.ts'
import { createServerRunner } from './server-runner.ts'

/** The modules of a site as the server runs them. Each is evaluated once, until it or one of its imports changes. */
export interface ServerModules {
  /** Uses the result of a new scan. */
  adopt(graph: SiteGraph): void
  /** Compiles changed modules again. Rejects with esbuild's BuildFailure, and changes nothing. */
  recompile(ids: readonly string[]): Promise<Recompiled>
  /** Makes the next import evaluate the modules and all their importers again. Returns the ids of all of them. */
  invalidate(ids: readonly string[]): Set<string>
  /** Returns the namespace of a module. Rejects with whatever the module throws, and with esbuild's BuildFailure. */
  import(id: string): Promise<Record<string, unknown>>
  /** The scripts of the current modules, for the source maps of stack traces. The list is kept up to date. */
  readonly scripts: readonly MappedBundle[]
  clear(): void
}

export interface ServerModulesInput {
  siteDir: string
  /** The folder that scripts and their maps are written to, for stack traces. */
  folder: string
  /** Returns the path that the site is mounted at. */
  base(): string
  compiler(): ModuleCompiler
}

/** How long an import waits for a top-level await. */
const DEADLINE_MS = 10_000
/** How many replaced scripts are kept for code that still runs, such as timers. */
const MAX_REPLACED = 50

interface Loaded {
  compiled: CompiledServerModule
  script: DevScript
}

const SCRIPT = /\.[cm]?[jt]sx?$/
/** Matches code with a component that may have no name. */
const UNNAMED = /\b(?:memo|forwardRef)\d*\)?\(|^var \w+_default = [\w(]/m

/** The module through which Node.js imports packages for the site. */
interface Importer {
  importModule(specifier: string): Promise<object>
  resolve(specifier: string): string
}

// Packages are found from the build folder, as those of a server bundle.
const IMPORTER = `export const importModule = (specifier) => import(specifier)
export const resolve = (specifier) => import.meta.resolve(specifier)
`

export function createServerModules({ siteDir, folder, base, compiler }: ServerModulesInput): ServerModules {
  const bundle = join(folder, BUILD_PATHS.server)
  const serverDir = dirname(bundle)
  mkdirSync(serverDir, { recursive: true })
  const importer = join(serverDir, 'import.mjs')
  writeFileSync(importer, IMPORTER)
  const modules = new Map<string, Loaded>()
  const loading = new Map<string, Promise<Loaded>>()
  const scripts: MappedBundle[] = []
  const replaced: DevScript[] = []
  let graph: SiteGraph | null = null
  let node: Importer | null = null

  function add(id: string, compiled: CompiledServerModule): Loaded {
    const script = writeScript(serverDir, siteDir, id, compiled)
    scripts.push(script)
    const loaded = { compiled, script }
    modules.set(id, loaded)
    return loaded
  }

  function remove(id: string) {
    const script = modules.get(id)?.script
    modules.delete(id)
    if (!script) return
    script.isReplaced = true
    replaced.push(script)
    const oldest = replaced.length > MAX_REPLACED ? replaced.shift() : undefined
    if (!oldest) return
    scripts.splice(scripts.indexOf(oldest), 1)
    // A file that got its earlier contents again has the same script.
    if (scripts.some(({ path }) => path === oldest.path)) return
    for (const file of [oldest.path, `${oldest.path}.map`]) rmSync(file, { force: true })
  }

  async function load(id: string): Promise<Loaded> {
    return modules.get(id) ?? add(id, await compiler().server(id))
  }

  /** Loads a module once, also when several requests need it. */
  function loadOnce(id: string): Promise<Loaded> {
    const pending = loading.get(id) ?? load(id).finally(() => loading.delete(id))
    loading.set(id, pending)
    return pending
  }

  async function loadImporter(): Promise<Importer> {
    // This module is written above.
    node ??= (await import(pathToFileURL(importer).href)) as Importer
    return node
  }

  const runner = createServerRunner({
    async load(id) {
      await loadImporter()
      const { compiled, script } = await loadOnce(id)
      const { code, path } = script
      const { requires, names, isAsync, isEsm } = compiled
      return {
        ...{ id, code: `${code}\n//# sourceMappingURL=${basename(path)}.map`, path, requires, names, isAsync },
        // A text in the source can look like an import.
        imports: compiled.imports.filter((specifier) => graph?.find(id, specifier)),
        isCommonJs: graph?.isCommonJs(id) === true || (!isEsm && !SCRIPT.test(id)),
        find: (specifier) => graph?.find(id, specifier) ?? { package: specifier },
      }
    },
    importPackage: async (specifier) => (await loadImporter()).importModule(specifier),
    meta() {
      const url = pathToFileURL(bundle)
      url.searchParams.set('base', base())
      return { url: url.href, dirname: serverDir, filename: bundle, resolve: node?.resolve }
    },
    deadlineMs: DEADLINE_MS,
  })

  return {
    scripts,
    adopt(next) {
      graph = next
      for (const id of [...modules.keys()].filter((one) => !next.has(one))) remove(id)
    },
    async recompile(ids) {
      await Promise.allSettled(ids.map((id) => loading.get(id)))
      // Also modules that no request has needed: their errors must be displayed, too.
      const known = ids.filter((id) => graph?.has(id))
      const results = await Promise.all(known.map(async (id) => ({ id, after: await compiler().server(id) })))
      const changed = results.flatMap(({ id, after }) => {
        const before = modules.get(id)?.compiled
        // A comment changes the lines of stack traces.
        return before?.code === after.code && before.map === after.map ? [] : [{ id, before, after }]
      })
      const needsScan = changed.some(({ id, before, after }) =>
        before
          ? before.specifiers.join() !== after.specifiers.join()
          : after.specifiers.some((specifier) => !graph?.find(id, specifier)),
      )
      const needsCheck = changed.some(({ before, after }) => namesIn(before?.code) !== namesIn(after.code))
      for (const { id, before, after } of changed) {
        if (!before) continue
        remove(id)
        add(id, after)
      }
      return { changed: changed.map(({ id }) => id), needsScan, needsCheck }
    },
    invalidate(ids) {
      const stale = new Set(ids)
      for (const id of stale) for (const one of graph?.importersOf(id) ?? []) stale.add(one)
      runner.invalidate(stale)
      return stale
    },
    import: runner.import,
    clear() {
      runner.invalidate([...modules.keys()])
      for (const id of [...modules.keys()]) remove(id)
    },
  }
}

/** A module as it is on the disk, for stack traces and debuggers. */
interface DevScript extends MappedBundle {
  code: string
  /** Whether newer code is in its place. Its own code may still run, for example in a timer. */
  isReplaced: boolean
}

function writeScript(serverDir: string, siteDir: string, id: string, compiled: CompiledServerModule): DevScript {
  const name = id.replace(/[^\w.-]+/g, '-').slice(-80)
  const path = join(serverDir, `${name}-${contentHash(id, compiled.code, compiled.map)}.cjs`)
  const map = withSource(compiled.map, relative(serverDir, resolve(siteDir, id)))
  const complete = () => createServerOutput(compiled.code, map, serverDir, id)
  const code = UNNAMED.test(compiled.code) ? complete().code : compiled.code
  writeFileSync(path, code)
  writeFileSync(`${path}.map`, map)
  return {
    path,
    code,
    isReplaced: false,
    findFile: () => path,
    completeMap: () => complete().map,
    mayHave(part) {
      if (this.isReplaced) return false
      return 'file' in part ? part.file === id : code.includes(part.text)
    },
  }
}

function withSource(map: string, source: string): string {
  // esbuild wrote the map.
  return JSON.stringify({ ...(JSON.parse(map) as object), sources: [source] })
}

/** Returns the names that a script imports and exports, as a text to compare: `import_db.find`, `load: () => load`. */
function namesIn(code = ''): string {
  return [...new Set(code.match(/\bimport_\w+\.[\w$]+|^ {2}[\w$]+: \(\) => .*$/gm) ?? [])].sort().join()
}
