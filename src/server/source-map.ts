import { readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EncodedSourceMap, eachMapping, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import type { Frame } from './digest.ts'

export interface MappedFrame {
  /** As it stands in a stack: `    at load (pages/index.server.ts:3:9)`. */
  text: string
  /** Set for a frame inside the site. */
  site?: Frame
}

export interface SourceMapper {
  /** Turns a frame of a stack into one of the site's source. Frames of other files stay as they are. */
  mapFrame(frame: string): MappedFrame
  /** The name in the source of a class or function of the site. */
  mapName(name: string): string
}

interface LoadedMap {
  map: TraceMap
  /** Names that bundling changed, by source: esbuild numbers what collides, `load2` was `load` there. */
  renamed: Map<string, Renamed>
}

type Renamed = Map<string, string>

const FRAME = /^ {4}at (?:(async )?(.*?) \()?(file:\/\/.*?|\/.*?|[A-Za-z]:\\.*?):(\d+):(\d+)\)?$/

/**
 * Maps frames of the files in `bundles` by the map beside each. A map is read at the first failure that needs it;
 * one that is missing or broken leaves the frame as it came.
 */
export function createSourceMapper(siteDir: string, bundles: readonly string[]): SourceMapper {
  const maps = new Map<string, LoadedMap | null>()

  function load(bundle: string): LoadedMap | null {
    const known = maps.get(bundle)
    if (known !== undefined) return known
    const loaded = bundles.includes(bundle) ? readMap(bundle) : null
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
  function mappedByNode({
    text,
    path,
    name,
    isAsync,
    at,
  }: Record<'text' | 'path' | 'name' | 'isAsync' | 'at', string>) {
    const file = toSitePath(siteDir, path)
    if (!/\.[jt]sx?$/.test(file) || /^\.|(^|\/)node_modules\//.test(file)) return { text }
    const original = originalName(name, renamedIn(path))
    return { text: frameText(isAsync, original, `${file}:${at}`), site: { file, function: original } }
  }

  function mapFrame(frame: string): MappedFrame {
    const match = FRAME.exec(frame)
    if (!match) return { text: frame }
    const [, isAsync = '', name = '', location = '', line, column] = match
    const bundle = toPath(location)
    const loaded = load(bundle)
    if (!loaded) return mappedByNode({ text: frame, path: bundle, name, isAsync, at: `${line}:${column}` })
    const position = originalPositionFor(loaded.map, { line: Number(line), column: Number(column) - 1 })
    if (position.source === null) return { text: frame }
    const file = toSitePath(siteDir, resolve(dirname(bundle), decode(position.source)))
    const original = originalName(name, loaded.renamed.get(position.source))
    const place = `${file}:${position.line}:${position.column + 1}`
    const text = frameText(isAsync, original, place)
    return file.includes('node_modules/') ? { text } : { text, site: { file, function: original } }
  }

  return { mapFrame, mapName }
}

function frameText(isAsync: string, name: string, place: string): string {
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

function readMap(bundle: string): LoadedMap | null {
  try {
    // A source map as esbuild writes it; TraceMap throws for anything else.
    const map = new TraceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as EncodedSourceMap)
    return { map, renamed: readRenames(map, readFileSync(bundle, 'utf8').split('\n')) }
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
