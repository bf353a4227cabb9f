import { type EncodedSourceMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import type { AnyNode, CallExpression, Class, Expression, Identifier, Pattern, Program } from 'acorn'
import { toFile } from '../../../src/server/failures/stacks/source-map-file.ts'
import { MAX_PRIMITIVES, STACKS_VARIABLE } from '../../../src/shared/wire/report-format.ts'
import { isHydrantPath } from '../esbuild/hydrant-files.ts'
import { createPositions, type Insertion, insertTexts, nodesIn, parseParts, shiftMappings } from './edit-script.ts'

export interface MappedCode {
  code: string
  /** Null for a script without one. All its values are kept. */
  map: EncodedSourceMap | null
}

/** Matches a script that may throw a value which is not an error, or reject a promise. */
const MAY_THROW =
  /\bthrow\b(?!\s*new\s+(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error\b)|\b(?:Promise|reject|abort)\b/

/**
 * Makes a script of a browser keep the stack of each thrown value that has none of its own: `throw value` becomes
 * `throw kept(value)`, and the function `kept`, which returns its argument, is added at the end. Rejections of
 * promises are treated in the same way. A script that throws no such value does not change.
 *
 * @param isMarked Whether the values of a source are kept. Gets the path as it is in the map.
 */
export function markThrown(script: MappedCode, isMarked: (source: string) => boolean): MappedCode {
  const { code, map } = script
  if (!MAY_THROW.test(code)) return script
  if (map && !map.sources.some((source) => source !== null && isMarked(source))) return script
  const all = parseParts(code, MAY_THROW).flatMap(findThrown)
  if (all.length === 0) return script
  const trace = map && new TraceMap(map)
  const thrown = trace ? all.filter(createFilter(code, trace, isMarked)) : all
  if (thrown.length === 0) return script
  const name = unusedName(code)
  const insertions = thrown.flatMap((value) => insertionsFor(value, name))
  const marked = withKeeper(insertTexts(code, insertions), name)
  return { code: marked, map: trace && { ...map, mappings: shiftMappings(trace, code, insertions) } }
}

function createFilter(code: string, trace: TraceMap, isMarked: (source: string) => boolean) {
  const positionOf = createPositions(code)
  const marked = trace.sources.map((source) => source !== null && isMarked(source))
  return ({ start }: ThrownValue) => marked[traceSegment(trace, ...positionOf(start))?.[1] ?? -1]
}

function unusedName(code: string): string {
  let name = '$kept'
  while (code.includes(name)) name = `$${name}`
  return name
}

function insertionsFor({ kind, start, end, isCaught }: ThrownValue, name: string): Insertion[] {
  const before = (text: string) => ({ offset: start, text, isBefore: true })
  const after = (text: string) => ({ offset: end, text, isBefore: false })
  // A function may be passed to a worker as text. The name is not defined there.
  const kept = `(typeof ${name}<"u"?${name}:v=>v)`
  if (kind === 'argument') return [before(`${kept}()`)]
  if (kind === 'call') return [before(`(${kept}(),`), after(')')]
  return [before(`${kept}(`), after(isCaught ? ',1)' : ')')]
}

/**
 * Adds the function that keeps the stack of a value. It must not throw, and it uses no name that the script may
 * declare.
 *
 * For an object, the first stack is kept, because an object that is thrown again is mostly the same failure. For a
 * primitive value, the last stack is kept, because two functions may throw the same text. The second argument says
 * that the value was caught, so it was thrown before. A promise is not a failure: a component waits for data.
 */
function withKeeper(code: string, name: string): string {
  // A WeakMap has no size.
  const keeper =
    `function ${name}(v,isCaught){try{` +
    'const{Error,Map,Object,Promise,WeakMap}=globalThis;' +
    'if(!(v instanceof Promise||v instanceof Error&&v.stack)){' +
    'const isObject=Object(v)===v,' +
    `kept=(globalThis.${STACKS_VARIABLE}??=[new Map,new WeakMap])[+isObject];` +
    'if(!(kept.has(v)&&(isObject||isCaught))){' +
    'kept.delete(v);' +
    'kept.set(v,""+Error().stack);' +
    `kept.size>${MAX_PRIMITIVES}&&kept.delete(kept.keys().next().value)` +
    '}}}catch{}return v}\n'
  const end = /\s*(?:\n\/\/# sourceMappingURL=\S+\s*)?$/.exec(code)
  return `${code.slice(0, end?.index)}\n${keeper}${end?.[0].trimStart() ?? ''}`
}

/** The error of esbuild's function for `import()` and `require()` with a pattern, for a path that no file has. */
const NOT_FOUND = 'throw new Error("Module not found in bundle: "'
/** The function up to the error. It is shorter than `LONGEST`. */
const UNMATCHED = /([\w$]+)\[([\w$]+)\];\s*if\s*\(([\w$]+)\)\s*return \3\(\);\s*$/
const LONGEST = 300

/**
 * Makes an `import()` with a pattern, as `./texts/${language}.ts`, reject if no file has the path, as the language
 * defines it. esbuild throws an error at once, for `import()` as for `require()`.
 */
export function rejectUnmatched(script: MappedCode): MappedCode {
  const offset = script.code.indexOf(NOT_FOUND)
  // In the whole code, the pattern would take seconds: scripts contain words of 100,000 characters.
  const found = UNMATCHED.exec(script.code.slice(Math.max(0, offset - LONGEST), Math.max(0, offset)))
  if (!found) return script
  const [, targets, path] = found
  // Both kinds of calls have the function. Only their targets tell them apart.
  const areImports = `Object.values(${targets}).every(load=>/=>\\s*(?:import\\(|Promise\\b|[\\w$]+\\(\\)\\.then\\()/.test(load))`
  const rejection = `if(${areImports})return Promise.reject(new Error("Module not found in bundle: "+${path}));`
  const insertions = [{ offset, text: rejection, isBefore: true }]
  const { map } = script
  return {
    code: insertTexts(script.code, insertions),
    map: map && { ...map, mappings: shiftMappings(new TraceMap(map), script.code, insertions) },
  }
}

/** Namespaces of the modules that the build writes, and esbuild's for a module that a package disables. */
const WRITTEN_BY_BUILD = /^(?:hydrant-[\w-]+|\(disabled\)):/

const REACT = /[\\/]node_modules[\\/](?:react|react-dom|scheduler)[\\/]/

/** Returns whether a source in the map of a bundle in `folder` is the site's: of no package, Hydrant or the build. */
export function isOfSite(source: string, folder: string): boolean {
  if (source.includes('node_modules/') || WRITTEN_BY_BUILD.test(source)) return false
  return !isHydrantPath(toFile(folder, source))
}

/** Returns whether a source is the site's or a package's, and not React's. */
export function isOfSiteOrPackage(source: string, folder: string): boolean {
  if (WRITTEN_BY_BUILD.test(source)) return false
  // From a folder in `node_modules`, the path of React in the map does not name that folder.
  const path = toFile(folder, source)
  return !REACT.test(path) && !isHydrantPath(path)
}

interface ThrownValue {
  /** An expression, or without one, the function of `reject()` or the place in `Promise.reject()`. */
  kind: 'value' | 'call' | 'argument'
  start: number
  end: number
  /** Whether the value was caught before, so that it was thrown elsewhere. */
  isCaught: boolean
}

const ERROR_NAME = /^(?:(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error|DOMException)$/

/** Finds the values that a script throws, in the order of their starts, except those that are known to be errors. */
function findThrown(program: Program): ThrownValue[] {
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
  return ERROR_NAME.test(name) || (value.type === 'NewExpression' && errors.has(name))
}

/** Lists the classes of the outermost scope that extend `Error`, also by way of another of them. */
function findErrorClasses({ body }: Program): ReadonlySet<string> {
  const errors = new Set<string>()
  const add = (name: string, { superClass }: Class) => {
    const parent = superClass ? nameOf(superClass) : ''
    if (ERROR_NAME.test(parent) || errors.has(parent)) errors.add(name)
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

/** Finds what parameters of `new Promise()` and `catch` mean. Other declarations inside functions are not read. */
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
