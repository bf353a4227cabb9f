import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { type BuildProblem, placeAt, type SourceLocation } from '../../build-problem.ts'
import { HYDRANT_EXPORTS } from '../esbuild/hydrant-exports.ts'
import { createNameProblem } from './import-names.ts'

/** An import declaration with names, as esbuild writes it. */
const IMPORT = /^import (?:[\w$]+, )?\{([^}]*)\} from "([\w:/]+)";$/gm

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))

/**
 * Finds imports of names that `hydrant` and the modules of Node.js do not export. The bundle leaves these modules out,
 * so esbuild does not check the names. A name of a module of Node.js is a warning: the server may run with another
 * version.
 *
 * @param code The server's bundle.
 */
export async function checkPackageImports(
  siteDir: string,
  code: string,
  { inputs }: Metafile,
): Promise<{ problems: BuildProblem[]; warnings: BuildProblem[] }> {
  const problems: BuildProblem[] = []
  const warnings: BuildProblem[] = []
  for (const [, list = '', module = ''] of code.matchAll(IMPORT)) {
    const known = await exportsOf(module)
    for (const name of known ? namesInImport(list) : []) {
      if (known?.includes(name)) continue
      const importers = Object.entries(inputs).filter(([, { imports }]) => imports.some(({ path }) => path === module))
      const place = await findImport(
        siteDir,
        importers.map(([file]) => file),
        module,
        name,
      )
      const found = module === 'hydrant' ? problems : warnings
      found.push(createNameProblem(module, name, known ?? [], place))
    }
  }
  return { problems, warnings }
}

/** Returns null for a module whose exports are not known. */
async function exportsOf(module: string): Promise<readonly string[] | null> {
  if (module === 'hydrant') return HYDRANT_EXPORTS
  return builtins.has(module) ? Object.keys(await import(module)) : null
}

function namesInImport(list: string): string[] {
  return list.split(',').flatMap((item) => /^\s*([\w$]+)/.exec(item)?.[1] ?? [])
}

/** Finds the first import of a name among files of the site. */
async function findImport(
  siteDir: string,
  files: readonly string[],
  module: string,
  name: string,
): Promise<SourceLocation | null> {
  const escaped = name.replaceAll('$', '\\$')
  const pattern = new RegExp(
    `\\b(?:import|export)\\b[^;'"{]*\\{[^}]*?(?<![\\w$])(?=${escaped}(?![\\w$]))(?<rest>[^}]*\\}\\s*from\\s*['"]${module}['"])`,
  )
  for (const file of files) {
    const source = await readFile(join(siteDir, file), 'utf8').catch(() => '')
    const match = pattern.exec(source)
    if (!match) continue
    return placeAt(file, source, match.index + match[0].length - (match.groups?.rest?.length ?? 0))
  }
  return null
}
