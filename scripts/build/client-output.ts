import { posix } from 'node:path'
import type { BuildResult, Metafile } from 'esbuild'
import type { ClientModule, Manifest } from '../../src/server/manifest.ts'
import { compareText } from '../problem.ts'
import type { Assets } from './assets.ts'
import type { BundleOptions } from './bundler.ts'
import { CLIENT_ENTRY } from './bundles.ts'
import { applyNames, nameByContent } from './content-names.ts'
import { VIRTUAL } from './virtual-modules.ts'

export interface ClientOutput extends Pick<Manifest, 'entry' | 'entryImports' | 'modules'> {
  /** By name in the client folder. */
  files: Map<string, string | Uint8Array>
  /** By the name of the file that each belongs to. */
  maps: Map<string, Uint8Array>
}

/** Reads the browser's bundle: which files there are, what they are called, and which of them each module needs. */
export function readClientOutput(result: BuildResult<BundleOptions>, assets: readonly Assets[]): ClientOutput {
  const outputs = new Map(result.outputFiles.map((file) => [posix.basename(file.path.replaceAll('\\', '/')), file]))
  const graph = readGraph(result.metafile)
  const bundled = [...graph.references].flatMap(([name, references]) => {
    const text = outputs.get(name)?.text
    return text === undefined ? [] : [{ name, text, references }]
  })
  const names = nameByContent(bundled)
  const rename = (name: string) => names.get(name) ?? name

  const files = new Map<string, string | Uint8Array>(assets.flatMap((source) => [...source.files]))
  const maps = new Map<string, Uint8Array>()
  for (const file of bundled) {
    files.set(rename(file.name), applyNames(file, names))
    const licenses = outputs.get(`${file.name}.LEGAL.txt`)
    if (licenses) files.set(`${rename(file.name)}.LEGAL.txt`, licenses.contents)
    const map = outputs.get(`${file.name}.map`)
    if (map) maps.set(rename(file.name), map.contents)
  }

  const entry = graph.entries.get(CLIENT_ENTRY)?.js ?? ''
  const entryImports = reach(graph.imports, entry)
  const modules = [...graph.entries].flatMap(([file, { js, css }]): [string, ClientModule][] => {
    if (file === CLIENT_ENTRY) return []
    const imports = reach(graph.imports, js).filter((name) => name !== entry && !entryImports.includes(name))
    return [[file, { js: rename(js), imports: imports.map(rename), css: css.map(rename) }]]
  })
  return {
    files,
    maps,
    entry: rename(entry),
    entryImports: entryImports.map(rename),
    modules: Object.fromEntries(modules.sort(([a], [b]) => compareText(a, b))),
  }
}

interface Graph {
  /** By the module that each was made for. */
  entries: Map<string, { js: string; css: string[] }>
  /** What each file imports statically. */
  imports: Map<string, string[]>
  /** What each file imports at all: every script, and the stylesheets that belong to an entry. */
  references: Map<string, string[]>
}

function readGraph({ outputs }: Metafile): Graph {
  const graph: Graph = { entries: new Map(), imports: new Map(), references: new Map() }
  for (const [path, { entryPoint, cssBundle, imports }] of Object.entries(outputs)) {
    const name = posix.basename(path)
    const own = imports.filter(({ external }) => !external)
    if (name.endsWith('.js'))
      graph.references.set(
        name,
        own.map((needed) => posix.basename(needed.path)),
      )
    const needed = own.filter(({ kind }) => kind === 'import-statement')
    graph.imports.set(
      name,
      needed.map((one) => posix.basename(one.path)),
    )
    if (!entryPoint?.startsWith(`${VIRTUAL}:`)) continue
    // The stylesheet of a module that is loaded later is part of the page's own as well.
    const css = cssBundle === undefined ? [] : [posix.basename(cssBundle)]
    graph.entries.set(entryPoint.slice(VIRTUAL.length + 1), { js: name, css })
    for (const sheet of css) graph.references.set(sheet, [])
  }
  return graph
}

/** Everything that is loaded with a file, nearest first. */
function reach(imports: ReadonlyMap<string, readonly string[]>, from: string): string[] {
  const found = new Set([from])
  for (const name of found) for (const next of imports.get(name) ?? []) found.add(next)
  found.delete(from)
  return [...found]
}
