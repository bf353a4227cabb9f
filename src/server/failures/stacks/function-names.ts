// Fields that the build adds to source maps. The names in a minified script differ with each build, so the map of a
// browser script holds the range and the source's name of each function of the site.

/**
 * Line and column of the first character, line and column after the last one, all from 0, and the name of a function.
 */
export type NamedRange = [line: number, column: number, endLine: number, endColumn: number, name: string]

/**
 * Fields of the source map of a browser script, besides those of the standard
 * (https://tc39.es/ecma426/#sec-source-map-format).
 */
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
