import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { resolve } from 'node:path'
import { type Loader, type Metafile, transform } from 'esbuild'
import { createHydrantError, type HydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { hintAtClosest } from '../../../src/server/util/closest-match.ts'
import { type BuildProblem, createProblem, placeAt, type SourceLocation } from '../../build-problem.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import { foreignFix } from '../discover/other-frameworks.ts'
import { HYDRANT_EXPORTS, REACT_EXPORTS } from '../esbuild/hydrant-files.ts'
import { isInstalled, loaderOf } from '../esbuild/resolve-file.ts'
import { nodesIn, parseScript } from '../output/edit-script.ts'

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
    const source = await readFile(resolve(siteDir, file), 'utf8').catch(() => '')
    const match = pattern.exec(source)
    if (!match) continue
    return placeAt(file, source, match.index + match[0].length - (match.groups?.rest?.length ?? 0))
  }
  return null
}

/** Describes the import of a name that a package does not export. */
export function createNameProblem(
  module: string,
  name: string,
  known: readonly string[],
  location: SourceLocation | null,
): BuildProblem {
  const { message, fix } = createNameError(module, name, known)
  return { code: 'HYD_BUILD_IMPORT_NAME', message, fix, location }
}

export function createNameError(module: string, name: string, known: readonly string[]): HydrantError {
  const fix = foreignFix(module, name)
  const hint = hintAtOther(module, name) || (fix === undefined ? hintAtClosest(name, known) : '')
  const error = createHydrantError('HYD_BUILD_IMPORT_NAME', [module, name, hint])
  return fix === undefined ? error : Object.assign(error, { fix })
}

/** Returns the part of the message that names the other module of Hydrant if it has the export. */
function hintAtOther(module: string, name: string): string {
  const other = module === 'hydrant' ? 'hydrant/react' : 'hydrant'
  const ofOther = module === 'hydrant' ? REACT_EXPORTS : module === 'hydrant/react' ? HYDRANT_EXPORTS : []
  return ofOther.includes(name) ? `; import it from "${other}"` : ''
}

export const SERVER_DIRECTIVE = 'use server'

/** A directive at the beginning of a module, after comments. */
const IN_MODULE = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(?=(["'])use server\1)/
/** A text in the place of a directive, in the source of a module that has a directive. */
const IN_SOURCE = /[{;\n]\s*(?=(["'])use server\1)/

/**
 * Finds modules for the browser with the directive `"use server"`. In other frameworks such code runs on the server.
 * Here the browser would get it, with everything that is written in it.
 *
 * @param files The modules for the browser, relative to the site.
 */
export async function checkDirectives(siteDir: string, files: readonly string[]): Promise<BuildProblem[]> {
  const scripts = files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !isInstalled(file))
  const found = await mapWithLimit(scripts, FILES_AT_A_TIME, (file) => findDirective(siteDir, file))
  return found.filter((problem) => problem !== null)
}

async function findDirective(siteDir: string, file: string): Promise<BuildProblem | null> {
  const source = await readFile(resolve(siteDir, file), 'utf8').catch(() => '')
  if (!source.includes(SERVER_DIRECTIVE)) return null
  const match = IN_MODULE.exec(source) ?? ((await hasDirective(source, loaderOf(file))) ? IN_SOURCE.exec(source) : null)
  const location = match && placeAt(file, source, match.index + match[0].length)
  return location && createProblem('HYD_BUILD_USE_SERVER', [file], location)
}

/** Returns whether a script has the directive, and not only a text or a comment that contains it. */
async function hasDirective(source: string, loader: Loader): Promise<boolean> {
  // A plugin of the site may compile what esbuild does not accept.
  const { code } = await transform(source, { loader, logLevel: 'silent' }).catch(() => ({ code: '' }))
  const nodes = [...nodesIn(parseScript(code))]
  return nodes.some((node) => node.type === 'ExpressionStatement' && node.directive === SERVER_DIRECTIVE)
}
