import { type EncodedSourceMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import type { NamedMap, NamedRange, Position } from '../../../src/server/failures/stacks/function-names.ts'
import { type FunctionRange, findFunctions } from './find-functions.ts'
import { parseScript } from './parse-script.ts'
import { createPositions } from './positions.ts'

/**
 * Adds to the source map of a script the source's names of its functions, and an `ignoreList` of the sources that are
 * not the site's. Returns it as JSON. `isForeign` gets each source as it is written in the map.
 */
export function nameFunctions(code: string, map: EncodedSourceMap, isForeign: (source: string) => boolean): string {
  const ignoreList = map.sources.flatMap((source, index) => (source === null || isForeign(source) ? [index] : []))
  const isOfSite = ignoreList.length < map.sources.length
  return JSON.stringify({ ...map, ignoreList, ...(isOfSite ? nameRanges(code, new TraceMap(map), ignoreList) : {}) })
}

function nameRanges(code: string, map: TraceMap, ignored: readonly number[]): NamedMap {
  const positionOf = createPositions(code)
  const lines = new Map<number, string[]>()
  const around: { range: FunctionRange; name: string }[] = []
  const functions: NamedRange[] = []
  const classes = new Map<string, string>()
  const components = new Map<string, Position[]>()

  function segmentAt(offset: number) {
    const segment = traceSegment(map, ...positionOf(offset))
    return segment && segment.length > 1 && !ignored.includes(segment[1] ?? -1) ? segment : null
  }

  /**
   * Returns the name in the source. Empty when it is uncertain: names that the bundler invents change with each build.
   */
  function originalName({ name }: FunctionRange): string {
    const segment = name && segmentAt(name.at)
    if (!segment || segment.length === 1 || segment[0] !== positionOf(name.at)[1]) return ''
    const [, source, line, column, nameIndex] = segment
    if (nameIndex !== undefined) return map.names[nameIndex] ?? ''
    const sourceLines = lines.get(source) ?? map.sourcesContent?.[source]?.split('\n') ?? []
    lines.set(source, sourceLines)
    return sourceLines[line]?.slice(column).replace(/^["']/, '').startsWith(name.text) ? name.text : ''
  }

  for (const range of findFunctions(parseScript(code))) {
    while (around.at(-1) && (around.at(-1)?.range.end ?? 0) <= range.start) around.pop()
    const outer = around.at(-1)
    const original = originalName(range)
    const name = range.kind === 'class' ? original : fullName(original, outer)
    around.push({ range, name })
    if (segmentAt(range.start) === null && original === '') continue
    // A function without a name in the source may be an export. Names of elements begin with a small letter.
    if (range.name && !/^[a-z]/.test(original)) {
      components.set(range.name.text, [...(components.get(range.name.text) ?? []), positionOf(range.start)])
    }
    if (range.kind === 'function') functions.push([...positionOf(range.start), ...positionOf(range.end), name])
    else if (original && range.name && range.name.text !== original) {
      // The script has two classes of this name.
      classes.set(range.name.text, classes.has(range.name.text) ? '' : original)
    }
  }
  const named = [...classes].filter(([, name]) => name !== '')
  return {
    x_hydrant_functions: functions,
    x_hydrant_classes: Object.fromEntries(named),
    x_hydrant_components: Object.fromEntries(components),
  }
}

const ANONYMOUS = '.<anonymous>'

function fullName(name: string, outer: { range: FunctionRange; name: string } | undefined): string {
  if (!outer?.name) return name
  if (name === '') return outer.name.endsWith(ANONYMOUS) ? outer.name : outer.name + ANONYMOUS
  if (outer.range.kind !== 'class') return name
  return name === 'constructor' ? `new ${outer.name}` : `${outer.name}.${name}`
}
