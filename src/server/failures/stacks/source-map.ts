import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eachMapping, type TraceMap } from '@jridgewell/trace-mapping'
import type { MappedBundle } from '../../build-output/loaded-bundles.ts'
import type { CodeLines, SourceFrame } from '../../errors/failure-record.ts'
import { remember } from '../../util/bounded-cache.ts'
import { toSitePath } from '../../util/to-site-path.ts'
import { isCaller } from './error-stack.ts'
import type { ServerMapFields } from './function-names.ts'
import { createLocator, type Locator } from './locator.ts'
import { decodeSource, linesAround, type MapFile, readMapFile } from './source-map-file.ts'
import { frameText, type MappedFrame, readFrame } from './stack-frame.ts'

export interface SourceMapper {
  /** Maps a frame of a stack to the source. A frame of another file stays as it is. */
  mapFrame(frame: string): MappedFrame
  /** Returns the source's name of a class or function of the site. */
  mapName(name: string): string
  /**
   * Returns the source around a frame in the site at the time of the build, or null when the map does not contain it.
   */
  codeAround(frame: SourceFrame): CodeLines | null
}

/** Maps frames of the server's bundles. */
export interface ServerMapper extends SourceMapper, Locator {}

/** The source map of a bundle, with the bundle's text. */
export interface LoadedMap extends MapFile<ServerMapFields> {
  code: string
  /**
   * The names that bundling changed, for each source: esbuild numbers names that collide, so `load2` may be `load`
   * there.
   */
  renamed: Map<string, Renamed>
}

type Renamed = Map<string, string>

const MAX_KNOWN_FRAMES = 2_000

/**
 * Creates a mapper for the files in `bundles`, each of which has its map beside it. A map is read with the first
 * failure that needs it. A missing or broken map leaves frames unchanged.
 */
export function createSourceMapper(siteDir: string, bundles: readonly MappedBundle[]): ServerMapper {
  const maps = new WeakMap<MappedBundle, LoadedMap | null>()
  // perf: most failures occur again. A cached frame takes about a tenth of the time of a mapped one (measured).
  const known = new Map<string, MappedFrame>()

  function load(bundle: MappedBundle): LoadedMap | null {
    const known = maps.get(bundle)
    if (known !== undefined) return known
    const loaded = readMap(bundle, siteDir)
    maps.set(bundle, loaded)
    return loaded
  }

  /** Returns the bundles that may contain a file or a text, with their maps. */
  function* mapped(part: { file: string } | { text: string }) {
    for (const bundle of bundles) {
      const map = bundle.mayHave?.(part) === false ? null : load(bundle)
      if (map) yield { path: bundle.path, map }
    }
  }

  function mapName(name: string): string {
    for (const { map } of mapped({ text: name })) {
      for (const renamed of map.renamed.values()) {
        const original = renamed.get(name)
        if (original !== undefined) return original
      }
    }
    return name
  }

  // Returns the names that bundling changed in one file of the site.
  function renamedIn(path: string): Renamed | undefined {
    for (const bundle of mapped({ file: toSitePath(siteDir, path) })) {
      for (const [source, renamed] of bundle.map.renamed) {
        if (resolve(dirname(bundle.path), decodeSource(source)) === path) return renamed
      }
    }
    return undefined
  }

  // With --enable-source-maps Node.js has mapped the place, but not the name of the function.
  function mappedByNode(text: string, raw: SourceFrame, isAsync: boolean): MappedFrame {
    const isBundle = bundles.some(({ path }) => path === raw.file)
    const file = toSitePath(siteDir, raw.file)
    if (isBundle)
      return { text, frame: { ...raw, unmapped: 'the source map of this file is missing or cannot be read' } }
    if (!/\.[jt]sx?$/.test(file) || /^\.|(^|\/)node_modules\//.test(file) || isCaller(raw.file))
      return { text, frame: raw }
    const frame = { ...raw, file, function: originalName(raw.function, renamedIn(raw.file)), isSite: true }
    return { text: frameText(frame, isAsync), frame }
  }

  function map(text: string): MappedFrame {
    const read = readFrame(text)
    if (!read) return { text, frame: null }
    const { isAsync, location, function: name, line, column } = read
    const raw = { file: toPath(location), line, column, function: name, isSite: false }
    const bundle = bundles.find(({ path }) => path === raw.file)
    const loaded = bundle ? load(bundle) : null
    if (!loaded) return mappedByNode(text, raw, isAsync)
    const place = loaded.placeOf(line, column)
    if (!place) return { text, frame: raw }
    const { source, ...rest } = place
    const frame = { ...rest, function: originalName(name, loaded.renamed.get(source)) }
    return { text: frameText(frame, isAsync), frame }
  }

  function mapFrame(text: string): MappedFrame {
    return known.get(text) ?? remember(known, MAX_KNOWN_FRAMES, text, map(text))
  }

  function codeAround({ file, line }: SourceFrame): CodeLines | null {
    const lines = [...mapped({ file })].flatMap(({ map }) => map.sources.get(file) ?? [])
    return linesAround(lines, line)
  }

  return { mapFrame, mapName, codeAround, ...createLocator(mapped, mapFrame) }
}

function toPath(location: string): string {
  if (!location.startsWith('file://')) return location
  try {
    return fileURLToPath(location.replace(/[?#].*$/, ''))
  } catch {
    return location
  }
}

function readMap(bundle: MappedBundle, siteDir: string): LoadedMap | null {
  try {
    const file = bundle.findFile()
    if (file === null) return null
    const map = bundle.completeMap?.() ?? readFileSync(`${file}.map`, 'utf8')
    const text = readFileSync(file, 'utf8')
    // A new build may have replaced the file between the two reads.
    if (bundle.findFile() !== file) return readMap(bundle, siteDir)
    const read = readMapFile<ServerMapFields>(map, dirname(bundle.path), siteDir)
    return { ...read, code: text, renamed: readRenames(read.trace, text.split('\n')) }
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

// Restores the source's names in `Object.load2 [as load]`, `new Cart` or `Cart.total`.
function originalName(name: string, renamed: Renamed | undefined): string {
  const called = name.replace(/ \[as [^\]]*\]$/, '').replace(/^Object\./, '')
  if (called === '<anonymous>') return ''
  return called.replace(/[\w$]+/g, (token) => renamed?.get(token) ?? token)
}
