import { posix } from 'node:path'
import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import type { BuildResult, Metafile } from 'esbuild'
import type { ClientModule, Manifest } from '../../../src/server/build-output/manifest.ts'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { compareText } from '../../build-problem.ts'
import { type Assets, contentHash, type FileOnDisk } from '../esbuild/assets.ts'
import { type BundleOptions, outputsByName } from '../esbuild/bundler.ts'
import { HYDRANT_FILES, hydrantPath } from '../esbuild/hydrant-files.ts'
import { CLIENT_ENTRY, VIRTUAL } from '../esbuild/virtual-modules.ts'
import { nameFunctions } from './find-functions.ts'
import { isOfSite, isOfSiteOrPackage, markThrown, rejectUnmatched } from './mark-thrown.ts'

export interface ClientOutput extends Pick<Manifest, 'dataReader' | 'entry' | 'entryImports' | 'modules'> {
  /** The contents of the files, by their names in the client folder. */
  files: Map<string, string | Uint8Array | FileOnDisk>
  /** The source maps, by the names of their scripts. */
  maps: Map<string, string>
}

/** Reads the browser's bundle: its files, their final names, and the files that each module needs. */
export function readClientOutput(
  result: BuildResult<BundleOptions>,
  assets: readonly Pick<Assets<Uint8Array | FileOnDisk>, 'files'>[],
  { siteDir, clientDir }: { siteDir: string; clientDir: string },
): ClientOutput {
  const outputs = outputsByName(result.outputFiles)
  const graph = readGraph(result.metafile, siteDir)
  const isMarked = (source: string) => isOfSiteOrPackage(source, clientDir)
  const bundled = [...graph.references].flatMap(([name, references]) => {
    const text = outputs.get(name)?.text
    const json = outputs.get(`${name}.map`)?.text
    if (text === undefined) return []
    const module = graph.sources.get(name)
    if (json === undefined) return [{ name, references, module, text, map: null }]
    // esbuild wrote the map, so its form is known.
    const script = { code: text, map: JSON.parse(json) as EncodedSourceMap }
    const { code, map } = rejectUnmatched(markThrown(script, isMarked))
    return [{ name, references, module, text: code, map }]
  })
  const entry = graph.entries.get(CLIENT_ENTRY)?.js ?? ''
  const names = nameByContent(bundled)
  const rename = (name: string) => names.get(name) ?? name

  const isForeign = (source: string) => !isOfSite(source, clientDir)
  const files: ClientOutput['files'] = new Map(assets.flatMap((source) => [...source.files]))
  const maps = new Map<string, string>()
  for (const file of bundled) {
    files.set(rename(file.name), applyNames(file, names))
    const licenses = outputs.get(`${file.name}.LEGAL.txt`)
    if (licenses) files.set(`${rename(file.name)}.LEGAL.txt`, licenses.contents)
    if (file.map) maps.set(rename(file.name), nameFunctions(file.text, file.map, isForeign))
  }

  const entryImports = reach(graph.imports, entry)
  const dataReader = [graph.dataReader, ...reach(graph.imports, graph.dataReader)].filter(
    (name) => name !== entry && !entryImports.includes(name),
  )
  const modules = [...graph.entries].flatMap(([file, { js, css }]): [string, ClientModule][] => {
    if (file === CLIENT_ENTRY) return []
    const imports = reach(graph.imports, js).filter((name) => name !== entry && !entryImports.includes(name))
    return [[file, { js: rename(js), imports: imports.map(rename), css: css.map(rename) }]]
  })
  return {
    files,
    maps,
    dataReader: dataReader.map(rename),
    entry: rename(entry),
    entryImports: entryImports.map(rename),
    modules: Object.fromEntries(modules.sort(([a], [b]) => compareText(a, b))),
  }
}

interface Graph {
  /** The files of each entry module, by its name. */
  entries: Map<string, { js: string; css: string[] }>
  dataReader: string
  /** The static imports of each file. */
  imports: Map<string, string[]>
  /** All imports, also dynamic ones, of each script and of each stylesheet that belongs to an entry. */
  references: Map<string, string[]>
  /** The module of the site that a script begins with, if it is not one that others share. */
  sources: Map<string, string>
}

function readGraph({ outputs }: Metafile, siteDir: string): Graph {
  // A metafile has paths relative to the site's folder.
  const clientEntry = toSitePath(siteDir, hydrantPath(HYDRANT_FILES.clientEntry))
  const unflatten = toSitePath(siteDir, hydrantPath(HYDRANT_FILES.unflatten))
  const graph: Graph = {
    entries: new Map(),
    dataReader: '',
    imports: new Map(),
    references: new Map(),
    sources: new Map(),
  }
  for (const [path, { entryPoint, cssBundle, imports, inputs }] of Object.entries(outputs)) {
    const name = posix.basename(path)
    const bundled = imports.filter(({ external }) => !external)
    // The code of the entry is in a chunk that the pages share; the entry's own file only imports that chunk.
    if (entryPoint === `${VIRTUAL}:${CLIENT_ENTRY}` && isEmpty(inputs)) continue
    if (clientEntry in inputs && !graph.entries.has(CLIENT_ENTRY)) {
      graph.entries.set(CLIENT_ENTRY, { js: name, css: [] })
    }
    // A page may have the same code as another one, and the browser must not take one for the other. The name must not
    // depend on the place of a package.
    if (entryPoint && !/(?:^|\/)(?:\.\.|node_modules)\//.test(entryPoint)) graph.sources.set(name, entryPoint)
    if (name.endsWith('.js'))
      graph.references.set(
        name,
        bundled.map((needed) => posix.basename(needed.path)),
      )
    const needed = bundled.filter(({ kind }) => kind === 'import-statement')
    graph.imports.set(
      name,
      needed.map((one) => posix.basename(one.path)),
    )
    if (entryPoint === unflatten) graph.dataReader = name
    if (!entryPoint?.startsWith(`${VIRTUAL}:`)) continue
    // The page's stylesheet includes the stylesheets of modules that it imports dynamically.
    const css = cssBundle === undefined ? [] : [posix.basename(cssBundle)]
    graph.entries.set(entryPoint.slice(VIRTUAL.length + 1), { js: name, css })
    for (const sheet of css) graph.references.set(sheet, [])
  }
  return graph
}

function isEmpty(inputs: Metafile['outputs'][string]['inputs']): boolean {
  return Object.values(inputs).every(({ bytesInOutput }) => bytesInOutput === 0)
}

/** Lists the files that are loaded with a file, nearest first. */
function reach(imports: ReadonlyMap<string, readonly string[]>, from: string): string[] {
  const found = new Set([from])
  for (const name of found) for (const next of imports.get(name) ?? []) found.add(next)
  found.delete(from)
  return [...found]
}

export interface BundledFile {
  name: string
  text: string
  /** Names of the bundled files in its text. */
  references: readonly string[]
  /** The module that only this file contains (none). Files of different modules have different names. */
  module?: string | undefined
}

/**
 * Returns new names for bundled files. A name is a hash of the content of the file and of all files that it refers to.
 * esbuild's hashes include the paths of the sources, which depend on where a package is installed. A new name is as
 * long as the old one, so that positions in source maps stay valid.
 */
export function nameByContent(files: readonly BundledFile[]): Map<string, string> {
  const parsed = new Map(files.map((file) => [file.name, parse(file)]))
  const renamed = new Map<string, string>()
  const stylesheets = new Map<string, string>()
  for (const name of [...parsed.keys()].sort()) {
    const hash = contentHash(describeFile(name, parsed), parsed.get(name)?.module ?? '')
    const newName = name.replace(/[A-Z2-7]{8}(?=\.\w+$)/, hash)
    // Pages often have equal stylesheets: under one name a browser fetches them once.
    const equal = newName.endsWith('.css') ? stylesheets.get(hash) : undefined
    renamed.set(name, equal ?? newName)
    stylesheets.set(hash, equal ?? newName)
  }
  return renamed
}

export function applyNames({ text, references }: BundledFile, names: ReadonlyMap<string, string>): string {
  return references.reduce((rest, name) => rest.replaceAll(name, names.get(name) ?? name), text)
}

interface ParsedFile extends Pick<BundledFile, 'module'> {
  hash: string
  references: string[]
}

function parse({ text, references, module }: BundledFile): ParsedFile {
  const inOrder = [...new Set(references)].sort((a, b) => text.indexOf(a) - text.indexOf(b))
  const plain = inOrder.reduce((rest, name, index) => rest.replaceAll(name, `\0${index}`), text)
  return { hash: contentHash(plain), references: inOrder, module }
}

/** Describes a file by the hashes of all files that it leads to. References are numbers, as they may be circular. */
function describeFile(name: string, files: ReadonlyMap<string, ParsedFile>): string {
  const order = new Map([[name, 0]])
  const lines: string[] = []
  for (const [current] of order) {
    const file = files.get(current)
    const numbers = (file?.references ?? []).map((reference) => {
      const number = order.get(reference) ?? order.size
      order.set(reference, number)
      return number
    })
    lines.push(`${file?.hash} ${numbers.join(' ')}`)
  }
  return lines.join('\n')
}
