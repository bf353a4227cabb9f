import type { AnyNode, Expression, Program } from 'acorn'
import type { Definitions } from './find-definitions.ts'
import type { Export } from './find-exports.ts'
import type { FunctionRange } from './find-functions.ts'
import { nodesIn } from './parse-script.ts'

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
export function findComponents(
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
