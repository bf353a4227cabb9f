import {
  decodedMappings,
  type EncodedSourceMap,
  encodedMappings,
  type SourceMapSegment,
  TraceMap,
} from '@jridgewell/trace-mapping'
import { placeAt } from '../../build-problem.ts'
import { createPositions } from './positions.ts'

/** In compiled MDX, the call that throws when a component is neither imported nor passed. */
const MISSING = /\b_missingMdxReference\d*\("([\w$.]+)"/g
/** The function after the one with the calls. */
const NEXT_FUNCTION = /^\s*function (?:MDXContent|_missingMdxReference)\d*\(/

/**
 * Maps the error about a missing component in MDX to the element in the source. The compiler of MDX maps nothing but
 * texts, so the error would have no place.
 */
export function placeMissingComponents(code: string, map: EncodedSourceMap): EncodedSourceMap {
  const calls = [...code.matchAll(MISSING)]
  if (calls.length === 0) return map
  const trace = new TraceMap(map)
  const mappings = decodedMappings(trace).map((segments) => [...segments])
  const lines = code.split('\n')
  const positionOf = createPositions(code)
  for (const { index, 1: name } of calls) {
    const [line, column] = positionOf(index)
    const end = lines.findIndex((text, at) => at > line && NEXT_FUNCTION.test(text))
    const source = mappings.slice(line, end).flat().find(hasSource)?.[1]
    const text = source === undefined ? null : (map.sourcesContent?.[source] ?? null)
    const at = text?.search(new RegExp(`<${name?.replace(/[$.]/g, '\\$&')}(?![\\w$])`)) ?? -1
    if (source === undefined || text === null || at === -1) continue
    const place = placeAt('', text, at)
    const segment: SourceMapSegment = [column, source, (place.line ?? 1) - 1, (place.column ?? 1) - 1]
    mappings[line] = [...(mappings[line] ?? []), segment].sort(([one], [other]) => one - other)
  }
  return { ...map, mappings: encodedMappings(new TraceMap({ ...map, mappings })) }
}

function hasSource(segment: SourceMapSegment): segment is Exclude<SourceMapSegment, [number]> {
  return segment.length > 1
}
