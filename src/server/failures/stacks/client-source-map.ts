import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ASSETS_PATH, withBase } from '../../../shared/paths.ts'
import { BUILD_PATHS } from '../../build-output/manifest.ts'
import type { CodeLines, SourceFrame } from '../../errors/failure-record.ts'
import { parseUrl } from '../../util/addresses.ts'
import { createTextCache } from '../../util/memoize.ts'
import type { SourceMapper } from './source-map.ts'
import { functionAt, linesAround, type MapFile, type NamedMap, readMapFile } from './source-map-file.ts'
import { frameText, type MappedFrame, readFrame } from './stack-frame.ts'

export interface ClientMapper extends SourceMapper {
  /** Returns the source's name of a class that has this name in one of the scripts of the frames. */
  typeName(name: string, frames: readonly string[]): string
  /** Returns the place of the component with this name in the scripts; null when there is none or more than one. */
  locateComponent(name: string, scripts: readonly string[]): MappedFrame | null
}

/** The location of a frame is a complete URL. */
const ORIGIN = 'http://localhost'

/** Creates a mapper for the scripts that this build and the builds before it served to browsers. */
export function createClientMapper(input: ScriptMapsInput): ClientMapper {
  const maps = createScriptMaps(input)
  const origins = new WeakMap<SourceFrame, ScriptMap>()

  function mapFrame(text: string): MappedFrame {
    const read = readFrame(text)
    if (!read) return { text, frame: null }
    const { isAsync, location, function: name, line, column } = read
    const raw = { file: location, line, column, function: name, isSite: false }
    const map = maps.ofUrl(location)
    if (map === undefined) return { text, frame: raw }
    if (map === null)
      return { text, frame: { ...raw, unmapped: 'the source map of this script is missing or cannot be read' } }
    const place = map.placeOf(line, column)
    if (!place)
      return { text, frame: { ...raw, unmapped: 'the source map of this script has no source for this position' } }
    const { source: _, ...rest } = place
    const sourceName = functionAt(map.fields.x_hydrant_functions ?? [], line - 1, column - 1)
    const frame = { ...rest, function: rest.isSite ? sourceName : name }
    origins.set(frame, map)
    return { text: frameText(frame, isAsync), frame }
  }

  return {
    mapFrame,
    mapName: (name) => name,
    typeName(name, frames) {
      for (const text of frames) {
        const classes = maps.ofUrl(readFrame(text)?.location ?? '')?.fields.x_hydrant_classes ?? {}
        if (Object.hasOwn(classes, name)) return classes[name] ?? name
      }
      return name
    },
    locateComponent(name, scripts) {
      const found = scripts.flatMap((url) => {
        const positions = maps.ofPath(url)?.fields.x_hydrant_components?.[name] ?? []
        return positions.map(([line, column]) => mapFrame(`    at ${name} (${ORIGIN}${url}:${line + 1}:${column + 1})`))
      })
      const [place, ...others] = found.filter(({ frame }) => frame?.isSite)
      return place && others.length === 0 ? { ...place, isByName: true } : null
    },
    codeAround(frame: SourceFrame): CodeLines | null {
      return linesAround(origins.get(frame)?.sources.get(frame.file) ?? [], frame.line)
    },
  }
}

type ScriptMap = MapFile<NamedMap>

interface ScriptMapsInput {
  siteDir: string
  folder: string
  base: string
}

/** More than most sites have: reports must not make the same maps be read repeatedly. */
const MAX_MAPS = 500

/**
 * Reads the source maps of the scripts that this build and the builds before it served to browsers. The name of a script
 * contains a hash of its content and so identifies it. No URL can make it read another file.
 */
function createScriptMaps({ siteDir, folder, base }: ScriptMapsInput) {
  const assets = withBase(base, ASSETS_PATH)
  const clientDir = join(folder, BUILD_PATHS.client)
  const maps = createTextCache<ScriptMap>(MAX_MAPS)

  // A missing map is not remembered: a later build may bring it, and clients can send any name.
  function load(script: string): ScriptMap | null {
    const existing = maps.get(script)
    if (existing) return existing
    const file = join(folder, BUILD_PATHS.clientMaps, `${script}.map`)
    if (!existsSync(file)) return null
    try {
      const map = readMapFile<NamedMap>(readFileSync(file, 'utf8'), clientDir, siteDir)
      maps.set(script, map)
      return map
    } catch {
      return null
    }
  }

  function ofPath(path: string): ScriptMap | null | undefined {
    if (!path.startsWith(assets)) return undefined
    const name = path.slice(assets.length)
    return /^[\w.-]+\.js$/.test(name) ? load(name) : undefined
  }

  return {
    ofPath,
    /** Returns the map of the script at a complete URL. */
    ofUrl(url: string) {
      const { pathname } = parseUrl(url) ?? {}
      return pathname === undefined ? undefined : ofPath(pathname)
    },
  }
}
