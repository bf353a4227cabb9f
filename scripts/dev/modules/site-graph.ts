import { posix } from 'node:path'
import type { Metafile } from 'esbuild'
import { inputPath } from '../../build/esbuild/bundler.ts'
import { applyAlias } from '../../build/esbuild/externals.ts'
import type { ExternalImports } from './observe-plugins.ts'

/** A module by its id, or a package or URL. `isLeft`: a plugin leaves the import to the browser or Node.js. */
export type ImportedModule = { id: string } | { package: string; isLeft?: true }

interface GraphNode {
  imports: Map<string, ImportedModule>
  /** The specifiers of the modules that an `import()` with a pattern may import, as `./texts/${language}.ts`. */
  matches: string[]
  importers: Set<string>
  /** Whether the module is written as CommonJS. */
  isCommonJs: boolean
}

/**
 * The modules of one side of a site and their imports. The id of a module is its path in the site, with symbolic links
 * resolved, or the name of a namespace, a colon and a path for a module that a plugin of the build provides.
 */
export type SiteGraph = ReturnType<typeof createSiteGraph>

/** The functions of esbuild that a bundle with CommonJS modules has. */
const ESBUILD_RUNTIME = '<runtime>'

/** Before the specifier of a package that a module requires: `require` can lead to another file than `import`. */
export const REQUIRED = 'require:'
/** How stylesheets import. What they import is a URL, or a module of the site. */
const OF_STYLESHEETS: readonly string[] = ['url-token', 'import-rule', 'composes-from']

/** The graph of a site that has not been scanned. */
export const EMPTY_GRAPH = createSiteGraph(
  { inputs: {}, outputs: {} },
  { alias: {}, isEntry: () => false, externals: { find: () => undefined, has: () => false } },
)

/** Returns whether esbuild leaves an import to the browser. */
export function isUrl(specifier: string): boolean {
  return /^(?:https?:|data:|\/\/)/.test(specifier)
}

export interface SiteGraphOptions {
  alias: Record<string, string>
  /** Recognizes the modules that only the build has. */
  isEntry(id: string): boolean
  /** The imports that plugins leave out. */
  externals: ExternalImports
}

/** Creates a graph from the result of a bundle. */
export function createSiteGraph({ inputs }: Metafile, { alias, isEntry, externals }: SiteGraphOptions) {
  const nodes = new Map<string, GraphNode>()
  const packages = new Set<string>()
  const entries = Object.entries(inputs).flatMap(([input, { imports }]) => (isEntry(inputPath(input)) ? imports : []))
  const links = new Map<string, string>()
  for (const { path, original = path } of entries) {
    const file = original.replace(/^\.\//, '')
    if (file !== inputPath(path)) links.set(file, inputPath(path))
  }
  for (const [input, { format }] of Object.entries(inputs)) {
    const id = inputPath(input)
    const isCommonJs = format === 'cjs'
    if (!isEntry(id)) nodes.set(id, { imports: new Map(), matches: [], importers: new Set(), isCommonJs })
  }
  for (const [importer, { imports }] of Object.entries(inputs)) {
    const node = nodes.get(inputPath(importer))
    if (!node) continue
    for (const { path: input, original = input, external, kind } of imports) {
      if (input === ESBUILD_RUNTIME) continue
      const path = inputPath(input)
      if (external && isPattern(path)) {
        for (const [specifier, id] of matchPattern(importer, path, nodes.keys())) {
          node.imports.set(specifier, { id })
          node.matches.push(specifier)
          nodes.get(id)?.importers.add(importer)
        }
        continue
      }
      const target = external ? null : nodes.get(path)
      if (!target && OF_STYLESHEETS.includes(kind)) continue
      target?.importers.add(importer)
      node.imports.set(original, target ? { id: path } : { package: path })
      if (!target && !isUrl(path) && !externals.has(importer, path))
        packages.add(kind === 'require-call' ? REQUIRED + path : path)
    }
  }

  /** Returns the ids that a module imports, in the order of their imports. */
  function importedIds(id: string): string[] {
    const targets = [...(nodes.get(id)?.imports.values() ?? [])]
    return targets.flatMap((target) => ('id' in target ? [target.id] : []))
  }

  function reach(id: string): string[] {
    const found = new Set<string>()
    const order: string[] = []
    const waiting: { id: string; isDone: boolean }[] = [{ id, isDone: false }]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (next.isDone) order.push(next.id)
      else if (!found.has(next.id)) {
        found.add(next.id)
        waiting.push({ id: next.id, isDone: true })
        for (const child of importedIds(next.id).reverse()) waiting.push({ id: child, isDone: false })
      }
    }
    return order
  }

  return {
    has: (id: string) => nodes.has(id),
    ids: (): Iterable<string> => nodes.keys(),
    isCommonJs: (id: string) => nodes.get(id)?.isCommonJs ?? false,
    /** Returns the id of the module that a page, a layout, a server file or `server.ts` is, by its path in the site. */
    idOf: (file: string) => links.get(file) ?? file,
    /** The ids of those of these files whose path has a symbolic link. */
    links,
    linksTo: (id: string): readonly string[] => [...links].flatMap(([file, target]) => (target === id ? [file] : [])),
    /** Returns the module that a specifier of an importer leads to; null for an unknown specifier. */
    find(importer: string, specifier: string): ImportedModule | null {
      const left = externals.find(importer, specifier)
      if (left !== undefined) return { package: left, isLeft: true }
      const imports = nodes.get(importer)?.imports
      // esbuild lists packages after aliases.
      return imports?.get(specifier) ?? imports?.get(applyAlias(alias, specifier)) ?? null
    },
    /** Returns the specifiers of the modules that the patterns in `import()` of a module match. */
    matchesOf: (id: string): readonly string[] => nodes.get(id)?.matches ?? [],
    /** Returns what each specifier of a module leads to. */
    importsOf: (id: string): ReadonlyMap<string, ImportedModule> => nodes.get(id)?.imports ?? new Map(),
    importersOf: (id: string): Iterable<string> => nodes.get(id)?.importers ?? [],
    /** Returns a module and everything that it imports, in the order of evaluation. */
    reach,
    /** The packages that the modules import, sorted. `require:` is before the specifier of one that a module requires. */
    packages: [...packages].sort() as readonly string[],
  }
}

/** Returns the modules that the next graph lacks, and those whose specifiers or patterns lead elsewhere there. */
export function findMoved(graph: SiteGraph, next: SiteGraph): string[] {
  const leadsElsewhere = (id: string) => {
    if (graph.matchesOf(id).toSorted().join() !== next.matchesOf(id).toSorted().join()) return true
    const imports = next.importsOf(id)
    return [...graph.importsOf(id)].some(([specifier, target]) => {
      const other = imports.get(specifier)
      return other !== undefined && JSON.stringify(other) !== JSON.stringify(target)
    })
  }
  return [...graph.ids()].filter((id) => !next.has(id) || leadsElsewhere(id))
}

/** Returns the files whose symbolic links lead to other modules in the next graph. */
export function findRelinked(graph: SiteGraph, next: SiteGraph): string[] {
  const files = new Set([...graph.links, ...next.links].map(([file]) => file))
  return [...files].filter((file) => graph.idOf(file) !== next.idOf(file))
}

/** Returns whether a module imports something that it did not import when the site was scanned. */
export function hasNewImport(graph: SiteGraph, id: string, { specifiers }: { specifiers: readonly string[] }): boolean {
  return specifiers.some((specifier) => !graph.find(id, specifier))
}

/** Returns whether an import in a metafile is the pattern that esbuild makes of an `import()` with an expression. */
function isPattern(path: string): boolean {
  return /^\.\.?\//.test(path) && path.includes('*')
}

/** Finds the specifiers and ids that a pattern matches. `**` stands for folders, `*` for a part of a name. */
function matchPattern(importer: string, pattern: string, ids: Iterable<string>): [specifier: string, id: string][] {
  const folder = posix.dirname(importer)
  const source = posix
    .join(folder, pattern)
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (part) => (part === '*' ? '[^/]*' : '(?:.*/)?'))
  const path = new RegExp(`^${source}$`)
  const matching = [...ids].filter((id) => id !== importer && path.test(id))
  return matching.map((id) => {
    const specifier = posix.relative(folder, id)
    return [specifier.startsWith('../') ? specifier : `./${specifier}`, id]
  })
}
