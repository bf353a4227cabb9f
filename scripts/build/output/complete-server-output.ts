import {
  decodedMappings,
  type EncodedSourceMap,
  encodedMappings,
  type SourceMapSegment,
  TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping'
import type { AnyNode, Expression, Program } from 'acorn'
import type { ServerMapFields } from '../../../src/server/failures/stacks/source-map-file.ts'
import { placeAt } from '../../build-problem.ts'
import { createPositions, nodesIn, parseScript } from './edit-script.ts'
import {
  type Definitions,
  type Export,
  findDefinitions,
  findExports,
  findModuleExports,
  isExportCall,
} from './find-definitions.ts'
import { type FunctionRange, findFunctions } from './find-functions.ts'
import { isOfSite } from './mark-thrown.ts'

export interface ServerOutput {
  code: string
  map: string
  /** The source and its line (from 0) of functions that are measured, by the keys of `Manifest.places`. */
  places: Map<string, { source: string; line: number }>
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
  const places: ServerOutput['places'] = new Map()
  function addPlace(key: string, offset: number) {
    const [, index, line] = traceSegment(trace, ...positionOf(offset)) ?? []
    const source = index === undefined ? null : map.sources[index]
    if (line !== undefined && source) places.set(key, { source, line })
  }
  for (const { file, exports } of modules)
    for (const { name, offset } of exports) if (MEASURED.includes(name)) addPlace(`${file} ${name}`, offset)
  for (const offset of callsOf(/^perRequest\d*$/, program)) {
    const [line, column] = positionOf(offset)
    if (isSite(offset)) addPlace(`${line + 1}:${column + 1}`, offset)
  }
  return { code: withNames(code, [...unnamed]), map: JSON.stringify({ ...map, ignoreList, ...fields }), places }
}

/** The exports whose calls are measured. */
const MEASURED = ['guard', 'load', 'action']

/** Returns the offsets of the calls of functions whose name in the bundle matches. */
function callsOf(pattern: RegExp, program: Program): number[] {
  return [...nodesIn(program)].flatMap((node) =>
    node.type === 'CallExpression' && node.callee.type === 'Identifier' && pattern.test(node.callee.name)
      ? [node.start]
      : [],
  )
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

/** Maps the error about a missing component in MDX to its element. The compiler of MDX maps nothing but texts. */
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

export interface Components {
  /** The offsets where the components begin, by their names in React's component stacks. */
  offsets: Map<string, number[]>
  /** Variables of the bundle whose component may have no name. */
  unnamed: Set<string>
}

/** The name of an element begins with a small letter. `_default` is esbuild's name for an export without one. */
const COMPONENT = /^[^a-z]|_default\d*$/
const WRAPPER = /^(?:memo|forwardRef)\d*$/

/** Finds the functions of a bundle that may be components. Each of `exported` is known to be one. */
function findComponents(
  program: Program,
  { outer }: Definitions,
  functions: readonly FunctionRange[],
  exported: readonly Export[],
): Components {
  const offsets = new Map<string, number[]>()
  const unnamed = new Set<string>()
  const starts = new Set(functions.map(({ start }) => start))

  function add(name: string, offset: number) {
    if (COMPONENT.test(name)) offsets.set(name, [...(offsets.get(name) ?? []), offset])
  }

  for (const { name, start } of functions) if (name) add(name.text, start)
  // `Price = memo(forwardRef(function … ))`, `Price = memo(Inner)`. Only the outermost scope is visible at the end of
  // the bundle.
  for (const [variable, { value }] of outer) {
    const inner = unwrap(value)
    if (!inner || inner === value) continue
    const named = inner.type === 'Identifier' ? outer.get(inner.name)?.offset : undefined
    const offset = starts.has(inner.start) ? inner.start : named
    if (offset === undefined) continue
    add(variable, offset)
    unnamed.add(variable)
  }
  // `export default withSession(Page)`: a function has made another component of one.
  for (const { local, offset } of exported) {
    if (local === null || !outer.has(local) || offsets.has(local)) continue
    offsets.set(local, [offset])
    unnamed.add(local)
  }
  for (const node of nodesIn(program)) {
    const [variable, name] = displayNameIn(node) ?? []
    const definition = variable === undefined ? undefined : outer.get(variable)
    if (name !== undefined && definition) add(name, definition.offset)
  }
  return { offsets, unnamed }
}

/** Returns the component inside calls of `memo()` and `React.memo()`; the value itself when it is no such call. */
function unwrap(value: Expression | null): Expression | null {
  if (value?.type !== 'CallExpression' || !WRAPPER.test(calledName(value.callee))) return value
  const [inner] = value.arguments
  return inner && inner.type !== 'SpreadElement' ? unwrap(inner) : null
}

function calledName(callee: AnyNode): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'MemberExpression') return calledName(callee.property)
  // `(0, import_react.memo)(…)`
  const last = callee.type === 'SequenceExpression' ? callee.expressions.at(-1) : undefined
  return last ? calledName(last) : ''
}

/** Returns the variable and the text of `Page.displayName = "…"`; null for any other node. */
function displayNameIn(node: AnyNode): [variable: string, name: string] | null {
  if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return null
  const { computed, object, property } = node.left
  if (computed || object.type !== 'Identifier') return null
  const name = textOf(node.right)
  return property.type === 'Identifier' && property.name === 'displayName' && name !== null ? [object.name, name] : null
}

/** Returns the text of a literal; null for any other expression. */
function textOf(value: Expression): string | null {
  if (value.type === 'Literal') return typeof value.value === 'string' ? value.value : null
  if (value.type !== 'TemplateLiteral' || value.expressions.length > 0) return null
  return value.quasis[0]?.value.cooked ?? null
}
