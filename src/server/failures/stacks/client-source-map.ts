import type { CodeLines, SourceFrame } from '../../errors/failure-record.ts'
import { functionAt } from './function-names.ts'
import { createScriptMaps, type ScriptMap, type ScriptMapsInput } from './script-maps.ts'
import type { SourceMapper } from './source-map.ts'
import { linesAround } from './source-map-file.ts'
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

/** The location of a frame is a complete URL. */
const ORIGIN = 'http://localhost'

/**
 * Creates a mapper for the scripts that this build and the builds before it served to browsers.
 */
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
