// What the build adds to the source map of a script for browsers: minified names say nothing, and are others after each
// build, so the map holds where each function of the site begins and ends, and what the source calls it.

/** First line and column, last line and column behind it, all from 0, and the name. */
export type NamedRange = [line: number, column: number, endLine: number, endColumn: number, name: string]

/** Fields of a source map beside those of the standard (https://tc39.es/ecma426/#sec-source-map-format). */
export interface NamedMap {
  /** Ordered by their beginnings; those around others stand first. */
  x_hydrant_functions?: NamedRange[]
  /** Names of classes, by what they are called in the script. */
  x_hydrant_classes?: Record<string, string>
  /** Where what may be a component begins: by its name in the script. */
  x_hydrant_components?: Record<string, Position[]>
}

/** Where something begins in a bundle: line and column, from 0. */
export type Position = [line: number, column: number]

/** What the build adds to the source maps of the server's bundles. */
export interface ServerMapFields {
  /** Where the exports of a page's, layout's or server file are defined: by its path in the site, and their names. */
  x_hydrant_exports?: Record<string, Record<string, Position>>
  /** Where what may be a component begins: by its name in the bundle, which several may have inside of functions. */
  x_hydrant_components?: Record<string, Position[]>
}

/** The name of the innermost function around a place, line and column from 0; empty for none. */
export function functionAt(ranges: readonly NamedRange[], line: number, column: number): string {
  const found = ranges.findLast(
    ([firstLine, firstColumn, lastLine, lastColumn]) =>
      (line > firstLine || (line === firstLine && column >= firstColumn)) &&
      (line < lastLine || (line === lastLine && column < lastColumn)),
  )
  return found?.[4] ?? ''
}
