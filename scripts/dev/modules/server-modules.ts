import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MappedBundle } from '../../../src/server/build-output/loaded-bundles.ts'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { contentHash } from '../../build/esbuild/content-hash.ts'
import { parseScript } from '../../build/output/parse-script.ts'
import type { Recompiled } from './browser-modules.ts'
import type { CompiledServerModule, ModuleCompiler } from './module-compiler.ts'
import { rewriteImports } from './rewrite-imports.ts'
import { createServerRunner, type ServerModule } from './server-runner.ts'
import type { SiteGraph } from './site-graph.ts'

/** The modules of a site as the server runs them. Each is evaluated once, until it or one of its imports changes. */
export interface ServerModules {
  /** Uses the result of a new scan. */
  adopt(graph: SiteGraph): void
  /** Compiles the modules again that have been evaluated. Rejects with esbuild's BuildFailure, and changes nothing. */
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

const GLOBAL = 'hydrantDevModules'

export function createServerModules({ siteDir, folder, base, compiler }: ServerModulesInput): ServerModules {
  const serverDir = dirname(join(folder, BUILD_PATHS.server))
  mkdirSync(serverDir, { recursive: true })
  const importer = join(serverDir, 'import.mjs')
  // Packages are found from the build folder, as those of a server bundle.
  writeFileSync(importer, 'export const importModule = (specifier) => import(specifier)\n')
  const modules = new Map<string, { compiled: CompiledServerModule; written: ServerModule }>()
  const scripts: MappedBundle[] = []
  let graph: SiteGraph | null = null

  function write(id: string, compiled: CompiledServerModule): ServerModule {
    const name = id.replace(/[^\w.-]+/g, '-').slice(-80)
    const path = join(serverDir, `${name}-${contentHash(id, compiled.code)}.${compiled.isEsm ? 'mjs' : 'cjs'}`)
    const code = compiled.isEsm ? linkEsm(id, compiled.code) : compiled.code
    writeFileSync(path, code)
    writeFileSync(`${path}.map`, withSource(compiled.map, relative(serverDir, resolve(siteDir, id))))
    scripts.push({ path, findFile: () => path })
    const isCommonJs =
      (graph?.isCommonJs(id) ?? false) || (!compiled.isEsm && /^\s*module\.exports = /.test(compiled.code))
    return { path, code, imports: compiled.specifiers, isCommonJs, isEsm: compiled.isEsm }
  }

  // An ES module is imported by Node.js itself, so it finds modules of the site in a global object.
  function linkEsm(id: string, code: string): string {
    return rewriteImports(code, parseScript(code), (specifier) => {
      const target = resolveId(specifier, id)
      if (target === null) return null
      return { namespace: `globalThis.${GLOBAL}.get(${JSON.stringify(target)})` }
    })
  }

  function remove(id: string) {
    const path = modules.get(id)?.written.path
    modules.delete(id)
    const index = scripts.findIndex((script) => script.path === path)
    if (index === -1 || path === undefined) return
    scripts.splice(index, 1)
    for (const file of [path, `${path}.map`]) rmSync(file, { force: true })
  }

  function resolveId(specifier: string, from: string): string | null {
    const target = graph?.find(from, specifier)
    return target && 'id' in target ? target.id : null
  }

  async function importPackage(specifier: string): Promise<object> {
    const { importModule } = (await import(pathToFileURL(importer).href)) as {
      importModule(specifier: string): Promise<object>
    }
    return await importModule(specifier)
  }

  const runner = createServerRunner({
    async load(id) {
      const known = modules.get(id)
      if (known) return known.written
      const compiled = await compiler().server(id)
      const written = write(id, compiled)
      modules.set(id, { compiled, written })
      return written
    },
    resolve: resolveId,
    importPackage,
    metaUrl: () => `${pathToFileURL(join(serverDir, 'index.mjs')).href}?base=${encodeURIComponent(base())}`,
    global: GLOBAL,
  })

  return {
    scripts,
    adopt(next) {
      graph = next
      for (const id of [...modules.keys()].filter((one) => !next.has(one))) remove(id)
    },
    async recompile(ids) {
      const known = ids.filter((id) => modules.has(id))
      const results = await Promise.all(known.map(async (id) => ({ id, after: await compiler().server(id) })))
      const changed = results.filter(({ id, after }) => modules.get(id)?.compiled.code !== after.code)
      const needsScan = changed.some(
        ({ id, after }) => modules.get(id)?.compiled.specifiers.join() !== after.specifiers.join(),
      )
      const needsCheck = changed.some(
        ({ id, after }) => namesIn(modules.get(id)?.compiled.code) !== namesIn(after.code),
      )
      for (const { id, after } of changed) {
        remove(id)
        modules.set(id, { compiled: after, written: write(id, after) })
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

function withSource(map: string, source: string): string {
  // esbuild wrote the map.
  return JSON.stringify({ ...(JSON.parse(map) as object), sources: [source] })
}

/** Returns the names that a script imports and exports, as a text to compare: `import_db.find`, `load: () => load`. */
function namesIn(code = ''): string {
  return [...new Set(code.match(/\bimport_\w+\.[\w$]+|^ {2}[\w$]+: \(\) => .*$/gm) ?? [])].sort().join()
}
