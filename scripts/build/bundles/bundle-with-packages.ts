import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BuildResult } from 'esbuild'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'
import { inputPath } from '../esbuild/input-path.ts'
import { isInstalled } from '../esbuild/source-file.ts'
import { listModuleUrls } from './find-module-urls.ts'

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
