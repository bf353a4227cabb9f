import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { EncodedSourceMap } from '@jridgewell/trace-mapping'
import { type AnyNode, type Program, parse } from 'acorn'
import { transform } from 'esbuild'
import type { TransformOptions, TransformResult, transformSync } from 'oxc-transform'
import { messageOf } from '../../../../src/server/util/unknown-values.ts'
import { listModuleUrls } from '../../../build/bundles/bundle-with-packages.ts'
import { nodesIn } from '../../../build/output/edit-script.ts'
import { markThrown } from '../../../build/output/mark-thrown.ts'
import type { ScriptSettings } from '../script-settings.ts'
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

/** A script with the calls that React Fast Refresh needs. */
export interface RefreshedScript extends Pick<TransformResult, 'code' | 'map'> {
  program: Program
}

let loading: Promise<{ transform: typeof transformSync } | { missing: string }> | undefined

/** Loads the transform. `missing` says why that is not possible: npm has left out the binary for the system. */
export function loadTransform() {
  loading ??= import('oxc-transform').then(
    (oxc) => ({ transform: oxc.transformSync }),
    (error: unknown) => ({ missing: findBinding(error) ?? messageOf(error) }),
  )
  return loading
}

/** Returns the name of the package with the binary, from the errors about the places that were tried. */
function findBinding(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // The one for WebAssembly is for systems without a binary.
  return /@oxc-transform\/binding-(?!wasm)[\w-]+/.exec(error.message)?.[0] ?? findBinding(error.cause)
}

interface RefreshOptions extends Pick<TransformOptions, 'lang' | 'define' | 'sourcemap'> {
  /** The package whose functions create elements of JSX. Default: `react`. */
  importSource?: string
}

/**
 * Adds the calls of React Fast Refresh to a script. Returns null for a script with syntax errors, for syntax that only
 * esbuild compiles, such as decorators, and without the transform.
 *
 * Fast Refresh finds a component again by its name, so a default export without a name gets one.
 */
export async function addRefresh(
  path: string,
  source: string,
  options: RefreshOptions,
): Promise<RefreshedScript | null> {
  const loaded = await loadTransform()
  if ('missing' in loaded) return null
  const refresh = (code: string) => transformScript(loaded.transform, path, code, options)
  const script = refresh(source)
  if (!script || !hasAnonymousDefault(script.program)) return script
  const name = /\bDefault\b/.test(source) ? 'HydrantDefault' : 'Default'
  // The text may also be in a string or a comment: then the default export still has no name.
  for (const { index } of source.matchAll(/\bexport\s+default\b/g)) {
    // As long as the replaced text, so that the source map stays valid.
    const rest = source.slice(index).replace(/^export(\s+)default/, (text) => `const ${name}=`.padEnd(text.length))
    const named = refresh(`${source.slice(0, index)}${rest}\nexport { ${name} as default }\n`)
    if (named && !hasAnonymousDefault(named.program)) return named
  }
  return script
}

function transformScript(
  transform: typeof transformSync,
  path: string,
  source: string,
  { importSource = 'react', ...options }: RefreshOptions,
): RefreshedScript | null {
  const { code, map, errors } = transform(path, source, {
    ...options,
    sourceType: 'module',
    jsx: { runtime: 'automatic', importSource, development: false, refresh: true },
  })
  if (errors.length > 0) return null
  try {
    return { code, ...(map ? { map } : {}), program: parseModule(code) }
  } catch {
    return null
  }
}

/** Parses a script that oxc-transform or esbuild has written. */
export function parseModule(code: string): Program {
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
}

/** Returns whether the default export is a function without a name. A class is never refreshed. */
function hasAnonymousDefault({ body }: Program): boolean {
  return body.some((statement) => {
    if (statement.type !== 'ExportDefaultDeclaration') return false
    const { declaration } = statement
    // The transform wraps a function that calls hooks: `_s(() => …, 'signature')`.
    const value =
      declaration.type === 'CallExpression' &&
      declaration.callee.type === 'Identifier' &&
      /^_s\d*$/.test(declaration.callee.name)
        ? declaration.arguments[0]
        : declaration
    if (value?.type === 'ArrowFunctionExpression') return true
    return (value?.type === 'FunctionExpression' || value?.type === 'FunctionDeclaration') && !value.id
  })
}

/** A declaration with `using`, which not all browsers have. */
const RESOURCE = /\busing\s+[\w$]+\s*=/

/**
 * Compiles a script for the browser, if no plugin applies to it. Returns null for a script that only esbuild accepts or
 * that names files by their URLs, and rejects with esbuild's TransformFailure for one that it does not accept either.
 *
 * perf: with oxc and without esbuild, 1.5 ms instead of 6.0 ms for a script, commit 8d8d4fde
 */
export async function compilePlainScript(
  siteDir: string,
  id: string,
  define: Record<string, string>,
  { importSource, definesFields }: Pick<ScriptSettings, 'importSource' | 'definesFields'>,
): Promise<RefreshedScript | null> {
  const path = resolve(siteDir, id)
  const source = await readFile(path, 'utf8')
  // A plugin publishes the files. esbuild compiles `using`, and fields that are assigned.
  const needsEsbuild = RESOURCE.test(source) || (!definesFields && /\bclass\b/.test(source))
  if (needsEsbuild || listModuleUrls(source).length > 0) return null
  const lang = langOf(id)
  const script = await addRefresh(path, source, { lang, define, importSource, sourcemap: true })
  if (script?.map) return { ...script, map: { ...script.map, sources: [`../../${id}`], sourcesContent: [source] } }
  // esbuild reports the errors in the form that the build uses.
  await transform(source, { loader: lang, sourcefile: id, jsx: 'automatic', logLevel: 'silent' })
  return null
}

function langOf(id: string): 'ts' | 'tsx' | 'js' | 'jsx' {
  const extension = extname(id)
  if (extension === '.tsx') return 'tsx'
  if (/^\.[cm]?ts$/.test(extension)) return 'ts'
  // As in esbuild, JSX needs its own extension.
  return extension === '.jsx' ? 'jsx' : 'js'
}
