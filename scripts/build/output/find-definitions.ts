import type {
  AnyNode,
  CallExpression,
  Expression,
  ExpressionStatement,
  Identifier,
  ObjectExpression,
  Pattern,
  Program,
} from 'acorn'
import { nodesIn } from './edit-script.ts'

/** A variable, function or class of a bundle. */
export interface Definition {
  /** The offset of its function or class; without one, the offset of its name. */
  offset: number
  /** The value of a variable. Null for a declaration, and for a variable that a pattern takes out of a value. */
  value: Expression | null
}

export interface Definitions {
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

export interface Export {
  /** The name under which the module exports it. */
  name: string
  /** The variable, function or class of the bundle. Null when the export is a property of one. */
  local: string | null
  offset: number
}

export interface ModuleExports {
  file: string
  exports: Export[]
}

/**
 * Lists the exports of each file in the `modules` of the build's own entry: `{ load: load2 }`. For `import * as module0`
 * esbuild writes an object that `__export(index_exports, { load: () => load2 })` fills.
 */
export function findExports(program: Program, definitions: Definitions): ModuleExports[] {
  const getters = findGetters(program)
  const modules = definitions.outer.get(localName(program, 'modules'))?.value
  return membersOf(modules).map(([file, value]) => ({
    file,
    exports: toExports(value.type === 'Identifier' ? getters.get(value.name) : value, definitions),
  }))
}

/** Lists the exports of a script that esbuild has compiled from one file. */
export function findModuleExports(program: Program, definitions: Definitions, file: string): ModuleExports[] {
  const [getters] = findGetters(program).values()
  return [{ file, exports: toExports(getters, definitions) }]
}

function toExports(exports: Expression | undefined, { outer, assigned }: Definitions): Export[] {
  return membersOf(exports).flatMap(([name, member]): Export[] => {
    const value = member.type === 'ArrowFunctionExpression' ? member.body : member
    // `import_cart.load` for a CommonJS module.
    const variable = value.type === 'MemberExpression' ? value.object : value
    if (variable?.type !== 'Identifier') return []
    const definition = outer.get(variable.name) ?? assigned.get(variable.name)
    return definition ? [{ name, local: variable === value ? variable.name : null, offset: definition.offset }] : []
  })
}

/** Returns the second argument of each `__export()`, by the name of the first. */
function findGetters(program: Program): Map<string, ObjectExpression> {
  const found = new Map<string, ObjectExpression>()
  for (const statement of program.body) {
    if (!isExportCall(statement)) continue
    const [target, getters] = statement.expression.arguments
    if (target?.type === 'Identifier' && getters?.type === 'ObjectExpression') found.set(target.name, getters)
  }
  return found
}

/** Returns whether a statement is `__export(index_exports, { load: () => load2 })`. */
export function isExportCall(
  statement: Program['body'][number],
): statement is ExpressionStatement & { expression: CallExpression } {
  const call = statement.type === 'ExpressionStatement' ? statement.expression : null
  return call?.type === 'CallExpression' && call.callee.type === 'Identifier' && /^__export\d*$/.test(call.callee.name)
}

type Member = [key: string, value: Expression]

function membersOf(object: Expression | null | undefined): Member[] {
  if (object?.type !== 'ObjectExpression') return []
  return object.properties.flatMap((property): Member[] => {
    if (property.type !== 'Property' || property.computed) return []
    const { key, value } = property
    if (key.type === 'Identifier') return [[key.name, value]]
    return key.type === 'Literal' ? [[String(key.value), value]] : []
  })
}

/** Returns the name in the bundle of an export of its entry. */
function localName(program: Program, name: string): string {
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const { exported, local } of statement.specifiers) {
      if (exported.type === 'Identifier' && exported.name === name && local.type === 'Identifier') return local.name
    }
  }
  return name
}
