import { resolve } from 'node:path'
import { type EncodedSourceMap, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import type { CodeLines } from '../../errors/failure-record.ts'
import { toSitePath } from '../../util/to-site-path.ts'

/** A source map that has been read. */
export interface MapFile<Fields = unknown> {
  trace: TraceMap
  /** The whole map, with fields that are no standard's. */
  fields: EncodedSourceMap & Fields
  /** Lines of the site's files, by their path in the site. */
  sources: Map<string, readonly string[]>
  /** The place in the source; null for one that has none. Lines and columns from 1. */
  placeOf(line: number, column: number): SourcePlace | null
}

export interface SourcePlace {
  /** As the map has it. */
  source: string
  /** Path in the site. */
  file: string
  line: number
  column: number
  isSite: boolean
}

const LINES_AROUND = 5
const MAX_LINE = 300

/**
 * Reads a source map, whose sources are relative to the folder of the file that it belongs to. Throws for what is no map;
 * its further fields are taken for what the build writes.
 */
export function readMapFile<Fields>(json: string, folder: string, siteDir: string): MapFile<Fields> {
  // A source map as the build writes it; TraceMap throws for anything else.
  const fields = JSON.parse(json) as EncodedSourceMap & Fields
  const trace = new TraceMap(fields)
  const ignored = new Set(trace.ignoreList ?? [])
  const files = trace.sources.map((source) => (source === null ? '' : fileOf(source, folder, siteDir)))
  const isSite = (index: number) => !ignored.has(index) && !files[index]?.includes('node_modules/')
  const sources = files.map((file, index): [string, readonly string[]] => [
    file,
    isSite(index) ? (trace.sourcesContent?.[index]?.split('\n') ?? []) : [],
  ])
  return {
    trace,
    fields,
    sources: new Map(sources),
    placeOf(line, column) {
      // Anybody can send a report that says so, and of such a place the search throws.
      if (line < 1 || column < 1) return null
      const { source, ...position } = originalPositionFor(trace, { line, column: column - 1 })
      // Of a source without a name it is empty.
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

// A module that the build makes has a name, and lies nowhere.
function fileOf(source: string, folder: string, siteDir: string): string {
  return source.startsWith('hydrant-') ? source : toSitePath(siteDir, resolve(folder, decodeSource(source)))
}

/** The lines around one, from 1; null for one that is not there. */
export function linesAround(lines: readonly string[], line: number): CodeLines | null {
  if (line < 1 || line > lines.length) return null
  const firstLine = Math.max(1, line - LINES_AROUND)
  const around = lines.slice(firstLine - 1, line + LINES_AROUND)
  return { firstLine, lines: around.map((text) => text.slice(0, MAX_LINE)) }
}

/** A source is written as a URL: `%5Bid%5D.tsx`. */
export function decodeSource(source: string): string {
  try {
    return decodeURI(source)
  } catch {
    return source
  }
}
