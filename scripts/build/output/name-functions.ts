import { type EncodedSourceMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import type { NamedMap, NamedRange, Position } from '../../../src/server/failures/stacks/function-names.ts'
import { type FunctionRange, findFunctions } from './find-functions.ts'
import { parseScript } from './parse-script.ts'
import { createPlaces } from './positions.ts'

/**
 * Adds to the source map of a script the source's names of its functions, and an `ignoreList` of the sources that are not
 * the site's. `isForeign` gets each source as it is written in the map.
 */
export function nameFunctions(code: string, json: string, isForeign: (source: string) => boolean): string {
  // esbuild has just written it.
  const map = JSON.parse(json) as EncodedSourceMap & NamedMap
  const ignoreList = map.sources.flatMap((source, index) => (source === null || isForeign(source) ? [index] : []))
  const isOfSite = ignoreList.length < map.sources.length
  return JSON.stringify({ ...map, ignoreList, ...(isOfSite ? nameRanges(code, new TraceMap(map), ignoreList) : {}) })
}

function nameRanges(code: string, map: TraceMap, ignored: readonly number[]): NamedMap {
  const place = createPlaces(code)
  const lines = new Map<number, string[]>()
  const around: { range: FunctionRange; name: string }[] = []
  const functions: NamedRange[] = []
  const classes = new Map<string, string>()
  const components = new Map<string, Position[]>()

  function segmentAt(offset: number) {
    const segment = traceSegment(map, ...place(offset))
    return segment && segment.length > 1 && !ignored.includes(segment[1] ?? -1) ? segment : null
  }

  /** The name in the source. Empty when it is not certain: names that bundling has made up change with each build. */
  function originalName({ name }: FunctionRange): string {
    const segment = name && segmentAt(name.at)
    if (!segment || segment.length === 1 || segment[0] !== place(name.at)[1]) return ''
    const [, source, line, column, nameIndex] = segment
    if (nameIndex !== undefined) return map.names[nameIndex] ?? ''
    const known = lines.get(source) ?? map.sourcesContent?.[source]?.split('\n') ?? []
    lines.set(source, known)
    return known[line]?.slice(column).replace(/^["']/, '').startsWith(name.text) ? name.text : ''
  }

  for (const range of findFunctions(parseScript(code))) {
    while (around.at(-1) && (around.at(-1)?.range.end ?? 0) <= range.start) around.pop()
    const outer = around.at(-1)
    const own = originalName(range)
    const name = range.kind === 'class' ? own : fullName(own, outer)
    around.push({ range, name })
    if (segmentAt(range.start) === null && own === '') continue
    // A function without a name in the source may be an export. Names of elements begin with a small letter.
    if (range.name && !/^[a-z]/.test(own)) {
      components.set(range.name.text, [...(components.get(range.name.text) ?? []), place(range.start)])
    }
    if (range.kind === 'function') functions.push([...place(range.start), ...place(range.end), name])
    else if (own && range.name && range.name.text !== own) {
      // The script has two classes of this name.
      classes.set(range.name.text, classes.has(range.name.text) ? '' : own)
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

function fullName(own: string, outer: { range: FunctionRange; name: string } | undefined): string {
  if (!outer?.name) return own
  if (own === '') return outer.name.endsWith(ANONYMOUS) ? outer.name : outer.name + ANONYMOUS
  if (outer.range.kind !== 'class') return own
  return own === 'constructor' ? `new ${outer.name}` : `${outer.name}.${own}`
}
