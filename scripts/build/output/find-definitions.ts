import type { AnyNode, Expression, Identifier, Pattern, Program } from 'acorn'
import { nodesIn } from './parse-script.ts'

/** A variable, function or class of a bundle. */
export interface Definition {
  /** The offset of its function or class; without one, the offset of its name. */
  offset: number
  /** The value of a variable. Null for a declaration, and for a variable that a pattern takes out of a value. */
  value: Expression | null
}

export interface Definitions {
  /** The definitions by statements of the outermost scope. */
  outer: ReadonlyMap<string, Definition>
  /**
   * Every assignment, also in a branch, and in the function of a module that is imported later. esbuild never gives a
   * variable of a function the name of an outer one.
   */
  assigned: ReadonlyMap<string, Definition>
}

type Named = [name: string, Definition]

/** Finds the first definition of each name in a bundle that esbuild has written. */
export function findDefinitions(program: Program): Definitions {
  const assigned: Named[] = []
  for (const node of nodesIn(program)) assigned.push(...assignmentIn(node))
  return { outer: keepFirst(program.body.flatMap(definitionsOf)), assigned: keepFirst(assigned) }
}

function keepFirst(definitions: readonly Named[]): Map<string, Definition> {
  const kept = new Map<string, Definition>()
  for (const [name, definition] of definitions) if (!kept.has(name)) kept.set(name, definition)
  return kept
}

function definitionsOf(statement: Program['body'][number]): Named[] {
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
    return [[statement.id.name, { offset: statement.start, value: null }]]
  }
  if (statement.type === 'VariableDeclaration') {
    return statement.declarations.flatMap(({ id, init }) => (init ? assign(id, init) : []))
  }
  return statement.type === 'ExpressionStatement' ? assignmentIn(statement.expression) : []
}

function assignmentIn(node: AnyNode): Named[] {
  return node.type === 'AssignmentExpression' && node.operator === '=' ? assign(node.left, node.right) : []
}

const FUNCTION = /^(?:ArrowFunction|Function|Class)Expression$/

function assign(target: Pattern, value: Expression): Named[] {
  if (target.type !== 'Identifier') {
    return identifiersIn(target).map(({ name, start }) => [name, { offset: start, value: null }])
  }
  return [[target.name, { offset: FUNCTION.test(value.type) ? value.start : target.start, value }]]
}

function identifiersIn(pattern: Pattern): Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern]
    case 'AssignmentPattern':
      return identifiersIn(pattern.left)
    case 'RestElement':
      return identifiersIn(pattern.argument)
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? identifiersIn(element) : []))
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => identifiersIn(one.type === 'Property' ? one.value : one))
    case 'MemberExpression':
      return []
  }
}
