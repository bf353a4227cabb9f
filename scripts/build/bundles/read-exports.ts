// Reads the values of exports from the source, without running it.

import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { AnyNode, Expression, Program, Property, SpreadElement } from 'acorn'
import { type Loader, type Message, type Plugin, transform } from 'esbuild'
import { ELEMENT } from '../../../src/server/build-output/module-exports.ts'
import { SCHEMA_EXPORTS } from '../../../src/server/schemas/page-schemas.ts'
import { fileAt, placeAt, type SourceLocation } from '../../build-problem.ts'
import { parseScript } from '../output/edit-script.ts'
import { readLocation } from './translate-message.ts'

/** The values of a file's exports, by name. Exports whose value only the running code would show are left out. */
export type WrittenValues = ReadonlyMap<string, unknown>

/** The exports of the files of a site, by path. */
export interface SiteExports {
  /** Files that esbuild cannot parse are left out. */
  names: ReadonlyMap<string, readonly string[]>
  values: ReadonlyMap<string, WrittenValues>
  /** The modules of `export * from`, by the path of the file that has the statement. */
  stars: ReadonlyMap<string, readonly string[]>
}

/** Stands for a value that only the running code would show. */
export const UNKNOWN = { toString: () => '…' }
/** The property of an object that stands for properties that only the running code would show. */
export const OTHERS = '...'

export const ASYNC = async () => {}

/** The key of the values of a file that has the element `<html>`. No export has this name. */
export const HTML_ELEMENT = '<html>'

const NONE: WrittenValues = new Map()
/** How esbuild writes the element. */
const HTML = /\bjsxs?\("html"/
/** A variable at the top level of a module that has the value of a literal or of an element. */
const LITERAL = /^(?:const|var) [\w$]+ = (?:["'`{[\d-]|(?:true|false|null);|(?:\/\* @__PURE__ \*\/ )?jsxs?\()/m

/** An async function at the top level of a module. */
const ASYNC_FUNCTION = /^(?:async function\b|(?:const|var) [\w$]+ = async\b)/m

/** Reads the exported values of a module of esbuild, whose last statement exports all. Functions need no parsing. */
export function readWrittenValues(code: string, names: readonly string[]): WrittenValues {
  const values = readExported(code, names)
  return HTML.test(code) ? new Map([...values, [HTML_ELEMENT, true]]) : values
}

function readExported(code: string, names: readonly string[]): WrittenValues {
  const mayHaveAsyncDefault = names.includes('default') && ASYNC_FUNCTION.test(code)
  if (!LITERAL.test(code) && !mayHaveAsyncDefault && !SCHEMA_EXPORTS.some((name) => names.includes(name))) return NONE
  const program = parseScript(code)
  const variables = readVariables(program)
  const found = program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.source) return []
    return node.specifiers.flatMap(({ local, exported }) => {
      if (local.type !== 'Identifier' || exported.type !== 'Identifier') return []
      const value = variables.get(local.name) ?? UNKNOWN
      return value === UNKNOWN ? [] : [[exported.name, value] as const]
    })
  })
  return new Map(found)
}

function readVariables({ body }: Program): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const read = createReader(body, values)
  for (const node of body) {
    if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
      if (node.id) values.set(node.id.name, standInFor(node))
    } else if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations) {
        // esbuild writes the variable of a default export; another one may get a second value.
        const isConstant = node.kind === 'const' || (id.type === 'Identifier' && /_default\d*$/.test(id.name))
        if (isConstant && id.type === 'Identifier' && init) values.set(id.name, read(init))
      }
    }
  }
  return values
}

/** Stands for a class, and for a function that is not async. */
function standIn() {}

function standInFor(node: AnyNode) {
  return 'async' in node && node.async && !node.generator ? ASYNC : standIn
}

/** @param variables The values of the variables that were read before. */
function createReader(body: Program['body'], variables: ReadonlyMap<string, unknown>): (node: Expression) => unknown {
  const runtimes = body.flatMap((node) =>
    node.type === 'ImportDeclaration' && String(node.source.value).endsWith('/jsx-runtime') ? node.specifiers : [],
  )
  const creators = runtimes.map(({ local }) => local.name)

  function readObject(properties: readonly (Property | SpreadElement)[]): Record<string, unknown> {
    const entries = properties.map((property) => {
      if (property.type === 'SpreadElement' || property.computed || property.kind !== 'init') return [OTHERS, UNKNOWN]
      const { key, value } = property
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : OTHERS
      return [name, read(value)]
    })
    return Object.fromEntries(entries)
  }

  function readArray(elements: readonly (Expression | SpreadElement | null)[]): unknown {
    const items = elements.map((item) => (item === null || item.type === 'SpreadElement' ? UNKNOWN : read(item)))
    return items.includes(UNKNOWN) ? UNKNOWN : items
  }

  function read(node: Expression): unknown {
    switch (node.type) {
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'ClassExpression':
        return standInFor(node)
      case 'Literal':
        return node.regex ? UNKNOWN : node.value
      case 'TemplateLiteral':
        return node.quasis.map(({ value }) => value.cooked).join('…')
      case 'ArrayExpression':
        return readArray(node.elements)
      case 'ObjectExpression':
        return readObject(node.properties)
      case 'Identifier': {
        const value = variables.get(node.name) ?? UNKNOWN
        // A constant object can get other properties.
        return typeof value === 'object' ? UNKNOWN : value
      }
      case 'UnaryExpression':
        return node.operator === '-' && node.argument.type === 'Literal' ? -Number(node.argument.value) : UNKNOWN
      case 'CallExpression':
        return node.callee.type === 'Identifier' && creators.includes(node.callee.name)
          ? { $$typeof: ELEMENT }
          : UNKNOWN
      default:
        return UNKNOWN
    }
  }
  return read
}

/** Finds the place of an export. Without one, it is the file as a whole. */
export async function findExport(siteDir: string, file: string, name: string): Promise<SourceLocation> {
  return (await placeOfExport(siteDir, file, name)) ?? fileAt(file)
}

/** Returns whether a module exports a name. Also returns false for a file that cannot be read. */
export async function isExported(siteDir: string, file: string, name: string): Promise<boolean> {
  return (await placeOfExport(siteDir, file, name).catch(() => null)) !== null
}

/** A second export of the name makes esbuild report where the first one is. */
async function placeOfExport(siteDir: string, file: string, name: string): Promise<SourceLocation | null> {
  const source = await readFile(resolve(siteDir, file), 'utf8')
  const isMdx = file.endsWith('.mdx')
  const probe = `${isMdx ? scriptOfMdx(source) : source}\n;let hydrantProbe; export { hydrantProbe as ${JSON.stringify(name)} }`
  // The extensions of other scripts are names of loaders, after the letter for the kind of the module.
  const loader = isMdx ? 'jsx' : extname(file).replace(/^\.[cm]?/, '')
  try {
    await transform(probe, { loader: loader as Loader, logLevel: 'silent', sourcefile: file })
    return null
  } catch (error) {
    // esbuild rejects with a list of messages only.
    const { errors } = error as { errors: Message[] }
    const note = errors.flatMap(({ notes }) => notes).find(({ location }) => location !== null)
    return note ? readLocation(note) : null
  }
}

export async function findStar(siteDir: string, file: string, module: string): Promise<SourceLocation> {
  const source = await readFile(resolve(siteDir, file), 'utf8')
  const code = file.endsWith('.mdx') ? scriptOfMdx(source) : source
  const name = module.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const match = new RegExp(`\\bexport\\s*(?=\\*\\s*from\\s*['"]${name}['"])`).exec(code)
  return match ? placeAt(file, code, match.index + match[0].length) : fileAt(file)
}

/** Makes esbuild read the imports and exports that are written in MDX files, without compiling the files. */
export const readMdxExports: Plugin = {
  name: 'hydrant-mdx-exports',
  setup(build) {
    build.onLoad({ filter: /\.mdx$/ }, async ({ path }) => ({
      contents: scriptOfMdx(await readFile(path, 'utf8')),
      loader: 'jsx',
    }))
  },
}

/**
 * Returns the imports and exports of an MDX source as a script. All other lines are empty, so every place in the
 * script is the same in the source.
 *
 * A block of imports and exports follows an empty line, or the frontmatter. The block ends before an empty line. If
 * the line after the empty line is indented or begins with a closing bracket, it still belongs to the last statement.
 */
function scriptOfMdx(source: string): string {
  let isInScript = false
  let isAfterGap = true
  let mark = ''
  return source
    .split('\n')
    .map((line, index) => {
      const isEmpty = line.trim() === ''
      if (mark !== '') {
        if (line.trim().startsWith(mark)) mark = ''
        isAfterGap = true
        return ''
      }
      if (isAfterGap && !isEmpty)
        isInScript = /^(?:import|export)\s/.test(line) || (isInScript && /^[\s)\]}]/.test(line))
      if (!isInScript) mark = openedBy(line, index)
      isAfterGap = isEmpty
      return isInScript ? line : ''
    })
    .join('\n')
}

/** Returns the beginning of the line that ends the frontmatter or the code that this line opens; empty otherwise. */
function openedBy(line: string, index: number): string {
  if (index === 0 && /^---\s*$/.test(line)) return '---'
  return /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
}
