import { type EncodedSourceMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import type {
  AnyNode,
  AssignmentProperty,
  Class,
  Function as FunctionNode,
  MethodDefinition,
  Node,
  Program,
  Property,
  PropertyDefinition,
} from 'acorn'
import type { NamedMap, NamedRange, Position } from '../../../src/server/failures/stacks/source-map-file.ts'
import { createPositions, nodesIn, parseScript } from './edit-script.ts'

/** A function or class of a script, from its first character to the one after its last. */
export interface FunctionRange {
  kind: 'function' | 'class'
  start: number
  end: number
  /** The name that the script gives it: an identifier, or the key of a property. Missing when it has none. */
  name?: { text: string; at: number }
}

/** Lists the functions and classes of a script by their starts. An outer one comes before those inside it. */
export function findFunctions(program: Program): FunctionRange[] {
  const found: { kind: FunctionRange['kind']; node: FunctionNode | Class }[] = []
  const namings = new Map<Node, Naming>()

  function name(value: Node | null | undefined, target: AnyNode, isMethod = false) {
    if (value) namings.set(value, { target, isMethod })
  }

  for (const node of nodesIn(program)) {
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        found.push({ kind: 'function', node })
        break
      case 'ClassDeclaration':
      case 'ClassExpression':
        found.push({ kind: 'class', node })
        break
      case 'VariableDeclarator':
        name(node.init, node.id)
        break
      case 'AssignmentExpression':
      case 'AssignmentPattern':
        name(node.right, node.left)
        break
      case 'MethodDefinition':
      case 'Property':
      case 'PropertyDefinition':
        if (!node.computed) name(node.value, node.key, isMethod(node))
    }
  }
  return found
    .map(({ kind, node }) => toRange(kind, node, namings.get(node)))
    .sort((a, b) => a.start - b.start || b.end - a.end)
}

/** The variable, parameter or property that a function is the value of. */
interface Naming {
  target: AnyNode
  isMethod: boolean
}

function isMethod(node: AssignmentProperty | MethodDefinition | Property | PropertyDefinition): boolean {
  if (node.type === 'PropertyDefinition') return false
  return node.type === 'MethodDefinition' || node.method || node.kind !== 'init'
}

function toRange(kind: FunctionRange['kind'], node: FunctionNode | Class, naming: Naming | undefined): FunctionRange {
  // The node of a method begins at its parameters.
  const start = naming?.isMethod ? naming.target.start : node.start
  const target = node.id ?? naming?.target
  const text = target ? nameOf(target) : undefined
  const at = target?.type === 'MemberExpression' ? target.property.start : (target?.start ?? 0)
  return { kind, start, end: node.end, ...(text === undefined ? {} : { name: { text, at } }) }
}

function nameOf(target: AnyNode): string | undefined {
  if (target.type === 'Identifier') return target.name
  if (target.type === 'PrivateIdentifier') return `#${target.name}`
  if (target.type === 'Literal') return String(target.value)
  return target.type === 'MemberExpression' && !target.computed ? nameOf(target.property) : undefined
}

/**
 * Adds to the source map of a script the source's names of its functions, and an `ignoreList` of the sources that are
 * not the site's. esbuild's `keepNames` would add bytes to every script, and Firefox does not write these names into
 * stacks. The map alone has the name at the place of a frame, which is inside the function. Returns it as JSON.
 * `isForeign` gets each source as it is written in the map.
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

  /** Returns the name in the source. Empty for names that the bundler invents: they change with each build. */
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
