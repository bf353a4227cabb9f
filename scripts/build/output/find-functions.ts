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
import { nodesIn } from './parse-script.ts'

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
