import { readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EncodedSourceMap, eachMapping, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import type { CodeLines, SourceFrame } from './ledger/ledger.ts'

export interface MappedFrame {
  /** As it stands in a stack: `    at load (pages/index.server.ts:3:9)`. */
  text: string
  /** Null for a line that names no place. */
  frame: SourceFrame | null
}

export interface SourceMapper {
  /** Turns a frame of a stack into one of the site's source. Frames of other files stay as they are. */
  mapFrame(frame: string): MappedFrame
  /** The name in the source of a class or function of the site. */
  mapName(name: string): string
  /** The source around a frame of the site, as the build had it; null when the map does not hold it. */
  codeAround(frame: SourceFrame): CodeLines | null
}

interface LoadedMap {
  map: TraceMap
  /** Lines of the site's files, by their path in the site. */
  sources: Map<string, readonly string[]>
  /** Names that bundling changed, by source: esbuild numbers what collides, `load2` was `load` there. */
  renamed: Map<string, Renamed>
}

type Renamed = Map<string, string>

const FRAME = /^ {4}at (?:(async )?(.*?) \()?([^\s()]*?|file:\/\/.*?|\/.*?|[A-Za-z]:\\.*?):(\d+):(\d+)\)?$/
const LINES_AROUND = 5
const MAX_LINE = 300
const MAX_KNOWN_FRAMES = 2_000

/**
 * Maps frames of the files in `bundles` by the map beside each. A map is read at the first failure that needs it;
 * one that is missing or broken leaves the frame as it came.
 */
export function createSourceMapper(siteDir: string, bundles: readonly string[]): SourceMapper {
  const maps = new Map<string, LoadedMap | null>()
  // What fails once often fails again, and mapping is most of what a failure costs.
  const known = new Map<string, MappedFrame>()

  function load(bundle: string): LoadedMap | null {
    const known = maps.get(bundle)
    if (known !== undefined) return known
    const loaded = bundles.includes(bundle) ? readMap(bundle, siteDir) : null
    maps.set(bundle, loaded)
    return loaded
  }

  function mapName(name: string): string {
    const maps = bundles.flatMap((bundle) => [...(load(bundle)?.renamed.values() ?? [])])
    return maps.find((renamed) => renamed.has(name))?.get(name) ?? name
  }

  // The names that bundling changed in one file of the site.
  function renamedIn(path: string): Renamed | undefined {
    for (const bundle of bundles) {
      for (const [source, renamed] of load(bundle)?.renamed ?? []) {
        if (resolve(dirname(bundle), decode(source)) === path) return renamed
      }
    }
    return undefined
  }

  // With --enable-source-maps Node has mapped the place, but not the name.
  function mappedByNode(text: string, raw: SourceFrame, isAsync: string): MappedFrame {
    const isBundle = bundles.includes(raw.file)
    const file = toSitePath(siteDir, raw.file)
    if (isBundle) return { text, frame: { ...raw, unmapped: 'its source map is missing or cannot be read' } }
    if (!/\.[jt]sx?$/.test(file) || /^\.|(^|\/)node_modules\//.test(file)) return { text, frame: raw }
    const frame = { ...raw, file, function: originalName(raw.function, renamedIn(raw.file)), isSite: true }
    return { text: frameText(isAsync, frame), frame }
  }

  function map(text: string): MappedFrame {
    const match = FRAME.exec(text)
    if (!match) return { text, frame: null }
    const [, isAsync = '', name = '', location = '', line, column] = match
    const bundle = toPath(location)
    const raw = { file: bundle, line: Number(line), column: Number(column), function: name, isSite: false }
    const loaded = load(bundle)
    if (!loaded) return mappedByNode(text, raw, isAsync)
    const position = originalPositionFor(loaded.map, { line: raw.line, column: raw.column - 1 })
    if (position.source === null) return { text, frame: raw }
    const file = toSitePath(siteDir, resolve(dirname(bundle), decode(position.source)))
    const frame = {
      file,
      line: position.line,
      column: position.column + 1,
      function: originalName(name, loaded.renamed.get(position.source)),
      isSite: !file.includes('node_modules/'),
    }
    return { text: frameText(isAsync, frame), frame }
  }

  function mapFrame(text: string): MappedFrame {
    const found = known.get(text)
    if (found) return found
    if (known.size >= MAX_KNOWN_FRAMES) known.clear()
    const mapped = map(text)
    known.set(text, mapped)
    return mapped
  }

  function codeAround({ file, line }: SourceFrame): CodeLines | null {
    const lines = bundles.flatMap((bundle) => load(bundle)?.sources.get(file) ?? [])
    if (line < 1 || line > lines.length) return null
    const firstLine = Math.max(1, line - LINES_AROUND)
    const around = lines.slice(firstLine - 1, line + LINES_AROUND)
    return { firstLine, lines: around.map((text) => text.slice(0, MAX_LINE)) }
  }

  return { mapFrame, mapName, codeAround }
}

function frameText(isAsync: string, { file, line, column, function: name }: SourceFrame): string {
  const place = `${file}:${line}:${column}`
  return name ? `    at ${isAsync}${name} (${place})` : `    at ${isAsync}${place}`
}

function toPath(location: string): string {
  if (!location.startsWith('file://')) return location
  try {
    return fileURLToPath(location.replace(/[?#].*$/, ''))
  } catch {
    return location
  }
}

// A source is written as a URL: `%5Bid%5D.tsx`.
function decode(source: string): string {
  try {
    return decodeURI(source)
  } catch {
    return source
  }
}

function toSitePath(siteDir: string, file: string): string {
  return relative(siteDir, file).split(sep).join('/')
}

function readMap(bundle: string, siteDir: string): LoadedMap | null {
  try {
    // A source map as esbuild writes it; TraceMap throws for anything else.
    const map = new TraceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as EncodedSourceMap)
    const sources = map.sources.map((source, index): [string, readonly string[]] => {
      const file = source === null ? '' : toSitePath(siteDir, resolve(dirname(bundle), decode(source)))
      return [file, file.includes('node_modules/') ? [] : (map.sourcesContent?.[index]?.split('\n') ?? [])]
    })
    return { map, sources: new Map(sources), renamed: readRenames(map, readFileSync(bundle, 'utf8').split('\n')) }
  } catch {
    return null
  }
}

function readRenames(map: TraceMap, lines: readonly string[]): Map<string, Renamed> {
  const renamed = new Map<string, Renamed>()
  eachMapping(map, ({ generatedLine, generatedColumn, name, source }) => {
    if (name === null || source === null) return
    const token = /^[\w$]+/.exec(lines[generatedLine - 1]?.slice(generatedColumn) ?? '')?.[0]
    if (token === undefined || token === name) return
    const names = renamed.get(source) ?? new Map<string, string>()
    renamed.set(source, names.set(token, name))
  })
  return renamed
}

// `Object.load2 [as load]`, `new Cart`, `Cart.total`: the name in the source is the same however it was called.
function originalName(name: string, renamed: Renamed | undefined): string {
  const called = name.replace(/ \[as [^\]]*\]$/, '').replace(/^Object\./, '')
  if (called === '<anonymous>') return ''
  return called.replace(/[\w$]+/g, (token) => renamed?.get(token) ?? token)
}
