import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import type { AnyNode, Program } from 'acorn'
import { nodesIn } from '../../../build/output/edit-script.ts'
import { markThrown } from '../../../build/output/mark-thrown.ts'
import { parseModule, type RefreshedScript } from './refresh-transform.ts'
import { type Expressions, listExpressions, listSpecifiers } from './rewrite-imports.ts'

/** A module for the browser, before its imports are rewritten. */
export interface BrowserModule {
  code: string
  program: Program
  map: EncodedSourceMap | null
  specifiers: string[]
  expressions: Expressions
  requires: string[]
  /** The names that the module exports, sorted. */
  exports: string[]
  /** The names that the module imports, by their modules, as a text to compare. */
  imports: string
  /** Whether every export is a React component: then an update of the module needs no update of its importers. */
  isBoundary: boolean
  /** Whether the default export is a React component. */
  hasComponent: boolean
}

/** Reads a script that has been transformed for React Fast Refresh, and marks the values that it throws. */
export function readBrowserModule(script: RefreshedScript): BrowserModule {
  const { code, map } = markThrown(
    { code: script.code, map: script.map ? { ...script.map, version: 3 } : null },
    () => true,
  )
  const program = code === script.code ? script.program : parseModule(code)
  const exported = listExports(program)
  // The transform registers components with `$RefreshReg$(component, 'Name')`.
  const registered = listArguments(program, '$RefreshReg$', 1)
  const requires = [...listArguments(program, 'require', 0)]
  return {
    code,
    program,
    map,
    expressions: listExpressions(code, program),
    specifiers: [...new Set([...listSpecifiers(program), ...requires])],
    requires,
    exports: exported.map(({ name }) => name).sort(),
    imports: JSON.stringify(listImports(program)),
    isBoundary: exported.length > 0 && exported.every(({ local }) => registered.has(local)),
    hasComponent: exported.some(({ name, local }) => name === 'default' && registered.has(local)),
  }
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

function nameOf(node: AnyNode): string {
  return node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : ''
}

export interface Stylesheet {
  css: string
  /** The ids of the files that it consists of. */
  inputs: string[]
  /** Whether esbuild warns about it. */
  hasWarnings: boolean
}

/** Compiles modules and stylesheets for browsers, one by one. Rejects with esbuild's BuildFailure. */
export interface BrowserCompiler {
  browser(id: string): Promise<BrowserModule>
  stylesheet(id: string): Promise<Stylesheet>
  /** The assets that the compiled modules use, by their names in the client folder. */
  asset(name: string): Uint8Array | undefined
}

/** Lists the texts that a script's calls of a function have as the argument at `index`: literals only. */
function listArguments(program: Program, functionName: string, index: number): Set<string> {
  const found = new Set<string>()
  for (const node of nodesIn(program)) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== functionName)
      continue
    const argument = node.arguments[index]
    if (argument?.type === 'Literal' && typeof argument.value === 'string') found.add(argument.value)
  }
  return found
}
