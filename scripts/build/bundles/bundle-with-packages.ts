import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AnyNode } from 'acorn'
import { type BuildResult, type Loader, transform } from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { inputPath } from '../esbuild/bundler.ts'
import { isInstalled } from '../esbuild/resolve-file.ts'
import { nodesIn, parseScript } from '../output/edit-script.ts'

/** The name of a file with the hash of its contents. */
const HASHED = /(?:^|[-/])[A-Z2-7]{8}\.\w+$/
/** A path with the extension of a file. A package may also name its folder. */
const FILE = /^(?![a-z][a-z\d+.-]*:|\/).*\.\w+(?:[?#].*)?$/i

/**
 * Makes a bundle, and makes it again if modules of packages have URLs that must be replaced. Few packages have them, and
 * a plugin that reads all modules costs a tenth of a build.
 *
 * @param make Makes the bundle. The modules, as absolute paths, are those that `createModuleUrls` reads in packages.
 * @param resultOf Returns esbuild's result; null if it has failed.
 * @param known The modules for the first time.
 */
export async function bundleWithPackages<Made>(
  siteDir: string,
  make: (packageModules: ReadonlySet<string>) => Promise<Made>,
  resultOf: (made: Made) => BundleResult | null,
  known: ReadonlySet<string> = new Set(),
): Promise<Made> {
  const first = await make(known)
  const result = resultOf(first)
  const found = result ? await findPackageModules(siteDir, result) : []
  const more = found.filter((path) => !known.has(path))
  return more.length > 0 ? await make(new Set([...known, ...more])) : first
}

type BundleResult = Pick<BuildResult<{ metafile: true }>, 'outputFiles' | 'metafile'>

/** Finds the modules of packages with URLs that are still in the scripts. */
async function findPackageModules(siteDir: string, { outputFiles = [], metafile }: BundleResult): Promise<string[]> {
  const found = outputFiles.map(async (output) => {
    // Decoding all scripts would take longer.
    const { buffer, byteOffset, byteLength } = output.contents
    if (!Buffer.from(buffer, byteOffset, byteLength).includes('import.meta.url')) return []
    const left = new Set(listModuleUrls(output.text).filter((name) => FILE.test(name) && !HASHED.test(name)))
    if (left.size === 0) return []
    const inputs = Object.keys(metafile.outputs[toSitePath(siteDir, output.path)]?.inputs ?? {})
    const modules = inputs.map((input) => resolve(siteDir, inputPath(input))).filter(isInstalled)
    const sources = await Promise.all(modules.map((module) => readFile(module, 'utf8').catch(() => '')))
    return modules.filter((_, index) => listModuleUrls(sources[index] ?? '').some((specifier) => left.has(specifier)))
  })
  return (await Promise.all(found)).flat()
}

/** A file that a module names by a URL relative to itself: `new URL('./sum.ts', import.meta.url)`. */
export interface ModuleUrl {
  /** The text between the quotes. */
  specifier: string
  /** The position of the first quote in the source, and of the end of the last one. */
  start: number
  end: number
  /** Whether the URL is that of a worker: `new Worker(new URL(…))`. */
  isWorker: boolean
}

const MODULE_URL = /\bnew\s+URL\s*\(\s*((["'`])([^"'`$\n\\]+)\2)\s*,\s*import\.meta\.url\s*,?\s*\)/dg

/** Returns the specifiers of such URLs, also of those in comments and strings. */
export function listModuleUrls(code: string): string[] {
  return [...code.matchAll(MODULE_URL)].map(([, , , specifier = '']) => specifier)
}

/** Finds the files that a module names by URLs. Such code in comments and strings is ignored. */
export async function findModuleUrls(source: string, loader: Loader): Promise<ModuleUrl[]> {
  const found = [...source.matchAll(MODULE_URL)]
  if (found.length === 0) return []
  // esbuild reports the errors of a source that it cannot compile when it loads the module.
  const script = await transform(source, { loader, jsx: 'automatic', logLevel: 'silent' }).catch(() => null)
  if (!script) return []
  const { urls, workers } = listUrls(script.code)
  return found.flatMap((match): ModuleUrl[] => {
    const [start = 0, end = 0] = match.indices?.[1] ?? []
    const specifier = match[3] ?? ''
    return urls.has(specifier) ? [{ specifier, start, end, isWorker: workers.has(specifier) }] : []
  })
}

function listUrls(code: string): { urls: ReadonlySet<string>; workers: ReadonlySet<string> } {
  const urls = new Set<string>()
  const workers = new Set<string>()
  for (const node of nodesIn(parseScript(code))) {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') continue
    const [first] = node.arguments
    if (node.callee.name === 'URL') urls.add(textOf(first))
    else if (/^(Shared)?Worker$/.test(node.callee.name) && first?.type === 'NewExpression')
      workers.add(textOf(first.arguments[0]))
  }
  return { urls, workers }
}

function textOf(node: AnyNode | undefined): string {
  if (node?.type === 'TemplateLiteral') return node.quasis[0]?.value.cooked ?? ''
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : ''
}
