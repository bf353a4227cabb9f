import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type EncodedSourceMap, LEAST_UPPER_BOUND, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import type { CodeLines } from '../../errors/failure-record.ts'
import { toSitePath } from '../../util/paths.ts'

/** A source map that has been read. */
export interface MapFile<Fields = unknown> {
  trace: TraceMap
  /** The whole map, with the fields that the build adds. */
  fields: EncodedSourceMap & Fields
  /** The lines of the site's files, by their paths in the site. */
  sources: Map<string, readonly string[]>
  /** Returns the place in the source, or null when the map has none. Lines and columns are from 1. */
  placeOf(line: number, column: number): SourcePlace | null
}

export interface SourcePlace {
  /** The source's name in the map. */
  source: string
  /** Path in the site. */
  file: string
  line: number
  column: number
  isSite: boolean
}

const LINES_AROUND = 5
const MAX_LINE = 300

/** Reads a map of a file in `folder`. Throws for another text. The build wrote the additional fields. */
export function readMapFile<Fields>(json: string, folder: string, siteDir: string): MapFile<Fields> {
  // TraceMap throws for JSON that is not a map.
  const fields = JSON.parse(json) as EncodedSourceMap & Fields
  const trace = new TraceMap(fields)
  const ignored = new Set(trace.ignoreList ?? [])
  const files = trace.sources.map((source) => (source === null ? '' : fileOf(source, folder, siteDir)))
  const isSite = (index: number) => !ignored.has(index) && !files[index]?.includes('node_modules/')
  const sources = files.map((file, index): [string, readonly string[]] => [
    file,
    isSite(index) ? (trace.sourcesContent?.[index]?.split(/\r?\n/) ?? []) : [],
  ])
  return {
    trace,
    fields,
    sources: new Map(sources),
    placeOf(line, column) {
      // The search throws for such a place, and any client can report one.
      if (line < 1 || column < 1) return null
      const { source, ...position } = findPosition(trace, { line, column: column - 1 })
      // It is empty for a source without a name.
      if (!source) return null
      const index = trace.resolvedSources.indexOf(source)
      return {
        source,
        file: files[index] ?? '',
        line: position.line ?? 0,
        column: (position.column ?? 0) + 1,
        isSite: isSite(index),
      }
    },
  }
}

/** Returns the position of the last mapping before a place in its line. */
function findPosition(
  trace: TraceMap,
  place: { line: number; column: number },
): ReturnType<typeof originalPositionFor> {
  const position = originalPositionFor(trace, place)
  if (position.source !== null) return position
  // The map of MDX has names only. A statement such as `throw new Error()` can begin before the first name in its line.
  const next = originalPositionFor(trace, { ...place, bias: LEAST_UPPER_BOUND })
  return next.source?.endsWith('.mdx') ? next : position
}

// A virtual module of the build has a name and no file.
function fileOf(source: string, folder: string, siteDir: string): string {
  return source.startsWith('hydrant-') ? source : toSitePath(siteDir, toFile(folder, source))
}

/** Returns a line and those around it, or null for a line that does not exist. Lines are counted from 1. */
export function linesAround(lines: readonly string[], line: number): CodeLines | null {
  if (line < 1 || line > lines.length) return null
  const firstLine = Math.max(1, line - LINES_AROUND)
  const around = lines.slice(firstLine - 1, line + LINES_AROUND)
  return { firstLine, lines: around.map((text) => text.slice(0, MAX_LINE)) }
}

/** Returns the file of a source in the map of a bundle in `folder`. It is a URL in the map: `%5Bid%5D.tsx`. */
export function toFile(folder: string, source: string): string {
  try {
    return source.startsWith('file://') ? fileURLToPath(source) : resolve(folder, decodeURI(source))
  } catch {
    return resolve(folder, source)
  }
}

/** Returns a file as the source in the map of a bundle in `folder`: a relative path, or a URL for another drive. */
export function toSource(folder: string, file: string): string {
  const path = toSitePath(folder, file)
  return isAbsolute(path) ? pathToFileURL(path).href : path
}

// Fields that the build adds to source maps. The names in a minified script differ with each build, so the map of a
// browser script holds the range and the source's name of each function of the site.

/**
 * Line and column of the first character, line and column after the last one, all from 0, and the name of a function.
 */
export type NamedRange = [line: number, column: number, endLine: number, endColumn: number, name: string]

/** Own fields of a browser script's source map (the others: https://tc39.es/ecma426/#sec-source-map-format). */
export interface NamedMap {
  /** Ordered by their start; an outer function precedes its inner functions. */
  x_hydrant_functions?: NamedRange[]
  /** The source's names of classes, by their names in the script. */
  x_hydrant_classes?: Record<string, string>
  /** Positions of functions that may be components, by their names in the script. */
  x_hydrant_components?: Record<string, Position[]>
}

/** Line and column in a bundle, from 0. */
export type Position = [line: number, column: number]

/** Fields of the source map of a server bundle, besides those of the standard. */
export interface ServerMapFields {
  /** Positions of the exports of pages, layouts and server files, by the path of the file in the site and by name. */
  x_hydrant_exports?: Record<string, Record<string, Position>>
  /**
   * Positions of functions that may be components, by their names in the bundle. Several inner functions may share one.
   */
  x_hydrant_components?: Record<string, Position[]>
}

/** Returns the name of the innermost function around a place, or an empty string. Line and column are from 0. */
export function functionAt(ranges: readonly NamedRange[], line: number, column: number): string {
  const found = ranges.findLast(
    ([firstLine, firstColumn, lastLine, lastColumn]) =>
      (line > firstLine || (line === firstLine && column >= firstColumn)) &&
      (line < lastLine || (line === lastLine && column < lastColumn)),
  )
  return found?.[4] ?? ''
}
