import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Declaration, Expression, Program } from 'acorn'
import { type Loader, transform } from 'esbuild'
import { SCHEMA_EXPORTS } from '../../../src/server/schemas/page-schemas.ts'
import { type BuildProblem, createProblem } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { parseScript } from '../output/parse-script.ts'
import { findExport } from './find-export.ts'

/**
 * Finds exports of server files that should be schemas and certainly are none, such as functions. The code of the site does
 * not run here, so the server checks the other ones when it starts.
 */
export async function checkSchemas(
  siteDir: string,
  { serverFiles }: DiscoveredSite,
  found: ReadonlyMap<string, readonly string[]>,
): Promise<BuildProblem[]> {
  const problems: BuildProblem[] = []
  for (const { file, kind } of serverFiles) {
    const names = kind === 'page' ? SCHEMA_EXPORTS.filter((name) => found.get(file)?.includes(name)) : []
    const program = names.length > 0 ? await parseFile(join(siteDir, file)) : null
    for (const name of program ? names : []) {
      const came = program && describeExport(program, name)
      if (came)
        problems.push(createProblem('HYD_SCHEMA_INVALID', [name, file, came], await findExport(siteDir, file, name)))
    }
  }
  return problems
}

/** Returns null for a file with a syntax error, which the bundles report. */
async function parseFile(path: string): Promise<Program | null> {
  try {
    const source = await readFile(path, 'utf8')
    // The extensions of server files are also names of loaders.
    const { code } = await transform(source, { loader: extname(path).slice(1) as Loader, logLevel: 'silent' })
    return parseScript(code)
  } catch {
    return null
  }
}

/** Describes an exported value that is no schema; null for a value that may be one. */
function describeExport({ body }: Program, name: string): string | null {
  const declarations = body.flatMap((node): Declaration[] => {
    if (node.type === 'ExportNamedDeclaration') return node.declaration ? [node.declaration] : []
    return node.type === 'FunctionDeclaration' ||
      node.type === 'ClassDeclaration' ||
      node.type === 'VariableDeclaration'
      ? [node]
      : []
  })
  for (const declaration of declarations) {
    if (declaration.type !== 'VariableDeclaration') {
      if (declaration.id?.name === name) return 'a function'
      continue
    }
    for (const { id, init } of declaration.declarations)
      if (id.type === 'Identifier' && id.name === name && init) return describeValue(init)
  }
  return null
}

function describeValue(value: Expression): string | null {
  switch (value.type) {
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'ClassExpression':
      return 'a function'
    case 'ArrayExpression':
      return 'an array'
    case 'TemplateLiteral':
      return 'a text'
    case 'Literal':
      return value.raw ?? 'a literal'
    case 'ObjectExpression':
      return value.properties.every((property) => property.type === 'Property' && isOtherKey(property.key))
        ? 'an object without "~standard"'
        : null
    default:
      return null
  }
}

function isOtherKey(key: Expression | { type: 'PrivateIdentifier' }): boolean {
  return key.type === 'Identifier' || (key.type === 'Literal' && key.value !== '~standard')
}
