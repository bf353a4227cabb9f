import {
  decodedMappings,
  type EncodedSourceMap,
  encodedMappings,
  type SourceMapSegment,
  TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping'
import type { ServerMapFields } from '../../../src/server/failures/stacks/function-names.ts'
import { placeAt } from '../../build-problem.ts'
import { findComponents } from './find-components.ts'
import { findDefinitions } from './find-definitions.ts'
import { type Export, findExports, findModuleExports, isExportCall } from './find-exports.ts'
import { findFunctions } from './find-functions.ts'
import { parseScript } from './parse-script.ts'
import { createPositions } from './positions.ts'
import { isOfSite } from './site-sources.ts'

export interface ServerOutput {
  code: string
  map: string
}

/**
 * Completes a bundle of the server. Adds to its map an `ignoreList` of the sources that are not the site's, and the
 * positions of the site's exports and components, which locate a value that was thrown without a stack, and the
 * places of missing components in MDX. Paths in the map are relative to `folder`.
 *
 * @param file The path in the site of a script that is one module. Without it, the script is the bundle of a site.
 */
export function createServerOutput(code: string, json: string, folder: string, file?: string): ServerOutput {
  // esbuild wrote the map, so its form is known.
  const map = placeMissingComponents(code, JSON.parse(json) as EncodedSourceMap)
  const ignoreList = map.sources.flatMap((source, index) => (source && isOfSite(source, folder) ? [] : [index]))
  const trace = new TraceMap(map)
  const positionOf = createPositions(code)

  function isSite(offset: number): boolean {
    const [, source] = traceSegment(trace, ...positionOf(offset)) ?? []
    return source !== undefined && !ignoreList.includes(source)
  }

  const program = parseScript(code)
  const definitions = findDefinitions(program)
  const getters = file === undefined ? [] : program.body.filter(isExportCall)
  const isGetter = (offset: number) => getters.some(({ start, end }) => start <= offset && offset < end)
  // esbuild maps the getters of a single module to the source.
  const functions = findFunctions(program).filter(({ start }) => isSite(start) && !isGetter(start))
  const found = file === undefined ? findExports(program, definitions) : findModuleExports(program, definitions, file)
  const modules = found.map(({ file, exports }) => ({
    file,
    exports: exports.filter(({ offset }) => isSite(offset)),
  }))
  const { offsets, unnamed } = findComponents(program, definitions, functions, modules.flatMap(componentOf))
  const fields: ServerMapFields = {
    x_hydrant_exports: Object.fromEntries(
      modules.map(({ file, exports }) => [
        file,
        Object.fromEntries(exports.map(({ name, offset }) => [name, positionOf(offset)])),
      ]),
    ),
    x_hydrant_components: Object.fromEntries([...offsets].map(([name, starts]) => [name, starts.map(positionOf)])),
  }
  return { code: withNames(code, [...unnamed]), map: JSON.stringify({ ...map, ignoreList, ...fields }) }
}

function componentOf({ file, exports }: { file: string; exports: Export[] }): Export[] {
  if (!file.startsWith('pages/') || /\.server\.[jt]sx?$/.test(file)) return []
  return exports.filter(({ name }) => name === 'default')
}

/**
 * Gives components without a name, such as those inside `memo()`, the names of their variables. React's component
 * stacks leave out a component without a name. If a component throws a value without a stack, the component stack is
 * the only trace. The code is added at the end, so that no position in the map changes.
 */
function withNames(code: string, variables: readonly string[]): string {
  if (variables.length === 0) return code
  const entries = variables.map((name) => `[${name}, ${JSON.stringify(name)}]`).join(', ')
  const names = `[${entries}].forEach(([component, value]) => {
  let part = component;
  for (let depth = 0; typeof part === "object" && part !== null && "$$typeof" in part; depth++) {
    if (depth > 0 && part.displayName === undefined) Reflect.set(part, "displayName", value);
    part = part.type ?? part.render;
  }
  if (typeof part === "function" && part.name === "") Reflect.defineProperty(part, "name", { value, configurable: true });
});
`
  const at = code.lastIndexOf('\n//# sourceMappingURL=') + 1
  return at === 0 ? code + names : code.slice(0, at) + names + code.slice(at)
}

/** In compiled MDX, the call that throws when a component is neither imported nor passed. */
const MISSING = /\b_missingMdxReference\d*\("([\w$.]+)"/g
/** The function after the one with the calls. */
const NEXT_FUNCTION = /^\s*function (?:MDXContent|_missingMdxReference)\d*\(/

/**
 * Maps the error about a missing component in MDX to the element in the source. The compiler of MDX maps nothing but
 * texts, so the error would have no place.
 */
function placeMissingComponents(code: string, map: EncodedSourceMap): EncodedSourceMap {
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
