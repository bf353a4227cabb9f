import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import { BUILD_PATHS } from '../../../../src/server/build-output/manifest.ts'
import { REMOVE } from '../../../../src/server/util/paths.ts'
import { contentHash } from '../../../build/esbuild/assets.ts'
import { isStylesheet } from '../../../build/esbuild/stylesheet-reader.ts'
import { nameFunctions } from '../../../build/output/find-functions.ts'
import { type CommonJsModules, listCommonJsNames, type PackageScript } from '../packages/package-cache.ts'
import { type ImportedModule, isUrl, REQUIRED, type SiteGraph } from '../site-graph.ts'
import type { BrowserCompiler, BrowserModule } from './read-browser-module.ts'
import { type ImportTarget, rewriteImports } from './rewrite-imports.ts'

export interface ScriptWriterInput {
  /** The folder that source maps are written to. */
  folder: string
  names: FileNames
  modules: ModuleCache
  /** Returns the result of the last scan. */
  graph(): SiteGraph
  /** Returns the scripts of packages by their specifiers. */
  packages(): Readonly<Record<string, PackageScript>>
}

export function createScriptWriter({ folder, names, modules, graph, packages }: ScriptWriterInput) {
  const urlOf = (id: string) => `./${names.script(id)}`

  const sources: CommonJsModules = {
    read: async (id) => (await modules.get(id)).code,
    find(id, specifier) {
      const target = graph().find(id, specifier)
      return target && 'id' in target ? target.id : null
    },
  }

  /** Returns the CommonJS modules among a module and its imports, with their exports. Works before a scan. */
  async function findCommonJs(id: string, { specifiers }: BrowserModule): Promise<Map<string, string[]>> {
    const targets = [...specifiers, ...graph().matchesOf(id)].map((specifier) => graph().find(id, specifier))
    const ids = [id, ...targets.flatMap((target) => (target && 'id' in target ? [target.id] : []))]
    const possible = ids.filter((one) => graph().isCommonJs(one) && !isStylesheet(one))
    const found = await Promise.all(possible.map(modules.get))
    const commonJs = possible.filter((_, index) => found[index]?.exports.length === 0)
    const entries = commonJs.map(
      async (one): Promise<[string, string[]]> => [one, await listCommonJsNames(one, sources)],
    )
    return new Map(await Promise.all(entries))
  }

  async function write(id: string): Promise<string> {
    const module = await modules.get(id)
    const name = names.script(id)
    const commonJs = await findCommonJs(id, module)
    const find = (specifier: string) => graph().find(id, specifier)
    const matches = graph().matchesOf(id)
    const text = writeModuleScript(id, module, { urlOf, commonJs, find, matches, packages: packages() })
    if (module.map === null) return text
    keepMap(folder, { name, text, map: module.map }, names.outdated(id))
    return withMap(text, module.map)
  }

  return { urlOf, write }
}

/** A script of a browser, with its source map. */
export interface MappedScript {
  name: string
  text: string
  map: EncodedSourceMap
}

/** Writes a script's map for reported failures, and removes the outdated one. The browser does not wait for it. */
function keepMap(folder: string, { name, text, map }: MappedScript, outdated: string | null): void {
  const fileOf = (script: string) => join(folder, BUILD_PATHS.clientMaps, `${script}.map`)
  setImmediate(() => {
    writeFileSync(
      fileOf(name),
      nameFunctions(text, map, () => false),
    )
    if (outdated !== null) rmSync(fileOf(outdated), REMOVE)
  })
}

/** The names of modules and stylesheets in the assets folder. They contain only characters that URLs do not escape. */
type FileNames = ReturnType<typeof createFileNames>

const NAME = /^(.+-[A-Z2-7]{8})(?:\.(\d+)\.js|(\.root)\.js|_[A-Z2-7]{8}\.css)$/

export function createFileNames() {
  const stems = new Map<string, string>()
  const ids = new Map<string, string>()
  const versions = new Map<string, number>()

  function stemOf(id: string): string {
    const existing = stems.get(id)
    if (existing !== undefined) return existing
    const words = id
      .replace(/^pages\//, '')
      .replace(/\.\w+$/, '')
      .replace(/[^\w]+/g, '-')
      .replace(/^-+|-+$/g, '')
    const stem = `${words.slice(-60) || 'module'}-${contentHash(id)}`
    stems.set(id, stem)
    ids.set(stem, id)
    return stem
  }

  const versionOf = (id: string) => versions.get(id) ?? 1

  return {
    script: (id: string) => `${stemOf(id)}.${versionOf(id)}.js`,
    /** Gives the script of a module another name, so that browsers import it again. */
    renew: (id: string) => void versions.set(id, versionOf(id) + 1),
    /** Returns the name that the script of a module had before the last but one change; null if it had none. */
    outdated: (id: string): string | null => (versionOf(id) > 2 ? `${stemOf(id)}.${versionOf(id) - 2}.js` : null),
    /** Returns the name of the script that a document names for a page, a layout or an error page. */
    root: (id: string) => `${stemOf(id)}.root.js`,
    /** Returns the name of a stylesheet in updates, without a page or layout. */
    style: (id: string) => `${stemOf(id)}.css`,
    /**
     * Returns the name of a stylesheet for a page, a layout or an error page. Each has its own, as each has its own bundle in
     * production: the order of a page's stylesheets does not depend on the pages that were shown before. It stays, so that
     * React does not take a new version for another stylesheet.
     */
    styleOf: (id: string, root: string) => `${stemOf(id)}_${contentHash(root)}.css`,
    /** Returns the module that a file belongs to; null for a file of another kind. */
    find(name: string): { kind: 'script' | 'root' | 'style'; id: string } | null {
      const [, stem = '', version, root] = NAME.exec(name) ?? []
      const id = ids.get(stem)
      if (id === undefined) return null
      return { kind: version !== undefined ? 'script' : root ? 'root' : 'style', id }
    },
  }
}

/** Compiles modules when browsers need them, and keeps the results. */
type ModuleCache = ReturnType<typeof createModuleCache>

export function createModuleCache(compiler: () => BrowserCompiler) {
  const compiled = new Map<string, Promise<BrowserModule>>()
  const known = new Map<string, BrowserModule>()
  const first = new Set<string>()
  return {
    /** The current modules that browsers may have. */
    known,
    /** Resolves when none of the modules is being compiled for a request. */
    async settled(ids: readonly string[]) {
      await Promise.allSettled(ids.map((id) => compiled.get(id)))
    },
    /** Returns whether a module is as a request first needed it. Its file may have changed after the last scan. */
    isFirst: (id: string) => first.has(id),
    /** Returns a module. Rejects with esbuild's BuildFailure, and compiles the module again next time. */
    async get(id: string): Promise<BrowserModule> {
      const pending = compiled.get(id) ?? compiler().browser(id)
      compiled.set(id, pending)
      try {
        const module = await pending
        if (compiled.get(id) === pending) {
          if (!known.has(id)) first.add(id)
          known.set(id, module)
        }
        return module
      } catch (error) {
        if (compiled.get(id) === pending) compiled.delete(id)
        throw error
      }
    },
    /** Keeps a module as it is after a change of its file. */
    replace(id: string, module: BrowserModule) {
      compiled.set(id, Promise.resolve(module))
      known.set(id, module)
      first.delete(id)
    },
    /** Forgets all modules except some. */
    keep(isKept: (id: string) => boolean) {
      for (const kept of [compiled, known, first]) for (const id of kept.keys()) if (!isKept(id)) kept.delete(id)
    },
  }
}

export interface ScriptContext {
  /** Returns the module that a specifier leads to; null for an unknown specifier. */
  find(specifier: string): ImportedModule | null
  /** See `SiteGraph.matchesOf`. */
  matches: readonly string[]
  /** Returns the URL of the script of a module. */
  urlOf(id: string): string
  /** The scripts of packages by their specifiers. See `PackageBundle`. */
  packages: Readonly<Record<string, PackageScript>>
  /** Which of the module and the modules that it imports are CommonJS, with the names that they export. */
  commonJs: ReadonlyMap<string, readonly string[]>
}

/** Returns a module as a script. An import of a path that leads to no module is not changed. */
function writeModuleScript(id: string, module: BrowserModule, context: ScriptContext): string {
  const { code, program, requires, expressions } = module
  const start = `const { $RefreshReg$, $RefreshSig$ } = __hydrant_dev__.module(${JSON.stringify(id)}, import.meta.url);`
  const targetOf = (specifier: string) => findTarget(specifier, context)
  const rewritten = rewriteImports(code, program, targetOf, context.matches, module.exports)
  const matched = expressions.required.length > 0 ? context.matches : []
  const required = [...requires, ...matched].flatMap((specifier): [string, RequireTarget][] => {
    const target = findRequired(specifier, context)
    return target ? [[specifier, target]] : []
  })
  return start + completeRequires(rewritten, new Map(required), context.commonJs.has(id))
}

/** Returns what an import becomes: the script of a module or a package; null to keep it. */
function findTarget(specifier: string, { find, urlOf, packages, commonJs }: ScriptContext): ImportTarget | null {
  const imported = find(specifier)
  if (imported === null) return /^[./]/.test(specifier) ? null : toPackage(specifier, packages)
  if ('package' in imported) return imported.isLeft ? { url: imported.package } : toPackage(imported.package, packages)
  // The document has the stylesheets.
  if (isStylesheet(imported.id)) return { namespace: '0' }
  const url = urlOf(imported.id)
  const names = commonJs.get(imported.id)
  return names ? { script: url, namespaceOf: (script) => `${script}.default.namespace()`, names } : { url }
}

function findRequired(specifier: string, { find, urlOf, packages, commonJs }: ScriptContext): RequireTarget | null {
  const target = find(specifier)
  if (target === null) return null
  if ('package' in target) {
    const script = packages[REQUIRED + target.package]
    return script ? { kind: 'package', url: nextTo(script) } : { kind: 'missing', expression: missing(target.package) }
  }
  if (isStylesheet(target.id)) return { kind: 'style' }
  const kind = commonJs.has(target.id) ? 'commonjs' : target.id.endsWith('.json') ? 'json' : 'esm'
  return { kind, url: urlOf(target.id) }
}

function toPackage(specifier: string, packages: ScriptContext['packages']): ImportTarget | null {
  if (isUrl(specifier)) return null
  const script = packages[specifier]
  if (!script) return { namespace: missing(specifier) }
  if (!script.isCommonJs) return { url: nextTo(script) }
  const namespaceOf = (namespace: string) => `__hydrant_dev__.namespace(${namespace})`
  return { script: nextTo(script), namespaceOf, names: script.names }
}

const nextTo = ({ file }: PackageScript) => `./${file}`

/** Returns the expression for a package that was imported after the last scan. */
const missing = (specifier: string) => `__hydrant_dev__.missing(${JSON.stringify(specifier)})`

/** Returns the script that a document names for a page, a layout or an error page, with the position of its data. */
export function writeRootScript(url: string, position: string): string {
  return `__hydrant_dev__.since(${JSON.stringify(position)})\nexport { default } from ${JSON.stringify(url)}\n`
}

function withMap(script: string, map: EncodedSourceMap): string {
  const json = Buffer.from(JSON.stringify(map)).toString('base64')
  return `${script}\n//# sourceMappingURL=data:application/json;base64,${json}\n`
}

type RequireTarget =
  | { kind: 'package' | 'commonjs' | 'json' | 'esm'; url: string }
  /** `expression` throws. */
  | { kind: 'missing'; expression: string }
  | { kind: 'style' }

/**
 * Completes a script that calls `require`, on one line before it. A CommonJS module becomes a module whose default
 * export has the functions `load` and `namespace`: it is evaluated when it is first used, as in a bundle.
 *
 * @param targets The required modules by their specifiers. A call with another specifier throws.
 */
function completeRequires(code: string, targets: ReadonlyMap<string, RequireTarget>, isCommonJs: boolean): string {
  const imports: string[] = []
  const members = [...targets].map(([specifier, target], index) => {
    const local = `hydrantModule${index}`
    if ('url' in target) {
      const binding = target.kind === 'esm' ? `* as ${local}` : local
      imports.push(`import ${binding} from ${JSON.stringify(target.url)};`)
    }
    return `${JSON.stringify(specifier)}: () => ${expressionOf(target, local)}`
  })
  const object = `{ ${members.join(', ')} }`
  if (isCommonJs) {
    const start = `export default __hydrant_dev__.commonJs(${object}, function (module, exports, require) {`
    return `${imports.join('')}${start}${code}\n});`
  }
  return targets.size === 0
    ? code
    : `${imports.join('')}const require = __hydrant_dev__.createRequire(${object});${code}`
}

function expressionOf(target: RequireTarget, local: string): string {
  switch (target.kind) {
    case 'package':
      return `${local}()`
    case 'missing':
      return target.expression
    case 'commonjs':
      return `${local}.load()`
    case 'json':
      return local
    case 'esm':
      return `({ __esModule: true, ...${local} })`
    case 'style':
      return '({})'
  }
}
