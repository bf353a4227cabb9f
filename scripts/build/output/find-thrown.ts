import type { AnyNode, CallExpression, Class, Expression, Identifier, Pattern, Program } from 'acorn'
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

/** The value of a name: a function that rejects a promise, or a value that was caught. */
type Meaning = 'reject' | 'caught' | 'other'

interface Scope {
  node: AnyNode
  names: Map<string, Meaning>
}

/**
 * Finds the meanings of names: a parameter of `new Promise()`, `catch (error)`, `.catch((error) => …)`. Declarations
 * inside a function are not read, so a name may be confused with another name.
 */
function createMeanings(program: Program) {
  const scopes: Scope[] = [{ node: program, names: new Map() }]
  /** The parameter of a function that is an argument, with its meaning. */
  const callbacks = new Map<AnyNode, [parameter: number, Meaning]>()
  /** The properties whose functions reject a promise. */
  const methods = new Set(['reject', 'abort', 'throw'])

  const scopeOf = (name: string) => scopes.findLastIndex(({ names }) => names.has(name))
  const meaningOf = (node: AnyNode): Meaning =>
    (node.type === 'Identifier' && scopes[scopeOf(node.name)]?.names.get(node.name)) || 'other'

  /** Follows `this.fail = reject` and `fail = reject`. */
  function follow(target: Pattern, { name }: Identifier) {
    if (target.type === 'MemberExpression' && !target.computed) methods.add(nameOf(target.property))
    // The variable is declared outside of the function with the parameter.
    if (target.type === 'Identifier') scopes[scopeOf(name) - 1]?.names.set(target.name, 'reject')
  }

  return {
    /** Returns the meaning of a name at the node that was visited last. */
    of: meaningOf,
    /** Returns whether a call rejects a promise, judging by the name of the called function. */
    isRejection: ({ callee }: CallExpression) =>
      meaningOf(callee) === 'reject' ||
      (callee.type === 'MemberExpression' && !callee.computed && methods.has(nameOf(callee.property))),
    visit(node: AnyNode) {
      while (!isAround(scopes.at(-1)?.node, node)) scopes.pop()
      switch (node.type) {
        case 'FunctionDeclaration':
        case 'FunctionExpression':
        case 'ArrowFunctionExpression':
          scopes.push({ node, names: namesOf(node.params, callbacks.get(node)) })
          break
        case 'CatchClause':
          scopes.push({ node, names: namesOf(node.param ? [node.param] : [], [0, 'caught']) })
          break
        case 'NewExpression':
          if (nameOf(node.callee) === 'Promise' && node.arguments[0]) callbacks.set(node.arguments[0], [1, 'reject'])
          break
        case 'CallExpression': {
          const handler = handlerIn(node)
          if (handler) callbacks.set(handler, [0, 'caught'])
          break
        }
        case 'AssignmentExpression':
          if (node.right.type === 'Identifier' && meaningOf(node.right) === 'reject') follow(node.left, node.right)
          break
        case 'ObjectPattern':
          // `const { promise, reject } = Promise.withResolvers()`
          for (const one of node.properties) {
            if (one.type === 'Property' && nameOf(one.key) === 'reject')
              scopes.at(-1)?.names.set(nameOf(one.value), 'reject')
          }
      }
    },
  }
}

/** Returns the name of an identifier; an empty string for any other node. */
function nameOf(node: AnyNode): string {
  if (node.type === 'Identifier') return node.name
  return node.type === 'PrivateIdentifier' ? `#${node.name}` : ''
}

function isAround(outer: AnyNode | undefined, { start, end }: AnyNode): boolean {
  return outer === undefined || (outer.start <= start && end <= outer.end)
}

function namesOf(patterns: readonly Pattern[], named: [parameter: number, Meaning] | undefined): Map<string, Meaning> {
  return new Map(patterns.map((pattern, index) => [nameOf(pattern), named?.[0] === index ? named[1] : 'other']))
}

/** Returns the function that `.catch()` or `.then()` calls with the reason. */
function handlerIn({ callee, arguments: given }: CallExpression): AnyNode | undefined {
  const method = callee.type === 'MemberExpression' ? nameOf(callee.property) : ''
  if (method === 'catch') return given[0]
  return method === 'then' ? given[1] : undefined
}
