import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type EncodedSourceMap, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import type { AnyNode, Program } from 'acorn'
import { type Metafile, transform } from 'esbuild'
import { hintAtClosest } from '../../../src/server/util/closest-match.ts'
import { type BuildProblem, createProblem, placeAt, type SourceLocation } from '../../build-problem.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import { isInstalled, loaderOf } from '../esbuild/resolve-file.ts'
import { CSS_NAMESPACES, isStylesheet } from '../esbuild/stylesheet-reader.ts'
import { createPositions, nodesIn, parseScript } from '../output/edit-script.ts'

/** The CSS modules of a script, by the specifiers of their imports. */
type ImportedModules = ReadonlyMap<string, { path: string; classes: readonly string[] }>

interface ClassUse {
  /** The specifier of the CSS module. */
  specifier: string
  name: string
  /** The name of the class in the script. */
  node: AnyNode
}

const PREFIX = `${CSS_NAMESPACES.classes}:`
/** The import of a default export. */
const IMPORT = /\bimport\s+([\w$]+)[^'";]*?\bfrom\s*['"]([^'"]+)['"]/g

/**
 * Finds names of classes that a CSS module does not have: they are undefined. Names that only the running code would show
 * are not checked, nor are those of another module that exports the classes again.
 *
 * @param metafile That of the modules for the browser.
 * @param classNames The names of the classes of each CSS module.
 */
export async function checkClassNames(
  siteDir: string,
  { inputs }: Metafile,
  classNames: ReadonlyMap<string, readonly string[]>,
): Promise<BuildProblem[]> {
  const scripts = Object.entries(inputs).filter(([file]) => /\.[cm]?[jt]sx?$/.test(file) && !isInstalled(file))
  const importers = scripts.flatMap(([file, { imports }]) => {
    const modules = imports.flatMap(({ path, kind, original }) => {
      if (kind !== 'import-statement' || !path.startsWith(PREFIX) || original === undefined) return []
      const sitePath = path.slice(PREFIX.length)
      const classes = classNames.get(sitePath)
      return classes ? [[original, { path: sitePath, classes }] as const] : []
    })
    return modules.length > 0 ? [{ file, modules: new Map(modules) }] : []
  })
  const found = await mapWithLimit(importers, FILES_AT_A_TIME, ({ file, modules }) => checkFile(siteDir, file, modules))
  return found.flat()
}

async function checkFile(siteDir: string, file: string, modules: ImportedModules): Promise<BuildProblem[]> {
  const source = await readFile(resolve(siteDir, file), 'utf8').catch(() => '')
  if (!mayBeWrong(source, modules)) return []
  // A plugin of the site may compile what esbuild does not accept.
  const script = await transform(source, {
    loader: loaderOf(file),
    charset: 'utf8',
    logLevel: 'silent',
    sourcemap: 'external',
  }).catch(() => null)
  if (!script) return []
  // esbuild has written the map.
  const trace = new TraceMap(JSON.parse(script.map) as EncodedSourceMap)
  const lines = source.split(/\r?\n/)
  const positionOf = createPositions(script.code)
  return listUses(parseScript(script.code)).flatMap(({ specifier, name, node }) => {
    const module = modules.get(specifier)
    if (!module || isKnown(name, module.classes)) return []
    const [row, start] = positionOf(node.start)
    const { line, column } = originalPositionFor(trace, { line: row + 1, column: start })
    const lineText = lines[(line ?? 1) - 1] ?? null
    const place = { file, line, column: column === null ? null : column + 1, lineText }
    return [createClassProblem(module.path, name, module.classes, place)]
  })
}

/** Describes the use of a class that a CSS module does not have. */
export function createClassProblem(
  module: string,
  name: string,
  known: readonly string[],
  location: SourceLocation | null,
): BuildProblem {
  return createProblem('HYD_BUILD_CLASS_NAME', [module, name, hintAtClosest(name, known)], location)
}

/** Returns whether a module has a class, or the object of its classes has such a method. */
function isKnown(name: string, classes: readonly string[]): boolean {
  return classes.includes(name) || name in Object.prototype
}

/** Returns whether the text of a script may use an unknown name. Most scripts need not be parsed. */
function mayBeWrong(source: string, modules: ImportedModules): boolean {
  return [...source.matchAll(IMPORT)].some(([, variable = '', specifier = '']) => {
    const { classes } = modules.get(specifier) ?? {}
    if (!classes) return false
    const object = `(?<![\\w$])${variable.replaceAll('$', '\\$')}`
    const uses = source.matchAll(
      new RegExp(`${object}\\s*(?:\\?\\.|\\.|(?:\\?\\.)?\\[\\s*['"])\\s*([^'"\\s.,;:()\\]}]+)`, 'g'),
    )
    const isTaken = new RegExp(`\\}\\s*=\\s*${object}(?![\\w$])`).test(source)
    return isTaken || [...uses].some(([, name = '']) => !isKnown(name, classes))
  })
}

/** Lists the names that a script reads from default imports. esbuild has renamed the other variables of these names. */
function listUses(program: Program): ClassUse[] {
  const specifiers = new Map<string, string>()
  const assigned = new Set<string | null>()
  const uses: ClassUse[] = []

  const add = (object: AnyNode | null | undefined, node: AnyNode, isComputed: boolean) => {
    const specifier = object?.type === 'Identifier' ? specifiers.get(object.name) : undefined
    const name = readKey(node, isComputed)
    if (specifier !== undefined && name !== null) uses.push({ specifier, name, node })
  }
  const addPattern = (pattern: AnyNode, value: AnyNode | null | undefined) => {
    if (pattern.type !== 'ObjectPattern') return
    for (const one of pattern.properties) if (one.type === 'Property') add(value, one.key, one.computed)
  }

  for (const node of nodesIn(program)) {
    switch (node.type) {
      case 'ImportDeclaration':
        for (const { type, local } of node.specifiers)
          if (type === 'ImportDefaultSpecifier') specifiers.set(local.name, String(node.source.value))
        break
      case 'MemberExpression':
        add(node.object, node.property, node.computed)
        break
      case 'VariableDeclarator':
        addPattern(node.id, node.init)
        break
      case 'AssignmentExpression':
        addPattern(node.left, node.right)
        if (node.left.type === 'MemberExpression') assigned.add(readKey(node.left.property, node.left.computed))
    }
  }
  return uses.filter(({ name }) => !assigned.has(name))
}

/** Returns the name of a property; null for one that only the running code would show. */
function readKey(key: AnyNode, isComputed: boolean): string | null {
  if (key.type === 'Literal') return String(key.value)
  return key.type === 'Identifier' && !isComputed ? key.name : null
}

/** The namespace of the rules of a stylesheet that is compiled. */
const RULES = new RegExp(`^${CSS_NAMESPACES.rules}:`)

/** Finds imports of names from a stylesheet that is no CSS module: they would be undefined. */
export async function checkStylesheets(siteDir: string, { inputs }: Metafile): Promise<BuildProblem[]> {
  const imports = Object.entries(inputs).flatMap(([file, input]) =>
    isInstalled(file)
      ? []
      : input.imports.flatMap(({ path, kind, original }) =>
          kind === 'import-statement' && isStylesheet(path) && original !== undefined
            ? [{ file, stylesheet: path.replace(RULES, ''), specifier: original }]
            : [],
        ),
  )
  const found = await mapWithLimit(imports, FILES_AT_A_TIME, async ({ file, stylesheet, specifier }) => {
    const source = await readFile(resolve(siteDir, file), 'utf8').catch(() => '')
    const escaped = specifier.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const match = new RegExp(`^[ \\t]*import\\s+(?=[\\w$*{])[^'";]*?from\\s*(['"])${escaped}\\1`, 'm').exec(source)
    if (!match) return null
    const extension = stylesheet.slice(stylesheet.lastIndexOf('.'))
    const location = placeAt(file, source, match.index + match[0].indexOf('import'))
    return createProblem('HYD_BUILD_STYLESHEET_NAMES', [stylesheet, extension], location)
  })
  return found.filter((problem) => problem !== null)
}
