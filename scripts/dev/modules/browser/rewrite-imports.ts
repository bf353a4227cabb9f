import type {
  AnyNode,
  ExportAllDeclaration,
  ExportNamedDeclaration,
  ImportDeclaration,
  ImportExpression,
  Program,
} from 'acorn'
import { applyEdits, type Edit, nodesIn } from '../../../build/output/edit-script.ts'

/**
 * The replacement of an import: another URL, the URL of a script of a CommonJS module with the expression of the
 * module's namespace by that of the script, or an expression whose value is the namespace. `names` are those that
 * `export *` exports.
 */
export type ImportTarget =
  | { url: string }
  | { script: string; namespaceOf: NamespaceOf; names: readonly string[] }
  | { namespace: string }

/** Returns the expression of a module's namespace, of the expression of its script's namespace. */
export type NamespaceOf = (script: string) => string

/** The texts of the expressions that are no specifiers. */
export interface Expressions {
  /** Those in `import()`. */
  imported: string[]
  /** Those in `require()`. */
  required: string[]
}

export function listExpressions(code: string, program: Program): Expressions {
  const found: Expressions = { imported: [], required: [] }
  if (!/\b(?:import|require)\s*\(/.test(code)) return found
  for (const node of nodesIn(program)) {
    if (isExpression(node)) found.imported.push(code.slice(node.source.start, node.source.end))
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require') continue
    const [argument] = node.arguments
    if (argument && argument.type !== 'Literal') found.required.push(code.slice(argument.start, argument.end))
  }
  return found
}

function isExpression(node: AnyNode): node is ImportExpression {
  return node.type === 'ImportExpression' && node.source.type !== 'Literal'
}

/** Lists the specifiers of a script's imports, static and dynamic. A dynamic import of another expression is left out. */
export function listSpecifiers(program: Program): string[] {
  const found = new Set<string>()
  for (const node of nodesIn(program)) {
    const source = sourceOf(node)
    if (source) found.add(source.value)
  }
  return [...found]
}

/**
 * Replaces the imports of a script. Keeps the number of lines, so that its source map stays valid. The declarations
 * that replace imports are at the start of the first line, because imports are evaluated before other code.
 *
 * @param matches The specifiers that an `import()` of an expression may have.
 * @param exported The names that the script exports itself.
 */
export function rewriteImports(
  code: string,
  program: Program,
  targetOf: (specifier: string) => ImportTarget | null,
  matches: readonly string[],
  exported: readonly string[],
): string {
  const edits: Edit[] = []
  const declarations: string[] = []
  const taken = new Set(exported)
  let count = 0
  const unique = () => `hydrantImport${count++}`

  function importScript(script: string, namespaceOf: NamespaceOf): string {
    const local = unique()
    declarations.push(`import * as ${local} from ${JSON.stringify(script)};`)
    return namespaceOf(local)
  }

  const found = matches.map((specifier) => `${JSON.stringify(specifier)}: () => ${importLater(targetOf(specifier))}`)
  for (const node of nodesIn(program)) {
    const source = sourceOf(node)
    if (isExpression(node) && found.length > 0) {
      const { start } = node
      const lines = code.slice(start, node.source.start).replace(/[^\n]/g, '')
      edits.push({ start, end: node.source.start, text: `__hydrant_dev__.match({ ${found.join(', ')} }, ${lines}` })
    }
    const target = source && targetOf(source.value)
    if (!source || !target) continue
    if ('url' in target) {
      edits.push({ start: source.start, end: endOfSource(code, node, source), text: JSON.stringify(target.url) })
      continue
    }
    if (node.type === 'ImportExpression') {
      edits.push({ start: node.start, end: node.end, text: replaceExpression(target) })
      continue
    }
    const namespace = 'namespace' in target ? target.namespace : importScript(target.script, target.namespaceOf)
    const free = 'names' in target ? target.names.filter((name) => !taken.has(name)) : []
    if (node.type === 'ExportAllDeclaration') for (const name of free) taken.add(name)
    const { declaration, statement } = replaceStatement(node as Statement, namespace, unique, free)
    declarations.push(declaration)
    edits.push({ start: node.start, end: node.end, text: statement })
  }
  return declarations.join('') + applyEdits(code, edits)
}

function replaceExpression(target: Exclude<ImportTarget, { url: string }>): string {
  if ('namespace' in target) return `Promise.resolve(${target.namespace})`
  return `import(${JSON.stringify(target.script)}).then((script) => ${target.namespaceOf('script')})`
}

/** Returns the expression of the promise of a module. */
function importLater(target: ImportTarget | null): string {
  return target && 'url' in target ? `import(${JSON.stringify(target.url)})` : replaceExpression(target ?? MISSING)
}

/** A module that is no longer there. */
const MISSING = { namespace: '{}' }

type Statement = ImportDeclaration | ExportNamedDeclaration | ExportAllDeclaration

/** @param all The names that `export *` exports. */
function replaceStatement(node: Statement, namespace: string, unique: () => string, all: readonly string[]) {
  if (node.type === 'ImportDeclaration') {
    const declarations = node.specifiers.map((specifier) => {
      if (specifier.type === 'ImportNamespaceSpecifier') return `const ${specifier.local.name} = ${namespace};`
      const imported = specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported)
      return `const { ${JSON.stringify(imported)}: ${specifier.local.name} } = ${namespace};`
    })
    return { declaration: declarations.join('') || `${namespace};`, statement: '' }
  }
  if (node.type === 'ExportAllDeclaration' && node.exported) {
    const local = unique()
    return { declaration: `const ${local} = ${namespace};`, statement: exportList([[local, nameOf(node.exported)]]) }
  }
  const pairs =
    node.type === 'ExportAllDeclaration'
      ? all.map((name) => [name, name] as const)
      : node.specifiers.map(({ local, exported }) => [nameOf(local), nameOf(exported)] as const)
  const locals = pairs.map(([imported, exported]) => ({ imported, exported, local: unique() }))
  const members = locals.map(({ imported, local }) => `${JSON.stringify(imported)}: ${local}`)
  return {
    declaration: `const { ${members.join(', ')} } = ${namespace};`,
    statement: exportList(locals.map(({ local, exported }) => [local, exported])),
  }
}

function exportList(pairs: readonly [local: string, exported: string][]): string {
  return `export { ${pairs.map(([local, exported]) => `${local} as ${JSON.stringify(exported)}`).join(', ')} };`
}

interface Source {
  start: number
  end: number
  value: string
}

/** Returns the specifier of an import or of an export from another module; null for other nodes. */
function sourceOf(node: AnyNode): Source | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportExpression': {
      const { source } = node
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return null
      return { start: source.start, end: source.end, value: source.value }
    }
    default:
      return null
  }
}

/** Returns the end of an import's source, with its attributes: the browser gets every module as a script. */
function endOfSource(code: string, node: AnyNode, source: Source): number {
  if (node.type === 'ImportExpression') return node.options?.end ?? source.end
  const last = 'attributes' in node ? node.attributes.at(-1) : undefined
  return last ? code.indexOf('}', last.end) + 1 : source.end
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.type === 'Identifier' ? (node.name ?? '') : String(node.value)
}
