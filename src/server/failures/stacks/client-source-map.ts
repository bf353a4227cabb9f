import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ASSETS_PATH, withBase } from '../../../shared/paths.ts'
import { BUILD_PATHS } from '../../build-output/manifest.ts'
import type { CodeLines, SourceFrame } from '../../errors/failure-record.ts'
import { remember } from '../../util/bounded-cache.ts'
import { parseUrl } from '../../util/parse-url.ts'
import { functionAt, type NamedMap } from './function-names.ts'
import type { SourceMapper } from './source-map.ts'
import { linesAround, type MapFile, readMapFile } from './source-map-file.ts'
import { frameText, type MappedFrame, readFrame } from './stack-frame.ts'

export interface ClientMapper extends SourceMapper {
  /** Returns the source's name of a class that has this name in one of the scripts of the frames. */
  typeName(name: string, frames: readonly string[]): string
  /**
   * Returns the place of the component that has this name in the scripts, or null when there is none or more than one.
   *
   * @param scripts Paths of URLs.
   */
  locateComponent(name: string, scripts: readonly string[]): MappedFrame | null
}

export interface ClientMapperInput {
  siteDir: string
  /** The folder of the build. */
  folder: string
  base: string
}

type ClientMap = MapFile<NamedMap>

/** The location of a frame is a complete URL. */
const ORIGIN = 'http://localhost'

/** More than most sites have: reports must not make the same maps be read repeatedly. */
const MAX_MAPS = 500

/**
 * Creates a mapper for the scripts that this build and the builds before it served to browsers. The name of a script
 * contains a hash of its content and so identifies it. No frame can make the mapper read another file.
 */
export function createClientMapper({ siteDir, folder, base }: ClientMapperInput): ClientMapper {
  const assets = withBase(base, ASSETS_PATH)
  const clientDir = join(folder, BUILD_PATHS.client)
  const maps = new Map<string, ClientMap>()
  const origins = new WeakMap<SourceFrame, ClientMap>()

  // A missing map is not remembered: a later build may bring it, and clients can send any name.
  function load(script: string): ClientMap | null {
    const known = maps.get(script)
    if (known) return known
    const file = join(folder, BUILD_PATHS.clientMaps, `${script}.map`)
    if (!existsSync(file)) return null
    try {
      return remember(maps, MAX_MAPS, script, readMapFile<NamedMap>(readFileSync(file, 'utf8'), clientDir, siteDir))
    } catch {
      return null
    }
  }

  function scriptOf(location: string): string | null {
    const { pathname } = parseUrl(location) ?? {}
    return pathname === undefined ? null : fileOf(pathname)
  }

  function fileOf(path: string): string | null {
    if (!path.startsWith(assets)) return null
    const name = path.slice(assets.length)
    return /^[\w.-]+\.js$/.test(name) ? name : null
  }

  function mapFrame(text: string): MappedFrame {
    const read = readFrame(text)
    if (!read) return { text, frame: null }
    const { isAsync, location, function: name, line, column } = read
    const raw = { file: location, line, column, function: name, isSite: false }
    const script = scriptOf(location)
    if (script === null) return { text, frame: raw }
    const map = load(script)
    if (!map) return { text, frame: { ...raw, unmapped: 'the source map of this script is missing or cannot be read' } }
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
        const script = scriptOf(readFrame(text)?.location ?? '')
        const classes = (script === null ? null : load(script))?.fields.x_hydrant_classes ?? {}
        if (Object.hasOwn(classes, name)) return classes[name] ?? name
      }
      return name
    },
    locateComponent(name, scripts) {
      const found = scripts.flatMap((url) => {
        const script = fileOf(url)
        const positions = (script === null ? null : load(script))?.fields.x_hydrant_components?.[name] ?? []
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
