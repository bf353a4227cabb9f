// Reads the values of exports from the source, without running it.

import type { AnyNode, Expression, Program, Property, SpreadElement } from 'acorn'
import { ELEMENT } from '../../../src/server/build-output/module-exports.ts'
import { SCHEMA_EXPORTS } from '../../../src/server/schemas/page-schemas.ts'
import { parseScript } from '../output/parse-script.ts'

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

/** Stands for an async function. */
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

/**
 * Reads the values that a module exports. Most modules are not parsed, because they export only functions.
 *
 * @param code As esbuild writes a module: its last statement exports all names.
 */
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

/** Returns the values of a module's functions, classes and constants. */
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
