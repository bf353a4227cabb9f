import type { AnyNode, ExportDefaultDeclaration, Program } from 'acorn'
import { parse } from 'acorn'
import { contentHash } from '../../build/esbuild/content-hash.ts'
import { nodesIn } from '../../build/output/parse-script.ts'
import { applyEdits, type Edit, listSpecifiers } from './rewrite-imports.ts'

/** A module for the browser, before its imports are rewritten. */
export interface BrowserModule {
  code: string
  program: Program
  /** The source map as JSON; null without one. */
  map: string | null
  specifiers: string[]
  /** The names that the module exports, sorted. */
  exports: string[]
  /** The names that the module imports, by their modules, as a text to compare. */
  imports: string
  /** Whether every export is a React component: then an update of the module needs no update of its importers. */
  isBoundary: boolean
  /** Whether the default export is a React component. */
  hasComponent: boolean
}

const DEFAULT = 'HydrantDefault'

/**
 * Reads a script that has been transformed for React Fast Refresh. Gives a default export without a name the name that
 * Fast Refresh needs to find it again.
 */
export function readBrowserModule(code: string, map: string | null, id: string): BrowserModule {
  const parsed = parseModule(code)
  const anonymous = findAnonymousDefault(parsed)
  const named = anonymous === null ? code : nameDefault(code, anonymous, id)
  const program = anonymous === null ? parsed : parseModule(named)
  const exported = listExports(program)
  const registered = listRegistered(program)
  return {
    code: named,
    program,
    map,
    specifiers: listSpecifiers(program),
    exports: exported.map(({ name }) => name).sort(),
    imports: JSON.stringify(listImports(program)),
    isBoundary: exported.length > 0 && exported.every(({ local }) => registered.has(local)),
    hasComponent: exported.some(({ name, local }) => name === 'default' && registered.has(local)),
  }
}

function parseModule(code: string): Program {
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
}

type Anonymous = ExportDefaultDeclaration & { declaration: { start: number; end: number; type: string } }

function findAnonymousDefault(program: Program): Anonymous | null {
  const node = program.body.find((statement) => statement.type === 'ExportDefaultDeclaration')
  if (node?.type !== 'ExportDefaultDeclaration') return null
  const { declaration } = node
  const isFunction = /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration|ClassDeclaration)$/.test(
    declaration.type,
  )
  return isFunction && !('id' in declaration && declaration.id) ? (node as Anonymous) : null
}

// The signature is a hash of the calls of hooks: React resets the state when they change.
function nameDefault(code: string, { start, end, declaration }: Anonymous, id: string): string {
  const text = code.slice(declaration.start, declaration.end)
  const hooks = contentHash(...(text.match(/\buse[A-Z]\w*\s*\([^)]*\)/g) ?? []))
  const edits: Edit[] = [
    { start, end: declaration.start, text: `const ${DEFAULT} = ` },
    { start: declaration.end, end, text: code.slice(declaration.end, end).endsWith(';') ? ';' : '' },
  ]
  const footer =
    `;export { ${DEFAULT} as default };$RefreshSig$()(${DEFAULT}, ${JSON.stringify(hooks)});` +
    `$RefreshReg$(${DEFAULT}, ${JSON.stringify(DEFAULT)});// ${id.replaceAll('\n', ' ')}\n`
  return `${applyEdits(code, edits)}\n${footer}`
}

function listExports(program: Program): { name: string; local: string }[] {
  return program.body.flatMap((node) => {
    switch (node.type) {
      case 'ExportDefaultDeclaration': {
        const { declaration } = node
        if (declaration.type === 'Identifier') return [{ name: 'default', local: declaration.name }]
        const id = 'id' in declaration ? declaration.id : null
        // The transform registers other expressions, such as `memo(…)`, under this name.
        return [{ name: 'default', local: id?.type === 'Identifier' ? id.name : '%default%' }]
      }
      case 'ExportNamedDeclaration':
        if (node.declaration) return declaredNames(node.declaration).map((name) => ({ name, local: name }))
        return node.specifiers.map(({ local, exported }) => ({
          name: nameOf(exported),
          local: node.source ? '' : nameOf(local),
        }))
      case 'ExportAllDeclaration':
        return [{ name: '*', local: '' }]
      default:
        return []
    }
  })
}

function listImports(program: Program): [specifier: string, names: string[]][] {
  return program.body.flatMap((node): [string, string[]][] => {
    if (node.type === 'ImportDeclaration') {
      const names = node.specifiers.map((one) => (one.type === 'ImportSpecifier' ? nameOf(one.imported) : one.type))
      return [[String(node.source.value), names]]
    }
    if (node.type !== 'ExportNamedDeclaration' || !node.source) return []
    return [[String(node.source.value), node.specifiers.map(({ local }) => nameOf(local))]]
  })
}

function declaredNames(declaration: AnyNode): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : ''))
  return 'id' in declaration && declaration.id && 'name' in declaration.id ? [String(declaration.id.name)] : []
}

/** Lists the components that the transform registers with `$RefreshReg$(component, 'Name')`. */
function listRegistered(program: Program): Set<string> {
  const names = new Set<string>()
  for (const node of nodesIn(program)) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== '$RefreshReg$')
      continue
    const [, name] = node.arguments
    if (name?.type === 'Literal' && typeof name.value === 'string') names.add(name.value)
  }
  return names
}

function nameOf(node: AnyNode): string {
  return node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : ''
}
