import {
  decodedMappings,
  encodedMappings,
  type SourceMapSegment,
  TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping'
import type { SourceMap } from 'oxc-transform'

/** Connects the source map of a script that was compiled twice with the map of the first compilation. */
export function composeMaps(second: SourceMap, first: SourceMap): SourceMap {
  const trace = read(first)
  const mappings = decodedMappings(read(second)).map((segments) =>
    segments.flatMap(([column, , line, originalColumn]): SourceMapSegment[] => {
      if (line === undefined || originalColumn === undefined) return []
      const segment = traceSegment(trace, line, originalColumn)
      if (!segment || segment.length === 1) return []
      const [, source, sourceLine, sourceColumn, name] = segment
      if (name === undefined) return [[column, source, sourceLine, sourceColumn]]
      return [[column, source, sourceLine, sourceColumn, name]]
    }),
  )
  return { ...first, mappings: encodedMappings(new TraceMap({ ...first, version: 3, mappings })) }
}

function read(map: SourceMap): TraceMap {
  return new TraceMap({ ...map, version: 3 })
}
