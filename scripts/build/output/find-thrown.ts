import type { CallExpression, Class, Expression, Program } from 'acorn'
import { createMeanings, nameOf } from './name-meanings.ts'
import { nodesIn } from './parse-script.ts'

/** A value that a script throws, or rejects a promise with. */
export interface ThrownValue {
  /**
   * `value` is an expression. `call` is the function that `reject()` calls, and `argument` the place of the argument
   * that `Promise.reject()` lacks: both reject with `undefined`.
   */
  kind: 'value' | 'call' | 'argument'
  start: number
  end: number
  /** Whether the value was caught before, so that it was thrown elsewhere. */
  isCaught: boolean
}

const ERROR = /^(?:(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error|DOMException)$/

/** Finds the values that a script throws, in the order of their starts, except those that are known to be errors. */
export function findThrown(program: Program): ThrownValue[] {
  const errors = findErrorClasses(program)
  const meanings = createMeanings(program)
  const found: ThrownValue[] = []

  function add(value: Expression) {
    for (const leaf of leavesOf(value)) {
      const { start, end } = leaf
      if (!isError(leaf, errors)) found.push({ kind: 'value', start, end, isCaught: meanings.of(leaf) === 'caught' })
    }
  }

  function addRejection({ callee, arguments: [value], end }: CallExpression) {
    if (value) {
      if (value.type !== 'SpreadElement') add(value)
    } else if (callee.type === 'Identifier') {
      found.push({ kind: 'call', start: callee.start, end: callee.end, isCaught: false })
    } else if (callee.type === 'MemberExpression' && nameOf(callee.object) === 'Promise') {
      found.push({ kind: 'argument', start: end - 1, end: end - 1, isCaught: false })
    }
  }

  for (const node of nodesIn(program)) {
    meanings.visit(node)
    if (node.type === 'ThrowStatement') add(node.argument)
    else if (node.type === 'CallExpression' && meanings.isRejection(node)) addRejection(node)
  }
  return found
}

/** Returns the expressions that can be the value: `throw log(), a ? b : c` throws `b` or `c`. */
function leavesOf(value: Expression): Expression[] {
  if (value.type === 'ConditionalExpression') return [...leavesOf(value.consequent), ...leavesOf(value.alternate)]
  const last = value.type === 'SequenceExpression' ? value.expressions.at(-1) : undefined
  return last ? leavesOf(last) : [value]
}

/** Returns whether an expression creates an error, which has a stack. */
function isError(value: Expression, errors: ReadonlySet<string>): boolean {
  if (value.type !== 'NewExpression' && value.type !== 'CallExpression') return false
  const name = nameOf(value.callee)
  return ERROR.test(name) || (value.type === 'NewExpression' && errors.has(name))
}

/** Lists the classes of the outermost scope that extend `Error`, also by way of another of them. */
function findErrorClasses({ body }: Program): ReadonlySet<string> {
  const errors = new Set<string>()
  const add = (name: string, { superClass }: Class) => {
    const parent = superClass ? nameOf(superClass) : ''
    if (ERROR.test(parent) || errors.has(parent)) errors.add(name)
  }
  for (const statement of body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type === 'ClassDeclaration') add(declared.id.name, declared)
    if (declared?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declared.declarations) if (init?.type === 'ClassExpression') add(nameOf(id), init)
  }
  return errors
}
