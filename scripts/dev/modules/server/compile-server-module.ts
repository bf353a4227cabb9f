import type { AnyNode } from 'acorn'
import { type BuildOptions, type BuildResult, transform } from 'esbuild'
import { outputText } from '../../../build/esbuild/bundler.ts'
import { applyEdits, type Edit, nodesIn, parseScript } from '../../../build/output/edit-script.ts'
import { MODULE_PARAMETERS } from './module-instances.ts'

/** A compiled module of the server: the body of a function with the parameters `MODULE_PARAMETERS`. */
export interface CompiledServerModule {
  code: string
  map: string
  /** The specifiers of the static imports, in order. */
  imports: string[]
  /** The specifiers of `require()` in the source. */
  requires: string[]
  /** The specifiers of static and dynamic imports and of `require()`. */
  specifiers: string[]
  /** The texts of the expressions in `import()` and `require()` that are no specifiers. */
  expressions: string[]
  requiresExpression: boolean
  /** The names that the module imports, by specifier. */
  names: ReadonlyMap<string, readonly string[]>
  /** Whether the body contains `await`, because the module has a top-level await. */
  isAsync: boolean
  /** Whether the source has the syntax of an ES module. */
  isEsm: boolean
}

/** Compiles modules for the server, one by one. Rejects with esbuild's BuildFailure. */
export interface ServerCompiler {
  server(id: string): Promise<CompiledServerModule>
}

/** Compiles one module with esbuild. Rejects with esbuild's BuildFailure. */
export type CompileServerScript = (options: BuildOptions) => Promise<BuildResult>

const { require, meta, dynamicImport, isNamespace } = MODULE_PARAMETERS

/** Matches the statements that esbuild writes for static imports. */
const IMPORT = /^(?:var [\w$]+ = |__reExport\([\w$]+, )?(?:__toESM\()?require\(("(?:[^"\\]|\\.)+")\)/gm
const NAMED_IMPORT = /^var (import_[\w$]+) = (?:__toESM\()?require\(("(?:[^"\\]|\\.)+")/gm
const USE = /(?<![\w$.])(import_[\w$]+)\.([\w$]+)/g
const DYNAMIC = new RegExp(`\\b(?:import|${require})\\s*\\(`)

/** The statement of esbuild after the getters of the exports. */
const EXPORTS_END = 'module.exports = __toCommonJS('

/** Options for a module that becomes the body of a function. */
const SHARED = {
  // esbuild refuses aliases for a single module.
  alias: {},
  bundle: false,
  platform: 'node',
  target: 'node20',
  metafile: true,
  write: false,
} as const satisfies BuildOptions

/** Compiles an ES module to CommonJS in the way of the server's bundle, also with a top-level await. */
export async function compileServerModule(
  compile: CompileServerScript,
  given: Readonly<Record<string, string>>,
): Promise<CompiledServerModule> {
  const define = { ...given, 'import.meta': meta, require }
  try {
    const result = await compile({ ...SHARED, define, format: 'cjs', sourcemap: 'external' })
    return complete(outputText(result.outputFiles, '.js'), outputText(result.outputFiles, '.js.map'), false)
  } catch (error) {
    if (!isTopLevelAwait(error)) throw error
  }
  const result = await compile({ ...SHARED, define, format: 'esm', sourcemap: 'inline' })
  const options = { format: 'cjs', platform: 'node', target: 'node20', charset: 'utf8', sourcemap: 'external' } as const
  const { code, map } = await transform(hideAwait(outputText(result.outputFiles, '.js')), {
    ...options,
    logLevel: 'silent',
  })
  return complete(showAwait(code), map, true)
}

function isTopLevelAwait(error: unknown): boolean {
  return error instanceof Error && /Top-level await is currently not supported/.test(error.message)
}

function complete(code: string, map: string, isAsync: boolean): CompiledServerModule {
  const { edits, specifiers, requires, expressions, requiresExpression } = findDynamicImports(code)
  const imports = listSpecifiers(code, IMPORT)
  return {
    code: linkNamespaces(applyEdits(code, edits)),
    map: withoutExports(map, code),
    imports,
    requires,
    specifiers: [...new Set([...imports, ...requires, ...specifiers])],
    expressions,
    requiresExpression,
    names: listNames(code),
    isAsync,
    isEsm: code.includes(EXPORTS_END),
  }
}

/**
 * Returns the map without the getters of the exports, which esbuild maps to the beginning of the source. A circular
 * import that uses an export too early fails in one of them, and its place is the line that uses the export.
 */
function withoutExports(map: string, code: string): string {
  const lineCount = code.slice(0, Math.max(0, code.indexOf(EXPORTS_END))).split('\n').length
  // esbuild has written the map.
  const fields = JSON.parse(map) as { mappings: string }
  const lines = fields.mappings.split(';')
  // `AAAA` begins where the mapping before it begins, so the others stay valid without it.
  const mappings = lines.map((line, index) => (index < lineCount && line === 'AAAA' ? '' : line)).join(';')
  return JSON.stringify({ ...fields, mappings })
}

/** For `import { find } from 'db'` esbuild writes `var import_db = require("db")` and `import_db.find`. */
function listNames(code: string): Map<string, readonly string[]> {
  const uses = [...code.matchAll(USE)]
  const names = new Map<string, string[]>()
  for (const [, variable, text = '""'] of code.matchAll(NAMED_IMPORT)) {
    // The pattern matches a string in JSON.
    const specifier = JSON.parse(text) as string
    const used = uses.flatMap(([, of, name = '']) => (of === variable ? [name] : []))
    // A module may import from another one in several statements.
    names.set(specifier, [...new Set([...(names.get(specifier) ?? []), ...used])])
  }
  return names
}

/** Adds exports to the object that circular imports have. An import gets the namespace of an ES module itself. */
function linkNamespaces(code: string): string {
  return code
    .replace('var __toCommonJS = (mod) => __copyProps(__defProp({}, ', (text) => text.replace('{}', 'module.exports'))
    .replace('var __toESM = (mod, isNodeMode, target) => ', (text) => `${text}${isNamespace}(mod) ? mod : `)
}

interface DynamicImports {
  /** The replacements of `import`. */
  edits: Edit[]
  specifiers: string[]
  requires: string[]
  expressions: string[]
  requiresExpression: boolean
}

function findDynamicImports(code: string): DynamicImports {
  const found: DynamicImports = { edits: [], specifiers: [], requires: [], expressions: [], requiresExpression: false }
  if (!DYNAMIC.test(code)) return found
  for (const node of nodesIn(parseScript(code))) {
    const isImport = node.type === 'ImportExpression'
    if (isImport) found.edits.push({ start: node.start, end: node.start + 'import'.length, text: dynamicImport })
    else if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== require)
      continue
    const argument = isImport ? node.source : node.arguments[0]
    if (!argument) continue
    if (argument.type === 'Literal') found[isImport ? 'specifiers' : 'requires'].push(String(argument.value))
    else {
      found.expressions.push(code.slice(argument.start, argument.end))
      if (!isImport) found.requiresExpression = true
    }
  }
  return found
}

function listSpecifiers(code: string, pattern: RegExp): string[] {
  return [...new Set([...code.matchAll(pattern)].map(([, text = '""']) => JSON.parse(text) as string))]
}

// esbuild refuses a top-level await in CommonJS. It accepts the calls that replace the await here.

/** The function whose calls replace `await` for one compilation. Its name is as long as `await`, so columns stay. */
const AWAIT = '$w$it'
/** The function that is called with what `for await` iterates over. */
const FOR_AWAIT = '$f$or'

/** Replaces each `await` outside of functions, which esbuild refuses in CommonJS, by a call. */
function hideAwait(code: string): string {
  const edits: Edit[] = []
  const functions = []
  for (const node of nodesIn(parseScript(code))) {
    if (/Function|^StaticBlock$|^PropertyDefinition$/.test(node.type)) functions.push(node)
    const isInner = functions.some(({ start, end }) => start <= node.start && node.end <= end)
    if (isInner) continue
    if (node.type === 'AwaitExpression') {
      edits.push({ start: node.start, end: node.start + 'await '.length, text: `${AWAIT}(` })
      edits.push({ start: node.end, end: node.end, text: ')' })
    } else if (node.type === 'ForOfStatement' && node.await) {
      edits.push({ start: node.start, end: node.start + 'for await '.length, text: 'for ' })
      edits.push({ start: node.right.start, end: node.right.start, text: `${FOR_AWAIT}(` })
      edits.push({ start: node.right.end, end: node.right.end, text: ')' })
    }
  }
  return applyEdits(code, edits)
}

/** Replaces the calls by `await` again. */
function showAwait(code: string): string {
  const edits: Edit[] = []
  for (const node of nodesIn(parseScript(code))) {
    if (node.type === 'ForOfStatement' && isCall(node.right, FOR_AWAIT)) {
      edits.push({ start: node.start, end: node.start + 'for'.length, text: 'for await' })
      edits.push({ start: node.right.start, end: node.right.start + FOR_AWAIT.length, text: '' })
    } else if (isCall(node, AWAIT)) {
      edits.push({ start: node.start, end: node.start + AWAIT.length, text: '(await ' })
      edits.push({ start: node.end, end: node.end, text: ')' })
    }
  }
  return applyEdits(code, edits)
}

function isCall(node: AnyNode, name: string): boolean {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === name
}
